/** What a search found becomes its answer: the records and texts of the few results that are shown are opened. */

import type { FileFrame } from "../model/code.ts";
import { isLongTurn, nextTurn } from "../model/event-loop.ts";
import { frameHit, type IdSource, resultId } from "../model/ids.ts";
import type { ScorePart, SearchAnswer, SearchHit } from "../model/search.ts";
import type { Snapshot } from "../ports/snapshot.ts";
import { withoutBreak } from "../text/lines.ts";
import type { WeightedTerm } from "../text/query-terms.ts";
import type { RankingCandidate } from "./candidate.ts";
import { aboutSymbol, linesRange, type ShownRange } from "./snippet-symbol.ts";

/** Any thread that has the same publication open can render it. */
export interface SearchFindings extends Omit<SearchAnswer, "hits" | "joins"> {
  /** Of the view that was searched. */
  readonly stateId: string;
  readonly terms: readonly WeightedTerm[];
  readonly places: readonly RankedResult[];
}

/** Microseconds to skip a symbol of a record and to read a chunk of text, and the longest block of the main thread. */
const OPENING = { symbol: 0.2, chunk: 2, most: 8_000 } as const;

/** Whether rendering would block the caller's thread for too long. */
export function isHeavy({ places }: SearchFindings): boolean {
  const files = new Map(places.map(({ candidate: { file } }) => [file.path, file]));
  let cost = 0;
  for (const { symbols = 0, chunks = 0 } of files.values()) cost += symbols * OPENING.symbol + chunks * OPENING.chunk;
  return cost > OPENING.most;
}

/** As plain data, for another thread: what was opened to rank it stays behind. */
export function bare(found: SearchFindings): SearchFindings {
  return { ...found, places: found.places.map((it) => ({ ...it, candidate: bareCandidate(it.candidate) })) };
}

function bareCandidate({ type, at, bm25, file, location }: RankedCandidate["candidate"]): RankedCandidate["candidate"] {
  const { id, path, language, contentHash } = file;
  return { type, at, bm25, file: { id, path, language, contentHash }, ...(location && { location }) };
}

export interface RankedResult extends RankedCandidate {
  readonly parts: readonly ScorePart[];
  /** A definition without its source. */
  readonly byName: boolean;
}

export async function show(
  { stateId, terms, places, ...rest }: SearchFindings,
  at: Snapshot,
  ids: IdSource,
): Promise<SearchAnswer> {
  if (isLongTurn()) await nextTurn();
  const opened: Promise<SearchHit>[] = [];
  // Started file by file, so that a long one is opened once, and awaited together, so that a store over a network
  // fetches them in one request.
  for (const index of byFile(places)) {
    const place = places[index]!;
    const { parts, byName } = place;
    const hit = byName ? shapeDefinition(place, at, ids, parts) : shape(place, at, ids, { terms, parts });
    // A rejection during another await is handled below.
    hit.catch(() => {});
    opened[index] = hit;
    if (isLongTurn()) await nextTurn();
  }
  const hits = await Promise.all(opened);
  const snippets = hits.filter(({ type }) => type === "snippet");
  const joined = snippets.filter(({ symbol }) => symbol !== undefined).length;
  return { ...rest, hits, joins: { hits: joined, misses: snippets.length - joined } };
}

function byFile(places: readonly RankedResult[]): number[] {
  const filePath = (index: number) => places[index]!.candidate.file.path;
  return [...places.keys()].sort((a, b) => (filePath(a) < filePath(b) ? -1 : filePath(a) > filePath(b) ? 1 : a - b));
}

/** A candidate with its total. */
interface RankedCandidate {
  readonly candidate: Pick<RankingCandidate, "type" | "file" | "at" | "bm25" | "opened" | "location">;
  readonly total: number;
}

interface ShapeOptions {
  /** They decide after which of its symbols a snippet is named. */
  readonly terms: readonly WeightedTerm[];
  /** Parts of its total, if requested. */
  readonly parts?: readonly ScorePart[];
}

/** A candidate of a search, with its source. */
export async function shape(
  ranked: RankedCandidate,
  at: Snapshot,
  ids: IdSource,
  { terms, parts = [] }: ShapeOptions,
): Promise<SearchHit> {
  const { candidate } = ranked;
  const [frame, text] = await Promise.all([openFrame(candidate, at), at.text(candidate.file)]);
  const { lineStart, lineEnd } = candidateLines(candidate, frame);
  const shown = linesRange({ text, frame }, lineStart, lineEnd);
  const named = namingSymbol(candidate, frame, shown, terms);
  return buildHit(ranked, frame, ids, {
    ...(named !== undefined && { named }),
    text: withoutBreak(text.slice(shown.start, shown.end)),
    parts,
  });
}

/** A definition by its name: its file's text is not read, which is most of what a hit costs. */
export async function shapeDefinition(
  ranked: RankedCandidate,
  at: Snapshot,
  ids: IdSource,
  parts: readonly ScorePart[],
): Promise<SearchHit> {
  const { candidate } = ranked;
  const frame = await openFrame(candidate, at);
  return buildHit(ranked, frame, ids, { named: candidate.at, text: "", parts });
}

interface HitContent {
  readonly named?: number;
  readonly text: string;
  readonly parts: readonly ScorePart[];
}

function buildHit(
  { candidate, total }: RankedCandidate,
  frame: FileFrame,
  ids: IdSource,
  shown: HitContent,
): SearchHit {
  const { lineStart, lineEnd } = candidateLines(candidate, frame);
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
    score: toScore(total),
    total,
    bm25: candidate.bm25,
    parts: shown.parts,
  };
}

function namingSymbol(
  { type, at, location }: RankedCandidate["candidate"],
  frame: FileFrame,
  shown: ShownRange,
  terms: readonly WeightedTerm[],
): number | undefined {
  if (type === "file") return undefined;
  if (location !== undefined) return location.symbol;
  return type === "symbol" ? at : aboutSymbol({ frame, chunk: at, shown }, terms);
}

export function candidateLines(
  { type, at, location }: Pick<RankingCandidate, "type" | "at" | "location">,
  frame: FileFrame,
): { lineStart: number; lineEnd: number } {
  if (location !== undefined) return { lineStart: location.lineStart, lineEnd: location.lineEnd };
  const place = type === "symbol" ? frame.symbol(at)?.span : type === "snippet" ? frame.chunk(at) : undefined;
  return place ?? { lineStart: 1, lineEnd: Math.max(1, frame.lineCount) };
}

export async function openFrame({ file, opened }: RankedCandidate["candidate"], at: Snapshot): Promise<FileFrame> {
  return opened?.frame ?? at.frame(file);
}

/** Totals are between 0 and about 3; 1 is a good answer and maps to 0.73. Grows strictly, also below zero. */
export function toScore(total: number): number {
  return Math.round(1e6 / (1 + Math.exp(-2 * (total - 0.5)))) / 1e6;
}
