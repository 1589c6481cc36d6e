/** What a search found becomes its answer: the records and texts of the few results that are shown are opened. */

import { isLongTurn, nextTurn } from "../model/event-loop.ts";
import type { IdSource } from "../model/ids.ts";
import type { ScorePart, SearchAnswer, SearchHit } from "../model/search.ts";
import type { Snapshot } from "../ports/snapshot.ts";
import type { WeightedTerm } from "../text/query-terms.ts";
import { type Place, shape, shapeDefinition } from "./shape.ts";

/** Whoever holds the same publication can show it. */
export interface Found extends Omit<SearchAnswer, "hits" | "joins"> {
  /** Of the view that was searched. */
  readonly stateId: string;
  readonly terms: readonly WeightedTerm[];
  readonly places: readonly FoundPlace[];
}

/** Microseconds to pass a symbol of a record by and to open a chunk of a text, and how long who speaks with clients may be kept. */
const OPENING = { symbol: 0.2, chunk: 2, most: 8_000 } as const;

/** Whether showing it would keep the caller's thread from everybody else for too long. */
export function isHeavy({ places }: Found): boolean {
  const files = new Map(places.map(({ candidate: { file } }) => [file.path, file]));
  let cost = 0;
  for (const { symbols = 0, chunks = 0 } of files.values()) cost += symbols * OPENING.symbol + chunks * OPENING.chunk;
  return cost > OPENING.most;
}

/** As plain data, for another thread: what was opened to rank it stays behind. */
export function bare(found: Found): Found {
  return { ...found, places: found.places.map((it) => ({ ...it, candidate: bareCandidate(it.candidate) })) };
}

function bareCandidate({ type, at, bm25, file }: Place["candidate"]): Place["candidate"] {
  const { id, path, language, contentHash } = file;
  return { type, at, bm25, file: { id, path, language, contentHash } };
}

interface FoundPlace extends Place {
  readonly parts: readonly ScorePart[];
  /** A definition whose source nobody wants. */
  readonly byName: boolean;
}

export async function show(
  { stateId, terms, places, ...told }: Found,
  at: Snapshot,
  ids: IdSource,
): Promise<SearchAnswer> {
  if (isLongTurn()) await nextTurn();
  const opened: Promise<SearchHit>[] = [];
  // Started file by file, so that a long one is opened once, and awaited together, so that a store over a network
  // fetches them in one go.
  for (const index of byFile(places)) {
    const place = places[index]!;
    const { parts, byName } = place;
    const hit = byName ? shapeDefinition(place, at, ids, parts) : shape(place, at, ids, { terms, parts });
    // Whoever fails while another is awaited is still heard below.
    hit.catch(() => {});
    opened[index] = hit;
    if (isLongTurn()) await nextTurn();
  }
  const hits = await Promise.all(opened);
  const snippets = hits.filter(({ type }) => type === "snippet");
  const joined = snippets.filter(({ symbol }) => symbol !== undefined).length;
  return { ...told, hits, joins: { hits: joined, misses: snippets.length - joined } };
}

function byFile(places: readonly FoundPlace[]): number[] {
  const pathOf = (index: number) => places[index]!.candidate.file.path;
  return [...places.keys()].sort((a, b) => (pathOf(a) < pathOf(b) ? -1 : pathOf(a) > pathOf(b) ? 1 : a - b));
}
