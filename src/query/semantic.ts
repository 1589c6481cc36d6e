/** semantic_search and hybrid_search. Without a model, semantic search falls back to words, with a note. */
import type { IdSource } from "../model/ids.ts";
import type { SemanticAnswer, SemanticHit, SemanticRequest } from "../model/search.ts";
import type { DenseCandidate } from "../ports/candidates.ts";
import type { Snapshot } from "../ports/snapshot.ts";
import { sliceLines } from "../text/lines.ts";
import { estimateTokens } from "../text/tokens.ts";
import { shape, toScore } from "./build-results.ts";
import { compileScope, type RankingCandidate } from "./candidate.ts";
import { parseQuery } from "./parsed-query.ts";
import type { Ranked } from "./rank.ts";
import { byWordsOnly, type QueryVector, UNKNOWN_WORDS, unembeddedNotes } from "./retrievers/meaning.ts";
import { rankAll, type SearchOptions } from "./search.ts";

export async function semantic(
  ask: SemanticRequest,
  at: Snapshot,
  ids: IdSource,
  options: SearchOptions,
): Promise<SemanticAnswer> {
  const meaning = await options.askMeaning?.(ask.query.trim());
  if (meaning === undefined) return lexical(ask, at, ids, options, options.askMeaning ? UNKNOWN_WORDS : SWITCHED_OFF);
  if ("unavailable" in meaning) return lexical(ask, at, ids, options, meaning.unavailable);
  return byCosine(ask, meaning, at, ids, options);
}

const SWITCHED_OFF = "no embedding model is configured";

async function byCosine(
  ask: SemanticRequest,
  { model, vector, least: cut }: QueryVector,
  at: Snapshot,
  ids: IdSource,
  { signal }: SearchOptions,
): Promise<SemanticAnswer> {
  const limit = Math.min(ask.offset + ask.limit, ask.topK ?? Number.MAX_SAFE_INTEGER);
  const least = cosineAt(ask.threshold, cut);
  const page = await at.dense({ model, vector, limit, least, ...compileScope(ask) }, signal ? { signal } : {});
  const found = page.candidates.slice(ask.offset).map((it) => foundBy(it, cut));
  return {
    hits: await buildPage(found, ask, at, ids),
    total: cappedTotal(page.matched, ask),
    mode: "semantic",
    notes: unembeddedNotes(page),
    completeness: page.embedded < page.chunks ? "partial" : "complete",
  };
}

function foundBy({ file, chunk, similarity: cosine }: DenseCandidate, cut: number | undefined): ScoredResult {
  const how = `similarity ${cosine.toFixed(3)}`;
  const candidate = {
    type: "snippet",
    retriever: "meaning",
    file,
    at: chunk,
    strength: 0,
    how,
    bm25: 0,
    cosine,
  } as const;
  return { ranked: { candidate, total: cosine, behind: 0 }, score: calibrated(cosine, cut) };
}

async function lexical(
  ask: SemanticRequest,
  at: Snapshot,
  ids: IdSource,
  { signal }: SearchOptions,
  why: string,
): Promise<SemanticAnswer> {
  const { ranked, completeness } = await rankAll(ask, at, signal ? { signal } : {});
  const found = ranked.map((it: Ranked) => ({ ranked: it, score: toScore(it.total) }));
  const kept = found.filter(({ score }) => score >= ask.threshold);
  return {
    hits: await buildPage(
      kept.slice(ask.offset, Math.min(ask.offset + ask.limit, ask.topK ?? kept.length)),
      ask,
      at,
      ids,
    ),
    total: cappedTotal(kept.length, ask),
    mode: "lexical",
    notes: [byWordsOnly(why)],
    completeness,
  };
}

/** 2 / 41 is the best score there is, and 0.02 takes the first ten of one list and the first sixty of both. */
const RRF_CONSTANT = 40;

export async function hybrid(
  ask: SemanticRequest,
  at: Snapshot,
  ids: IdSource,
  options: SearchOptions,
): Promise<SemanticAnswer> {
  const { ranked, completeness, least, ...rest } = await rankAll(ask, at, options);
  const notes = rest.unknownWords ? [byWordsOnly(UNKNOWN_WORDS)] : rest.notes;
  const scores = fusedScores(ranked, least);
  const kept = scores.filter((score) => score >= ask.threshold).length;
  const end = Math.min(kept, ask.offset + ask.limit, ask.topK ?? kept);
  const found = ranked.slice(ask.offset, end).map((it, i) => ({ ranked: it, score: scores[ask.offset + i]! }));
  const compared = ranked.some(({ candidate }) => candidate.cosine !== undefined);
  return {
    hits: await buildPage(found, ask, at, ids),
    total: cappedTotal(kept, ask),
    mode: compared || notes.length === 0 ? "hybrid" : "lexical",
    notes,
    completeness,
  };
}

/** By place in the ranking. No result scores less than one below it: the ranker knows more than the two lists. */
function fusedScores(ranked: readonly Ranked[], least: number): number[] {
  const candidates = ranked.map(({ candidate }) => candidate);
  const lists = [ranksBy(candidates, wordStrength, 0), ranksBy(candidates, (it) => it.cosine ?? -2, least)];
  const used = lists.filter((list) => list.size > 0);
  // With one list only, its ranks count twice.
  const weight = 2 / Math.max(1, used.length);
  const scores = candidates.map((it) =>
    used.reduce((sum, list) => sum + (list.has(it) ? weight / (RRF_CONSTANT + list.get(it)!) : 0), 0),
  );
  for (let i = scores.length - 2; i >= 0; i--) scores[i] = Math.max(scores[i]!, scores[i + 1]!);
  return scores;
}

/** Definitions and files are found by name before any text. */
function wordStrength({ type, strength }: RankingCandidate): number {
  return strength === 0 ? 0 : strength + (type === "snippet" ? 0 : 1);
}

/** From 1, of those above the bar; equal ones keep the ranking's order. */
function ranksBy(
  candidates: readonly RankingCandidate[],
  height: (it: RankingCandidate) => number,
  bar: number,
): Map<RankingCandidate, number> {
  const above = candidates.filter((it) => height(it) > bar).toSorted((a, b) => height(b) - height(a));
  return new Map(above.map((it, i) => [it, i + 1]));
}

/** Steps above the model's cut, measured with the built-in model: 0.7 and 0.8 are focused, 0.9 is hardly ever wrong. */
const STEPS = [
  [0, 0.6],
  [0.1, 0.7],
  [0.2, 0.8],
  [0.35, 0.92],
] as const;
/** A cosine of 0: nothing in common. */
const UNRELATED = 0.1;

/** Grows strictly from 0 to 1. Without a measured cut the cosine itself is the score. */
export function calibrated(cosine: number, cut: number | undefined): number {
  return between(cosine, cut === undefined ? AS_IT_IS : calibrationPoints(cut));
}

/** The cosine of this score. */
export function cosineAt(score: number, cut: number | undefined): number {
  const points = cut === undefined ? AS_IT_IS : calibrationPoints(cut);
  return between(
    score,
    points.map(([x, y]) => [y, x] as const),
  );
}

type Points = readonly (readonly [number, number])[];

const AS_IT_IS: Points = [
  [-1, 0],
  [0, 0.001],
  [1, 1],
];

function calibrationPoints(cut: number): Points {
  const above = STEPS.map(([step, score]) => [cut + step, score] as const).filter(([cosine]) => cosine < 1);
  return [[-1, 0], [0, UNRELATED], ...above, [1, 1]];
}

function between(x: number, points: Points): number {
  const last = points.length - 1;
  if (x <= points[0]![0]) return points[0]![1];
  const at = points.findIndex(([px]) => x <= px);
  if (at < 0) return points[last]![1];
  const [[x0, y0], [x1, y1]] = [points[at - 1]!, points[at]!];
  return y0 + ((x - x0) / (x1 - x0)) * (y1 - y0);
}

interface ScoredResult {
  readonly ranked: Ranked;
  readonly score: number;
}

async function buildPage(
  found: readonly ScoredResult[],
  ask: SemanticRequest,
  at: Snapshot,
  ids: IdSource,
): Promise<SemanticHit[]> {
  const { context } = ask;
  // A chunk is named after the definition with most of the query's words.
  const { terms } = parseQuery(ask);
  const hits: SemanticHit[] = [];
  for (const { ranked, score } of found) {
    const { path, language, lineStart, lineEnd, symbol, text } = await shape(ranked, at, ids, { terms });
    const around =
      context === 0
        ? text
        : sliceLines(await at.text(ranked.candidate.file), Math.max(1, lineStart - context), lineEnd + context);
    hits.push({
      path,
      language,
      lineStart,
      lineEnd,
      score: Math.round(score * 1e6) / 1e6,
      ...(symbol && { symbol }),
      text: around,
      tokens: estimateTokens(text),
    });
  }
  return hits;
}

function cappedTotal(matched: number, { topK }: SemanticRequest): number {
  return Math.min(matched, topK ?? matched);
}
