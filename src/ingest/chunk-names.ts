/** The names that a chunk goes by, and its place. */
import type { Chunk, CodeSymbol } from "../model/code.ts";

/**
 * Names of the symbols that begin in the chunk, so that defining counts more than using (+0.003 NDCG), and of those
 * around it, so that the middle of a long function is found by its name.
 */
export function chunkNames(symbols: readonly CodeSymbol[], chunk: Chunk): string {
  const names: string[] = [];
  for (let i = firstFrom(symbols, chunk.lineStart); i < symbols.length; i++) {
    const { kind, name, span } = symbols[i]!;
    if (span.lineStart > chunk.lineEnd) break;
    if (!UNNAMED.has(kind)) names.push(name);
  }
  let at = chunk.symbol;
  for (let depth = 0; at !== undefined && depth < MAX_DEPTH; depth++) {
    const symbol = symbols[at];
    if (symbol === undefined) break;
    if (symbol.span.lineStart < chunk.lineStart) names.push(symbol.name);
    at = symbol.parent;
  }
  return names.join(" ");
}

/** `src/net/http_client.rs` → `net http_client`. */
export function pathLabel(path: string): string {
  return path
    .replace(/(?<=[^/])\.[^./]*$/, "")
    .split("/")
    .slice(-2)
    .join(" ");
}

/** Deeper nesting is made by machines. */
const MAX_DEPTH = 8;
/** Imports define nothing; fields are named often enough by the code around them. */
const UNNAMED: ReadonlySet<string> = new Set(["use", "field"]);

/** Symbols stand in the order of their first lines. */
function firstFrom(symbols: readonly CodeSymbol[], line: number): number {
  let low = 0;
  let high = symbols.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (symbols[middle]!.span.lineStart < line) low = middle + 1;
    else high = middle;
  }
  return low;
}
