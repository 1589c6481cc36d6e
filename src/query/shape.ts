/** A ranked candidate as a hit: lines, source, enclosing symbol, score. */
import type { FileFrame } from "../model/code.ts";
import { frameHit, type IdSource, resultId } from "../model/ids.ts";
import type { ScorePart, SearchHit } from "../model/search.ts";
import type { Snapshot } from "../ports/snapshot.ts";
import { withoutBreak } from "../text/lines.ts";
import type { WeightedTerm } from "../text/query-terms.ts";
import type { Candidate } from "./candidate.ts";
import { type Stretch, stretchOf } from "./line-offsets.ts";
import { aboutSymbol } from "./snippet-symbol.ts";

/** Where a result stands, and what it is worth. */
export interface Place {
  readonly candidate: Pick<Candidate, "type" | "file" | "at" | "bm25" | "opened">;
  readonly total: number;
}

export interface Shaping {
  /** They decide after which of its symbols a snippet is named. */
  readonly terms: readonly WeightedTerm[];
  /** How it came by its total, where somebody wants to know. */
  readonly parts?: readonly ScorePart[];
}

/** A candidate of a search, with its source. */
export async function shape(
  ranked: Place,
  at: Snapshot,
  ids: IdSource,
  { terms, parts = [] }: Shaping,
): Promise<SearchHit> {
  const { candidate } = ranked;
  const [frame, text] = await Promise.all([frameOf(candidate, at), at.text(candidate.file)]);
  const { lineStart, lineEnd } = linesOf(candidate, frame);
  const shown = stretchOf({ text, frame }, lineStart, lineEnd);
  const named = nameOf(candidate, frame, shown, terms);
  return hitOf(ranked, frame, ids, {
    ...(named !== undefined && { named }),
    text: withoutBreak(text.slice(shown.start, shown.end)),
    parts,
  });
}

/** A definition by its name: its file's text is not read, which is most of what a hit costs. */
export async function shapeDefinition(
  ranked: Place,
  at: Snapshot,
  ids: IdSource,
  parts: readonly ScorePart[],
): Promise<SearchHit> {
  const { candidate } = ranked;
  const frame = await frameOf(candidate, at);
  return hitOf(ranked, frame, ids, { named: candidate.at, text: "", parts });
}

interface Shown {
  readonly named?: number;
  readonly text: string;
  readonly parts: readonly ScorePart[];
}

function hitOf({ candidate, total }: Place, frame: FileFrame, ids: IdSource, shown: Shown): SearchHit {
  const { lineStart, lineEnd } = linesOf(candidate, frame);
  const symbol = shown.named === undefined ? undefined : frameHit(candidate.file, frame, shown.named, ids);
  const { path, language, contentHash } = candidate.file;
  const place = [path, lineStart, lineEnd, contentHash];
  const prefix = candidate.type === "file" ? "file" : "snip";
  return {
    type: candidate.type,
    ...(candidate.type !== "symbol" && { resultId: resultId(prefix, place, ids.hash) }),
    path,
    language,
    lineStart,
    lineEnd,
    ...(symbol && { symbol }),
    text: shown.text,
    score: scoreOf(total),
    total,
    bm25: candidate.bm25,
    parts: shown.parts,
  };
}

function nameOf(
  { type, at }: Place["candidate"],
  frame: FileFrame,
  shown: Stretch,
  terms: readonly WeightedTerm[],
): number | undefined {
  if (type === "file") return undefined;
  return type === "symbol" ? at : aboutSymbol({ frame, chunk: at, shown }, terms);
}

export function linesOf(
  { type, at }: Pick<Candidate, "type" | "at">,
  frame: FileFrame,
): { lineStart: number; lineEnd: number } {
  const place = type === "symbol" ? frame.symbol(at)?.span : type === "snippet" ? frame.chunk(at) : undefined;
  return place ?? { lineStart: 1, lineEnd: Math.max(1, frame.lineCount) };
}

export async function frameOf({ file, opened }: Place["candidate"], at: Snapshot): Promise<FileFrame> {
  return opened?.frame ?? at.frame(file);
}

/** Totals lie between 0 and about 3; 1 is a good answer and maps to 0.73. Grows strictly, also below zero. */
export function scoreOf(total: number): number {
  return Math.round(1e6 / (1 + Math.exp(-2 * (total - 0.5)))) / 1e6;
}
