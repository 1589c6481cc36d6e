/** The symbol that a candidate is, or that its chunk stands in. */
import type { CodeSymbol } from "../model/code.ts";
import type { Candidate } from "./candidate.ts";

export interface Found {
  readonly index: number;
  readonly symbol: CodeSymbol;
  readonly parent?: CodeSymbol;
}

export function symbolOf({ type, record, at }: Candidate): Found | undefined {
  if (record === undefined || type === "file") return undefined;
  const index = type === "symbol" ? at : record.chunks[at]?.symbol;
  const symbol = index === undefined ? undefined : record.symbols[index];
  if (index === undefined || symbol === undefined) return undefined;
  const parent = symbol.parent === undefined ? undefined : record.symbols[symbol.parent];
  return { index, symbol, ...(parent && { parent }) };
}
