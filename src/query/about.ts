/** Which symbol a snippet is named after: of those that stand in it, the one whose lines hold most of the question. */
import type { CodeSymbol, FileRecord } from "../model/code.ts";
import { sliceLines } from "../text/lines.ts";
import { eachTerm, type WeightedTerm } from "../text/terms.ts";

export interface SnippetOf {
  readonly record: FileRecord;
  /** Position in the record's chunks. */
  readonly chunk: number;
  /** The whole file. */
  readonly text: string;
}

/** Index of the symbol; the chunk's own where the question's words do not tell. */
export function aboutSymbol({ record, chunk, text }: SnippetOf, terms: readonly WeightedTerm[]): number | undefined {
  const lines = record.chunks[chunk];
  if (lines === undefined) return undefined;
  let best = lines.symbol;
  let most = best === undefined ? 0 : held(record.symbols[best]!, lines, text, terms);
  for (const [index, symbol] of record.symbols.entries()) {
    if (symbol.span.lineStart > lines.lineEnd) break;
    if (symbol.span.lineStart < lines.lineStart || UNNAMED.has(symbol.kind)) continue;
    const weight = held(symbol, lines, text, terms);
    if (weight > most) [best, most] = [index, weight];
  }
  return best;
}

/** A snippet is not named after one of these: they say less than what holds them. */
const UNNAMED: ReadonlySet<string> = new Set(["use", "package", "field", "property", "variant", "heading"]);

interface Lines {
  readonly lineStart: number;
  readonly lineEnd: number;
}

/** Weight of the question's terms in the part of the symbol that the snippet shows, its doc comment and name with it. */
function held(symbol: CodeSymbol, lines: Lines, text: string, terms: readonly WeightedTerm[]): number {
  const { lineStart, lineEnd } = symbol.span;
  const shown = sliceLines(text, Math.max(lineStart, lines.lineStart), Math.min(lineEnd, lines.lineEnd));
  const words = new Set<string>();
  eachTerm(`${symbol.doc ?? ""}\n${symbol.name}\n${shown}`, (term) => words.add(term));
  return terms.reduce((sum, { term, weight }) => (words.has(term) ? sum + weight : sum), 0);
}
