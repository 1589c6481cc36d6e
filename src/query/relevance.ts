/**
 * Whether the best of a pool answers the query at all. Totals compare candidates with each other; they do not say that one of them
 * is right.
 *
 * Measured on 12 repositories of the retrieval suite: none of its 205 questions falls below these bounds, and 140 of 144
 * questions about cakes, castles and black holes do.
 */
import type { Pool, RankingCandidate } from "./candidate.ts";
import type { ParsedQuery } from "./parsed-query.ts";
import type { Ranked } from "./rank.ts";
import type { RetrievedCandidates } from "./retrieve.ts";

/** A chunk with this share of the query's words is about the query. */
const WORDS_COVERED = 0.5;
/** Without a model, words alone decide, and a word may have a synonym. */
const WORDS_COVERED_ALONE = 0.34;
/** What is left of the totals of a pool that does not answer. */
const IRRELEVANT = 0.2;
const MAX_IRRELEVANT = 3;
/** Neighbours of a name that does not occur. */
const MAX_NEIGHBOURS = 5;

/** 1, or less if no candidate shares enough words with the query and none is close to it. */
export function poolRelevance(question: ParsedQuery, { text, meaning, symbols, files }: RetrievedCandidates): number {
  if (question.intent !== "natural_language" || symbols.length + files.length > 0) return 1;
  const cosines = text.candidates.flatMap(({ cosine }) => cosine ?? []);
  if (cosines.length === 0) return text.covered >= WORDS_COVERED_ALONE ? 1 : IRRELEVANT;
  const isClose = meaning.cut === undefined || cosines.some((cosine) => cosine >= meaning.cut!);
  return isClose || text.covered >= WORDS_COVERED ? 1 : IRRELEVANT;
}

/** Without the candidates that only rank because nothing answers. */
export function withoutIrrelevant(ranked: readonly Ranked[], pool: Pool): readonly Ranked[] {
  if (pool.relevance < 1) return ranked.slice(0, MAX_IRRELEVANT);
  if (pool.isAbsent !== true || pool.literal !== "whole") return ranked;
  const neighbours = ranked.filter(({ candidate }) => isNeighbour(candidate, pool));
  return pool.question.name === undefined ? neighbours : neighbours.slice(0, MAX_NEIGHBOURS);
}

function isNeighbour({ type, wordShare = 0 }: RankingCandidate, { question }: Pool): boolean {
  if (type !== "snippet") return true;
  return question.name === undefined ? wordShare >= WORDS_COVERED : wordShare > WORDS_COVERED;
}
