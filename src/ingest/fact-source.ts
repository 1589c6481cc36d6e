/** What facts are read from: a file, its symbols, and the captures of its language's `edges.scm`, sorted. */
import type { Language } from "../languages/define.ts";
import type { CodeSymbol } from "../model/code.ts";
import type { RawEdges } from "../model/edges.ts";
import type { LanguageEdges } from "../model/language-edges.ts";
import { lineAt } from "../text/lines.ts";
import type { EdgeCaptures } from "./edge-captures.ts";

export interface FactSource {
  readonly language: Language;
  readonly text: string;
  readonly lineStarts: readonly number[];
  readonly symbols: readonly CodeSymbol[];
  /** Where each symbol's name stands. */
  readonly places: readonly number[];
  readonly edges: RawEdges;
}

/** The same, with what its language says about references. */
export interface FactInput extends Omit<FactSource, "edges" | "language"> {
  readonly raw: EdgeCaptures;
  readonly edges: LanguageEdges;
}

export function lineAndColumn(at: number, lineStarts: readonly number[]): { line: number; column: number } {
  const line = lineAt(lineStarts, at);
  return { line, column: at - lineStarts[line - 1]! };
}
