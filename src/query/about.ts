/** Which symbol a snippet is named after: of those that stand in it, the one whose lines hold most of the question. */
import type { Chunk, CodeSymbol, FileRecord } from "../model/code.ts";
import { eachTerm, type WeightedTerm } from "../text/terms.ts";
import type { Stretch } from "./stretch.ts";

export interface SnippetOf {
  readonly record: FileRecord;
  /** Position in the record's chunks. */
  readonly chunk: number;
  readonly shown: Stretch;
}

/** Index of the symbol; the chunk's own where the question's words do not tell. */
export function aboutSymbol({ record, chunk, shown }: SnippetOf, terms: readonly WeightedTerm[]): number | undefined {
  const lines = record.chunks[chunk];
  if (lines === undefined) return undefined;
  const rivals = rivalsOf(record, lines);
  if (rivals.length === 0) return lines.symbol;
  let best = lines.symbol;
  let most = best === undefined ? 0 : held(record.symbols[best]!, shown, terms);
  for (const index of rivals) {
    const weight = held(record.symbols[index]!, shown, terms);
    if (weight > most) [best, most] = [index, weight];
  }
  return best;
}

/** The other symbols that begin in the chunk; symbols come sorted by where they begin. */
function rivalsOf(record: FileRecord, lines: Chunk): number[] {
  const rivals: number[] = [];
  for (const [index, { kind, span }] of record.symbols.entries()) {
    if (span.lineStart > lines.lineEnd) break;
    if (span.lineStart >= lines.lineStart && index !== lines.symbol && !UNNAMED.has(kind)) rivals.push(index);
  }
  return rivals;
}

/** A snippet is not named after one of these: they say less than what holds them. */
const UNNAMED: ReadonlySet<string> = new Set(["use", "package", "field", "property", "variant", "heading"]);

/** Weight of the question's terms in the part of the symbol that the snippet shows, its doc comment and name with it. */
function held({ span, doc, name }: CodeSymbol, shown: Stretch, terms: readonly WeightedTerm[]): number {
  const part = shown.text.slice(Math.max(span.start, shown.start), Math.min(span.end, shown.end));
  const words = new Set<string>();
  eachTerm(`${doc ?? ""}\n${name}\n${part}`, (term) => words.add(term));
  return terms.reduce((sum, { term, weight }) => (words.has(term) ? sum + weight : sum), 0);
}
