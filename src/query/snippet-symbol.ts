/** The symbol that a snippet is named after: the one with most of its lines, unless one that begins in it has more of the query's terms. */
import type { Chunk, CodeSymbol, FileFrame } from "../model/code.ts";
import { lineOffset } from "../text/lines.ts";
import type { WeightedTerm } from "../text/query-terms.ts";
import { eachTerm } from "../text/terms.ts";

interface ShownChunk {
  readonly frame: FileFrame;
  /** Position in the file's chunks. */
  readonly chunk: number;
  readonly shown: ShownRange;
}

/** Index of the symbol. */
export function aboutSymbol({ frame, chunk, shown }: ShownChunk, terms: readonly WeightedTerm[]): number | undefined {
  const lines = frame.chunk(chunk);
  if (lines === undefined) return undefined;
  const names = namingKinds(frame, lines);
  const inside = symbolsIn(frame, lines, names);
  let best = withMostLines(frame, lines, inside, names);
  const rivals = inside.filter((index) => index !== best);
  // Most chunks are one definition: its text need not be read.
  if (rivals.length === 0) return best;
  const uses = usesIn(shown, new Map(terms.map(({ term }, at) => [term, at])));
  const held = (index: number) => sumWeights(uses.heldBy(frame.symbol(index)!, ownEnd(frame, index)), terms);
  const whole = sumWeights(new Set(terms.keys()), terms);
  let most = best === undefined ? 0 : held(best);
  for (const index of rivals) {
    // No symbol can have more than all terms.
    if (most === whole) break;
    const weight = held(index);
    if (weight > most) [best, most] = [index, weight];
  }
  return best;
}

/** The symbols that begin in the chunk; symbols come sorted by where they begin. */
export function symbolsIn(frame: FileFrame, lines: Chunk, names: NamingKinds = isNaming): number[] {
  const found: number[] = [];
  for (let index = symbolsBefore(frame, lines.lineStart - 1); index < frame.symbolCount; index++) {
    if (frame.line(index) > lines.lineEnd) break;
    if (names(frame.kind(index)!)) found.push(index);
  }
  return found;
}

/** A line belongs to the innermost symbol around it. */
function withMostLines(
  frame: FileFrame,
  { lineStart, lineEnd, symbol }: Chunk,
  inside: readonly number[],
  names: NamingKinds,
) {
  const owners = new Array<number | undefined>(lineEnd - lineStart + 1).fill(undefined);
  const counts = new Map<number, number>();
  for (const index of [...enclosing(frame, symbol, lineStart, names), ...inside])
    owners.fill(index, Math.max(0, frame.line(index) - lineStart), frame.lastLine(index) - lineStart + 1);
  for (const owner of owners) if (owner !== undefined) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  let best = symbol;
  let most = 0;
  for (const [index, count] of counts) if (count > most) [best, most] = [index, count];
  return best;
}

/** The symbols around a chunk's first line, outermost first. */
function enclosing(frame: FileFrame, symbol: number | undefined, line: number, names: NamingKinds): number[] {
  const found: number[] = [];
  for (let at = symbol; at !== undefined; at = frame.parent(at))
    if (frame.line(at) < line && frame.lastLine(at) >= line && names(frame.kind(at)!)) found.unshift(at);
  return found;
}

/** A snippet is not named after these kinds: their parents are more informative. */
const UNNAMED: ReadonlySet<string> = new Set(["use", "package", "field", "property", "variant", "heading"]);

type NamingKinds = (kind: string) => boolean;
const isNaming: NamingKinds = (kind) => !UNNAMED.has(kind);

/** Within sections of prose, a chunk is named after one of them: the end of a section and the next one may share a chunk. */
function namingKinds(frame: FileFrame, { symbol }: Chunk): NamingKinds {
  const isSection = symbol !== undefined && frame.kind(symbol) === "heading";
  return isSection ? (kind) => kind === "heading" || isNaming(kind) : isNaming;
}

/** Positions of the query's terms in the shown text, computed once for all symbols in it. */
function usesIn({ text, start, end }: ShownRange, termIndex: ReadonlyMap<string, number>) {
  const found: { readonly term: number; readonly at: number }[] = [];
  eachTerm(text.slice(start, end), (word, at) => {
    const term = termIndex.get(word);
    if (term !== undefined) found.push({ term, at: start + at });
  });
  return {
    /** The terms in the symbol's shown lines, its doc comment or its name. */
    heldBy({ span, doc, name }: CodeSymbol, end: number): Set<number> {
      const held = new Set<number>();
      for (const { term, at } of found) if (span.start <= at && at < end) held.add(term);
      eachTerm(doc === undefined ? name : `${doc}\n${name}`, (word) => {
        const term = termIndex.get(word);
        if (term !== undefined) held.add(term);
      });
      return held;
    },
  };
}

/** A section ends where one inside it begins: the chapter around it would have its terms as well. */
function ownEnd(frame: FileFrame, index: number): number {
  const { end } = frame.symbol(index)!.span;
  const next = frame.kind(index) === "heading" && index + 1 < frame.symbolCount ? frame.start(index + 1) : end;
  return Math.min(end, next);
}

/** Summed in the order of the terms: the same terms weigh the same to the last bit. */
function sumWeights(held: ReadonlySet<number>, terms: readonly WeightedTerm[]): number {
  return terms.reduce((sum, { weight }, at) => (held.has(at) ? sum + weight : sum), 0);
}

/** A file, and the part of it that is shown. */
export interface ShownRange {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

interface TextWithFrame {
  readonly text: string;
  /** Its symbols are sorted by where they begin. */
  readonly frame: Pick<FileFrame, "symbolCount" | "line" | "start">;
}

/** The lines with their breaks. */
export function linesRange({ text, frame }: TextWithFrame, first: number, last: number): ShownRange {
  const anchor = symbolsBefore(frame, first) - 1;
  const [line, from] = anchor < 0 ? [1, 0] : [frame.line(anchor), beginOfLine(text, frame.start(anchor))];
  const start = lineOffset(text, first - line + 1, from);
  return { text, start, end: lineOffset(text, last - first + 2, start) };
}

/** Offset of the first character of the line that the offset is in. */
export function beginOfLine(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf("\n", offset - 1) + 1;
}

/** How many of them begin on the line or before it. */
function symbolsBefore(frame: TextWithFrame["frame"], line: number): number {
  let low = 0;
  for (let high = frame.symbolCount; low < high; ) {
    const middle = (low + high) >>> 1;
    if (frame.line(middle) <= line) low = middle + 1;
    else high = middle;
  }
  return low;
}
