/** classify → retrieve → fuse → rank → shape. */
import type { IdSource } from "../model/hits.ts";
import type { Hit, SearchAnswer, SearchAsk } from "../model/search.ts";
import type { Snapshot } from "../ports/store.ts";
import type { Pool } from "./candidate.ts";
import { distinct } from "./distinct.ts";
import { fuse } from "./fuse.ts";
import { type Question, understand } from "./question.ts";
import { partsOf, type Ranked, rank } from "./rank.ts";
import { retrieve } from "./retrieve.ts";
import type { AskMeaning } from "./retrievers/meaning.ts";
import { shape, shapeDefinition } from "./shape.ts";
import { openShortlist } from "./shortlist.ts";

export interface SearchOptions {
  readonly signal?: AbortSignal;
  /** Absent: words only. */
  readonly askMeaning?: AskMeaning;
}

export async function search(
  ask: SearchAsk,
  at: Snapshot,
  ids: IdSource,
  options: SearchOptions = {},
): Promise<SearchAnswer> {
  const { question, pool, ranked, suppressed, matched, completeness, notes } = await rankAll(ask, at, options);
  const { terms } = question;
  // All at once: a store that is asked over a network fetches what they need in one go.
  const hits: Hit[] = await Promise.all(
    ranked.slice(0, ask.limit).map((it) => {
      const isNamed = ask.brief && it.candidate.type === "symbol";
      const parts = ask.brief ? [] : partsOf(it, pool);
      return isNamed ? shapeDefinition(it, at, ids, parts) : shape(it, at, ids, { terms, parts });
    }),
  );
  const snippets = hits.filter(({ type }) => type === "snippet");
  const joined = snippets.filter(({ symbol }) => symbol !== undefined).length;
  return {
    intent: question.intent,
    hits,
    totalCandidates: Math.max(ranked.length, matched),
    suppressedDuplicates: suppressed,
    joins: { hits: joined, misses: snippets.length - joined },
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

export async function rankAll(ask: SearchAsk, at: Snapshot, { signal, askMeaning }: SearchOptions): Promise<RankedAll> {
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
