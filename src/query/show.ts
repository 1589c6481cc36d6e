/** What a search found becomes its answer: the records and texts of the few results that are shown are opened. */
import type { IdSource } from "../model/hits.ts";
import type { Hit, ScorePart, SearchAnswer } from "../model/search.ts";
import type { Snapshot } from "../ports/store.ts";
import type { WeightedTerm } from "../text/terms.ts";
import { isLongTurn, nextTurn } from "./pace.ts";
import { type Place, shape, shapeDefinition } from "./shape.ts";

/** Plain data: whoever holds the same publication can show it. */
export interface Found extends Omit<SearchAnswer, "hits" | "joins"> {
  /** Of the view that was searched. */
  readonly generation: number;
  readonly terms: readonly WeightedTerm[];
  readonly places: readonly FoundPlace[];
}

interface FoundPlace extends Place {
  readonly parts: readonly ScorePart[];
  /** A definition whose source nobody wants. */
  readonly byName: boolean;
}

export async function show(
  { generation, terms, places, ...told }: Found,
  at: Snapshot,
  ids: IdSource,
): Promise<SearchAnswer> {
  const opened: Promise<Hit>[] = [];
  // Started one after the other and awaited together: a store that is asked over a network fetches them in one go.
  for (const place of places) {
    const { parts, byName } = place;
    const hit = byName ? shapeDefinition(place, at, ids, parts) : shape(place, at, ids, { terms, parts });
    // Whoever fails while another is awaited is still heard below.
    hit.catch(() => {});
    opened.push(hit);
    if (isLongTurn()) await nextTurn();
  }
  const hits = await Promise.all(opened);
  const snippets = hits.filter(({ type }) => type === "snippet");
  const joined = snippets.filter(({ symbol }) => symbol !== undefined).length;
  return { ...told, hits, joins: { hits: joined, misses: snippets.length - joined } };
}
