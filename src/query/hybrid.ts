/**
 * Words and meaning together: the order is the one ranker's, as in `search`. The score is that of reciprocal rank
 * fusion, so that a threshold means what callers of the family expect.
 */
import type { IdSource } from "../model/ids.ts";
import type { SemanticAnswer, SemanticRequest } from "../model/search.ts";
import type { Snapshot } from "../ports/snapshot.ts";
import type { Candidate } from "./candidate.ts";
import { pageOf, totalOf } from "./page.ts";
import type { Ranked } from "./rank.ts";
import { byWordsOnly, UNKNOWN_WORDS } from "./retrievers/meaning.ts";
import { rankAll, type SearchOptions } from "./search.ts";

/** 2 / 41 is the best score there is, and 0.02 takes the first ten of one list and the first sixty of both. */
const RRF_CONSTANT = 40;

export async function hybrid(
  ask: SemanticRequest,
  at: Snapshot,
  ids: IdSource,
  options: SearchOptions,
): Promise<SemanticAnswer> {
  const { ranked, completeness, least, ...told } = await rankAll(ask, at, options);
  const notes = told.unknownWords ? [byWordsOnly(UNKNOWN_WORDS)] : told.notes;
  const scores = fusedScores(ranked, least);
  const kept = scores.filter((score) => score >= ask.threshold).length;
  const end = Math.min(kept, ask.offset + ask.limit, ask.topK ?? kept);
  const found = ranked.slice(ask.offset, end).map((it, i) => ({ ranked: it, score: scores[ask.offset + i]! }));
  const compared = ranked.some(({ candidate }) => candidate.likeness !== undefined);
  return {
    hits: await pageOf(found, ask, at, ids),
    total: totalOf(kept, ask),
    mode: compared || notes.length === 0 ? "hybrid" : "lexical",
    notes,
    completeness,
  };
}

/** By place in the ranking. No result scores less than one below it: the ranker knows more than the two lists. */
export function fusedScores(ranked: readonly Ranked[], least: number): number[] {
  const candidates = ranked.map(({ candidate }) => candidate);
  const lists = [ranksBy(candidates, wordStrength, 0), ranksBy(candidates, (it) => it.likeness ?? -2, least)];
  const asked = lists.filter((list) => list.size > 0);
  // One list alone speaks for both.
  const weight = 2 / Math.max(1, asked.length);
  const scores = candidates.map((it) =>
    asked.reduce((sum, list) => sum + (list.has(it) ? weight / (RRF_CONSTANT + list.get(it)!) : 0), 0),
  );
  for (let i = scores.length - 2; i >= 0; i--) scores[i] = Math.max(scores[i]!, scores[i + 1]!);
  return scores;
}

/** Definitions and files are found by name before any text. */
function wordStrength({ type, strength }: Candidate): number {
  return strength === 0 ? 0 : strength + (type === "snippet" ? 0 : 1);
}

/** From 1, of those above the bar; equal ones keep the ranking's order. */
function ranksBy(
  candidates: readonly Candidate[],
  height: (it: Candidate) => number,
  bar: number,
): Map<Candidate, number> {
  const above = candidates.filter((it) => height(it) > bar).toSorted((a, b) => height(b) - height(a));
  return new Map(above.map((it, i) => [it, i + 1]));
}
