/** classify → retrieve → fuse → rank → show. */
import type { IdSource } from "../model/ids.ts";
import type { SearchAnswer, SearchRequest } from "../model/search.ts";
import type { Snapshot } from "../ports/snapshot.ts";
import type { Pool } from "./candidate.ts";
import { distinct } from "./deduplicate.ts";
import { fuse } from "./fuse.ts";
import { type Question, understand } from "./parsed-query.ts";
import { partsOf, type Ranked, rank } from "./rank.ts";
import { retrieve } from "./retrieve.ts";
import type { AskMeaning } from "./retrievers/meaning.ts";
import { openShortlist } from "./shortlist.ts";
import { type Found, show } from "./show.ts";

export interface SearchOptions {
  readonly signal?: AbortSignal;
  /** Absent: words only. */
  readonly askMeaning?: AskMeaning;
}

export async function search(
  ask: SearchRequest,
  at: Snapshot,
  ids: IdSource,
  options: SearchOptions = {},
): Promise<SearchAnswer> {
  return show(await find(ask, at, options), at, ids);
}

export async function find(ask: SearchRequest, at: Snapshot, options: SearchOptions): Promise<Found> {
  const { question, pool, ranked, suppressed, matched, completeness, notes } = await rankAll(ask, at, options);
  return {
    stateId: at.info.stateId,
    intent: question.intent,
    terms: question.terms,
    places: ranked.slice(0, ask.limit).map((it) => ({
      candidate: it.candidate,
      total: it.total,
      parts: ask.brief ? [] : partsOf(it, pool),
      byName: ask.brief === true && it.candidate.type === "symbol",
    })),
    totalCandidates: Math.max(ranked.length, matched),
    suppressedDuplicates: suppressed,
    completeness,
    notes,
  };
}

export interface RankedAll {
  readonly question: Question;
  readonly pool: Pool;
  /** Everything of the pool that is distinct, best first. Does not depend on the ask's limit. */
  readonly ranked: readonly Ranked[];
  readonly suppressed: number;
  readonly matched: number;
  readonly completeness: SearchAnswer["completeness"];
  /** The likeness from which a candidate counts as found by meaning. */
  readonly least: number;
  readonly notes: readonly string[];
  /** The model was asked and knows none of the words. */
  readonly unknownWords: boolean;
}

export async function rankAll(
  ask: SearchRequest,
  at: Snapshot,
  { signal, askMeaning }: SearchOptions,
): Promise<RankedAll> {
  const question = understand(ask);
  const limits = signal ? { signal } : {};
  const lists = await retrieve(question, ask, at, { limits, ...(askMeaning && { askMeaning }) });
  const pool = await openShortlist(distinct(fuse(question, lists)), at);
  return {
    question,
    pool,
    ranked: rank(pool),
    suppressed: lists.text.candidates.length + lists.symbols.length + lists.files.length - pool.candidates.length,
    matched: lists.matched,
    completeness: lists.text.completeness,
    least: lists.meaning.least,
    notes: lists.meaning.notes,
    unknownWords: lists.meaning.unknown === true,
  };
}
