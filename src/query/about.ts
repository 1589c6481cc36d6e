/** Which symbol a snippet is named after: of those that stand in it, the one whose lines hold most of the question. */
import type { Chunk, CodeSymbol, FileRecord } from "../model/code.ts";
import { eachTerm, type WeightedTerm } from "../text/terms.ts";
import { type Stretch, symbolsBefore } from "./stretch.ts";

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
  const asked = new Set(terms.map(({ term }) => term));
  const held = (index: number) => weightOf(termsIn(record.symbols[index]!, shown, asked), terms);
  let best = lines.symbol;
  let most = best === undefined ? 0 : held(best);
  for (const index of rivals) {
    const weight = held(index);
    if (weight > most) [best, most] = [index, weight];
  }
  return best;
}

/** The other symbols that begin in the chunk; symbols come sorted by where they begin. */
function rivalsOf(record: FileRecord, lines: Chunk): number[] {
  const { symbols } = record;
  const rivals: number[] = [];
  for (let index = symbolsBefore(symbols, lines.lineStart - 1); index < symbols.length; index++) {
    const { kind, span } = symbols[index]!;
    if (span.lineStart > lines.lineEnd) break;
    if (index !== lines.symbol && !UNNAMED.has(kind)) rivals.push(index);
  }
  return rivals;
}

/** A snippet is not named after one of these: they say less than what holds them. */
const UNNAMED: ReadonlySet<string> = new Set(["use", "package", "field", "property", "variant", "heading"]);

/** The question's terms in the part of the symbol that the snippet shows, its doc comment and name with it. */
function termsIn({ span, doc, name }: CodeSymbol, shown: Stretch, asked: ReadonlySet<string>): Set<string> {
  const part = shown.text.slice(Math.max(span.start, shown.start), Math.min(span.end, shown.end));
  const found = new Set<string>();
  eachTerm(`${doc ?? ""}\n${name}\n${part}`, (term) => {
    if (asked.has(term)) found.add(term);
  });
  return found;
}

function weightOf(found: ReadonlySet<string>, terms: readonly WeightedTerm[]): number {
  return terms.reduce((sum, { term, weight }) => (found.has(term) ? sum + weight : sum), 0);
}
