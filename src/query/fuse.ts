/** One pool out of the retrievers' lists, with what the factors need to know of it as a whole. */
import { stem } from "../text/identifiers.ts";
import type { Pool, RankingCandidate } from "./candidate.ts";
import { pathShare } from "./factors/file.ts";
import type { QueryMentions } from "./mentions.ts";
import type { ParsedQuery } from "./parsed-query.ts";
import { poolRelevance } from "./relevance.ts";
import type { RetrievedCandidates } from "./retrieve.ts";

export function fuse(question: ParsedQuery, lists: RetrievedCandidates): Pool {
  const texts = lists.text.candidates;
  // A path query that matches files needs no text matches of words such as `src` and `rs`.
  const isPlace = lists.files.length > 0;
  const similarity = chunkSimilarity(texts);
  return {
    question: isPlace ? { ...question, words: [] } : question,
    candidates: [...lists.symbols, ...lists.files, ...texts],
    coherence: fileCoherence(question, texts),
    leaders: isPlace ? new Set() : bestPerFile(texts, lists.mentions, similarity),
    wordWeights: isPlace ? [] : wordWeights(question, lists.text.termGains),
    mentions: lists.mentions,
    templates: lists.templates,
    similarity,
    fileSimilarity: fileSimilarity(question, lists.meaning.files),
    ...(lists.literal && { literal: lists.literal }),
    isAbsent: lists.isAbsent === true,
    relevance: poolRelevance(question, lists),
    files: new Set(texts.map(({ file }) => file.path)),
  };
}

/** Shares are computed after path-class scaling, so that a test that repeats a word does not dwarf other files. */
function fileCoherence(question: ParsedQuery, texts: readonly RankingCandidate[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { file, bm25 } of texts) sums.set(file.path, (sums.get(file.path) ?? 0) + bm25);
  let most = 0;
  sums.forEach((sum, path) => {
    most = Math.max(most, sum * pathShare(path, question.requestedClasses));
  });
  sums.forEach((sum, path) => {
    sums.set(path, most === 0 ? 0 : Math.min(1, sum / most));
  });
  return sums;
}

const SIMILARITY_STATUS = 0.3;

/** Prefers a chunk that defines a mentioned name to one that repeats the words. */
function bestPerFile(
  texts: readonly RankingCandidate[],
  mentions: QueryMentions,
  similarity: Pool["similarity"],
): Set<RankingCandidate> {
  const rank = (it: RankingCandidate) =>
    it.strength + (mentions.get(it.file.path)?.get(it.at)?.weight ?? 0) + SIMILARITY_STATUS * (similarity.get(it) ?? 0);
  const leaders = new Map<string, RankingCandidate>();
  for (const it of texts) {
    const leader = leaders.get(it.file.path);
    if (leader === undefined || rank(it) > rank(leader)) leaders.set(it.file.path, it);
  }
  return new Set(leaders.values());
}

/** Words that no chunk holds still count a little, so that a path with only them is not a perfect match. */
const UNKNOWN_WORD = 0.01;

/** The largest gain of a word's terms approximates its inverse frequency without another index lookup. */
function wordWeights({ words, terms }: ParsedQuery, gains: readonly number[]): number[] {
  const byStem = new Map<string, number>();
  for (const [i, { term }] of terms.entries()) {
    const root = stem(term);
    byStem.set(root, Math.max(byStem.get(root) ?? 0, gains[i] ?? 0));
  }
  return words.map((word) => Math.max(UNKNOWN_WORD, byStem.get(word) ?? 0));
}

/** 0 at the pool's median and below, 1 at its best. */
function chunkSimilarity(texts: readonly RankingCandidate[]): Map<RankingCandidate, number> {
  const compared = texts.filter((it) => it.cosine !== undefined);
  const heights = Float64Array.from(compared, (it) => it.cosine!).sort();
  const usual = middle(heights);
  const best = heights.at(-1) ?? 0;
  const shares = new Map<RankingCandidate, number>();
  for (const it of compared) shares.set(it, best > usual ? clip((it.cosine! - usual) / (best - usual)) : 0);
  return shares;
}

/** Shares of the closest file, after path-class scaling for the same reason as above. */
function fileSimilarity(question: ParsedQuery, files: ReadonlyMap<string, number>): Map<string, number> {
  const usual = middle(Float64Array.from(files.values()).sort());
  let most = 0;
  files.forEach((height, path) => {
    most = Math.max(most, (height - usual) * pathShare(path, question.requestedClasses));
  });
  const shares = new Map<string, number>();
  files.forEach((height, path) => {
    shares.set(path, most > 0 ? clip((height - usual) / most) : 0);
  });
  return shares;
}

function middle(sorted: Float64Array): number {
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function clip(share: number): number {
  return Math.min(1, Math.max(0, share));
}
