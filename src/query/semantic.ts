/** Chunks by likeness alone. Where no model can be asked, what the words find, and a note that says so. */
import type { IdSource } from "../model/ids.ts";
import type { SemanticAnswer, SemanticRequest } from "../model/search.ts";
import type { DenseCandidate } from "../ports/candidates.ts";
import type { Snapshot } from "../ports/snapshot.ts";
import { calibrated, likenessAt } from "./calibration.ts";
import { type Found, pageOf, totalOf } from "./page.ts";
import type { Ranked } from "./rank.ts";
import { byWordsOnly, type Meaning, UNKNOWN_WORDS, unembeddedNotes } from "./retrievers/meaning.ts";
import { scopeOf } from "./scope.ts";
import { rankAll, type SearchOptions } from "./search.ts";
import { scoreOf } from "./shape.ts";

export async function semantic(
  ask: SemanticRequest,
  at: Snapshot,
  ids: IdSource,
  options: SearchOptions,
): Promise<SemanticAnswer> {
  const meaning = await options.askMeaning?.(ask.query.trim());
  if (meaning === undefined) return lexical(ask, at, ids, options, options.askMeaning ? UNKNOWN_WORDS : SWITCHED_OFF);
  if ("unavailable" in meaning) return lexical(ask, at, ids, options, meaning.unavailable);
  return byLikeness(ask, meaning, at, ids, options);
}

const SWITCHED_OFF = "no embedding model is configured";

async function byLikeness(
  ask: SemanticRequest,
  { model, vector, least: cut }: Meaning,
  at: Snapshot,
  ids: IdSource,
  { signal }: SearchOptions,
): Promise<SemanticAnswer> {
  const limit = Math.min(ask.offset + ask.limit, ask.topK ?? Number.MAX_SAFE_INTEGER);
  const least = likenessAt(ask.threshold, cut);
  const page = await at.dense({ model, vector, limit, least, ...scopeOf(ask) }, signal ? { signal } : {});
  const found = page.candidates.slice(ask.offset).map((it) => foundBy(it, cut));
  return {
    hits: await pageOf(found, ask, at, ids),
    total: totalOf(page.matched, ask),
    mode: "semantic",
    notes: unembeddedNotes(page),
    completeness: page.embedded < page.chunks ? "partial" : "complete",
  };
}

function foundBy({ file, chunk, likeness }: DenseCandidate, cut: number | undefined): Found {
  const how = `likeness ${likeness.toFixed(3)}`;
  const candidate = {
    type: "snippet",
    retriever: "meaning",
    file,
    at: chunk,
    strength: 0,
    how,
    bm25: 0,
    likeness,
  } as const;
  return { ranked: { candidate, total: likeness, behind: 0 }, score: calibrated(likeness, cut) };
}

async function lexical(
  ask: SemanticRequest,
  at: Snapshot,
  ids: IdSource,
  { signal }: SearchOptions,
  why: string,
): Promise<SemanticAnswer> {
  const { ranked, completeness } = await rankAll(ask, at, signal ? { signal } : {});
  const found = ranked.map((it: Ranked) => ({ ranked: it, score: scoreOf(it.total) }));
  const kept = found.filter(({ score }) => score >= ask.threshold);
  return {
    hits: await pageOf(kept.slice(ask.offset, Math.min(ask.offset + ask.limit, ask.topK ?? kept.length)), ask, at, ids),
    total: totalOf(kept.length, ask),
    mode: "lexical",
    notes: [byWordsOnly(why)],
    completeness,
  };
}
