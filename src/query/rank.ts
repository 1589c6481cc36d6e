/** Scores a pool by the factors and sorts it by total. The order does not depend on the limit. */
import type { ScorePart } from "../model/search.ts";
import type { Factor, Pool, RankingCandidate } from "./candidate.ts";
import { FACTORS, SCALINGS } from "./factors/index.ts";
import type { LiteralRank } from "./literal.ts";

export interface Ranked {
  readonly candidate: RankingCandidate;
  readonly total: number;
  /** Better results of the same file. */
  readonly behind: number;
  /** The total before saturation, where it can change. */
  readonly unsaturated?: number;
  /** Defines what the whole question names: saturates less. */
  readonly isNamed?: true;
  /** The chunk whose evidence the total is: the best of the file, where another chunk of it is the better answer. */
  readonly scoredAs?: RankingCandidate;
  /** Part of the total: what the result gains or loses by where the query's literal and its relevance place it. */
  readonly placement?: number;
}

export function rank(pool: Pool): Ranked[] {
  const ofFiles = pool.totals?.ofFiles ?? new Map<string, number>();
  const judged = pool.candidates.map((candidate): Ranked => {
    return { candidate, total: totalOf(candidate, pool, ofFiles), behind: 0 };
  });
  return placed(definitionsFirst(saturate(judged.sort(orderOf(pool))), pool), pool).sort(byTotal);
}

/** The best chunk of each file by its own evidence, without what a file's best chunk gains. */
export function bestChunks(pool: Pool): Set<RankingCandidate> {
  const alone = { ...pool, leaders: NO_LEADERS };
  const compare = orderOf(pool);
  const ofFiles = pool.totals?.ofFiles ?? new Map<string, number>();
  const best = new Map<string, Ranked>();
  for (const candidate of pool.candidates) {
    if (candidate.type !== "snippet" || candidate.retriever === "pasted") continue;
    const it: Ranked = { candidate, total: totalOf(candidate, alone, ofFiles), behind: 0 };
    const known = best.get(candidate.file.path);
    if (known === undefined || compare(it, known) < 0) best.set(candidate.file.path, it);
  }
  return new Set(Array.from(best.values(), ({ candidate }) => candidate));
}

const NO_LEADERS: Pool["leaders"] = new Set();

function orderOf({ literal }: Pool): (a: Ranked, b: Ranked) => number {
  return literal === "whole" ? byBand : byTotal;
}

/** A pool that is ranked again has its totals: only what was opened since, or became the best of its file, is judged again. */
function totalOf(candidate: RankingCandidate, pool: Pool, ofFiles: Map<string, number>): number {
  if (pool.totals === undefined) return judge(candidate, pool, ofFiles);
  const known = pool.totals[pool.leaders.has(candidate) ? "leading" : "others"];
  let total = known.get(candidate);
  if (total === undefined) {
    total = judge(candidate, pool, ofFiles);
    known.set(candidate, total);
  }
  return total;
}

const OF_FILE = FACTORS.filter(({ ofFile }) => ofFile);
const OF_CANDIDATE = FACTORS.filter(({ ofFile }) => !ofFile);

/** The place is certain, so it is not compared with the query: 5.4 to 6, above what all factors together give in practice. */
const PASTED_WEIGHT = 6;

function pastedPart({ strength, how = "" }: RankingCandidate): ScorePart {
  return { factor: "pasted_place", value: round(PASTED_WEIGHT * strength), cap: PASTED_WEIGHT, reason: how };
}

function judge(candidate: RankingCandidate, pool: Pool, ofFiles: Map<string, number>): number {
  if (candidate.retriever === "pasted") return pastedPart(candidate).value;
  let ofFile = ofFiles.get(candidate.file.path);
  if (ofFile === undefined) {
    ofFile = sum(OF_FILE, candidate, pool);
    ofFiles.set(candidate.file.path, ofFile);
  }
  let total = round(ofFile + sum(OF_CANDIDATE, candidate, pool));
  for (const scaling of SCALINGS) total = round(total + scaledBy(scaling.scale(candidate, pool), total));
  return total;
}

function sum(factors: readonly Factor[], candidate: RankingCandidate, pool: Pool): number {
  let total = 0;
  for (const factor of factors) total += round(factor.value(candidate, pool));
  return total;
}

function scaledBy(scale: number, total: number): number {
  return round(total * (scale - 1));
}

/** What is left of the k-th further snippet of a file, and of a further definition in it. */
const SNIPPET_LEFT = 0.4;
const DEFINITION_LEFT = 0.95;
const NAMED_LEFT = 0.8;

/** Ten chunks of one file answer less than ten files. */
function saturate(ranked: readonly Ranked[]): Ranked[] {
  const before = new Map<string, number>();
  return ranked.map(({ candidate, total }) => {
    const behind = before.get(candidate.file.path) ?? 0;
    before.set(candidate.file.path, behind + 1);
    return { candidate, total: round(total + saturation(candidate, behind, total)), behind, unsaturated: total };
  });
}

function saturation({ type, retriever }: RankingCandidate, behind: number, total: number, isNamed = false): number {
  if (retriever === "pasted") return 0;
  const left = (type === "symbol" ? DEFINITION_LEFT : isNamed ? NAMED_LEFT : SNIPPET_LEFT) ** behind;
  return round(Math.max(0, total) * (left - 1));
}

/** A definition that the question names is an answer of its own, though its file has a better one. */
export function liftNamed(ranked: readonly Ranked[], named: ReadonlySet<RankingCandidate>): Ranked[] {
  const lifted = ranked.map((it): Ranked => {
    const { candidate, scoredAs = candidate, behind, unsaturated, placement } = it;
    if (behind === 0 || unsaturated === undefined || placement !== undefined || !named.has(candidate)) return it;
    const total = round(unsaturated + saturation(scoredAs, behind, unsaturated, true));
    return { ...it, total, isNamed: true };
  });
  return lifted.sort(byTotal);
}

/** With a literal query, totals lie in bands of height 1: definitions, then what contains it, then the rest. */
const BANDS: Readonly<Record<LiteralRank, number>> = { defines: 3, names: 3, contains: 2, folded: 1, none: 0 };

function bandOf({ candidate }: Ranked): number {
  return BANDS[candidate.literal ?? "none"];
}

function byBand(a: Ranked, b: Ranked): number {
  return bandOf(b) - bandOf(a) || byTotal(a, b);
}

/** Bands do not depend on the pool, so that results of several workspaces can be merged. */
function placed(ranked: Ranked[], pool: Pool): Ranked[] {
  if (pool.literal === "whole") return ranked.map((it) => (isPasted(it) ? it : moved(it, bandTotal(it))));
  if (pool.literal === "named") return namedFirst(ranked);
  return pool.relevance === 1 ? ranked : ranked.map((it) => moved(it, it.total * pool.relevance));
}

/** A pasted place is certain: it stays above every band. */
function isPasted({ candidate }: Ranked): boolean {
  return candidate.retriever === "pasted";
}

function bandTotal(it: Ranked): number {
  return bandOf(it) + belowOne(it.total);
}

function belowOne(total: number): number {
  const height = Math.max(0, total);
  return height / (1 + height);
}

/** The chunk that defines what a sentence names takes the place of its file's best chunk. */
function definitionsFirst(ranked: Ranked[], { literal }: Pool): Ranked[] {
  if (literal !== "named") return ranked;
  const answers = new Map<string, RankingCandidate[]>();
  for (const { candidate } of ranked) {
    const { type, file } = candidate;
    if (type === "snippet" && candidate.literal === "defines" && !answers.has(file.path))
      answers.set(file.path, [candidate]);
  }
  return answersFirst(ranked, answers);
}

/** Shows the chunks of a file in this order, others after them: a file's rank is its evidence, its lines are the answer. */
export function answersFirst(ranked: Ranked[], answers: ReadonlyMap<string, readonly RankingCandidate[]>): Ranked[] {
  const places = new Map<string, number[]>();
  for (const [i, { candidate }] of ranked.entries()) {
    const { type, file, retriever } = candidate;
    if (type !== "snippet" || retriever === "pasted" || !answers.has(file.path)) continue;
    const known = places.get(file.path);
    if (known) known.push(i);
    else places.set(file.path, [i]);
  }
  const ordered = [...ranked];
  for (const [path, at] of places) {
    const order = new Set(answers.get(path)!);
    for (const i of at) order.add(ranked[i]!.candidate);
    for (const [k, candidate] of [...order].entries()) ordered[at[k]!] = shownAs(ranked[at[k]!]!, candidate);
  }
  return ordered;
}

function shownAs(ranked: Ranked, candidate: RankingCandidate): Ranked {
  if (candidate === ranked.candidate) return ranked;
  return { ...ranked, candidate, scoredAs: ranked.scoredAs ?? ranked.candidate };
}

/** The definitions that a sentence names are among the first results, in the order of their totals. */
function namedFirst(ranked: readonly Ranked[]): Ranked[] {
  const isNamed = ({ candidate }: Ranked) => candidate.literal === "defines";
  const others = ranked.filter((it) => !isNamed(it) && !isPasted(it)).sort(byTotal);
  const named = ranked.filter(isNamed).length;
  const bar = others[Math.max(0, NAMED_WITHIN - named)]?.total ?? 0;
  return ranked.map((it) => (isNamed(it) && it.total <= bar ? moved(it, bar + NAMED_LEAD * belowOne(it.total)) : it));
}

/** A sentence that names a definition may be about its callers: it is among the first three, not always the first. */
const NAMED_WITHIN = 3;
const NAMED_LEAD = 0.01;

function moved(it: Ranked, total: number): Ranked {
  return { ...it, total: round(total), placement: round(total - it.total) };
}

function placementPart({ candidate }: Ranked, { literal, relevance }: Pool): { factor: string; reason: string } {
  if (literal === undefined)
    return { factor: "relevance", reason: `the closest result answers ${Math.round(100 * relevance)} % of the query` };
  return { factor: "literal", reason: LITERAL_REASONS[candidate.literal ?? "none"] };
}

const LITERAL_REASONS: Readonly<Record<LiteralRank, string>> = {
  defines: "defines what the query names",
  names: "contains the query, and its file is named so",
  contains: "contains the query word for word",
  folded: "contains the query in another case, or was not compared",
  none: "does not contain the query word for word",
};

/** How a result of the pool came by its total: the parts add up to it. */
export function explainParts(ranked: Ranked, pool: Pool): ScorePart[] {
  const { behind, placement, isNamed } = ranked;
  const candidate = ranked.scoredAs ?? ranked.candidate;
  if (candidate.retriever === "pasted") return [pastedPart(candidate)];
  const parts: ScorePart[] = FACTORS.map(({ name, cap, ...factor }) => ({
    factor: name,
    value: round(factor.value(candidate, pool)),
    reason: factor.reason(candidate, pool),
    ...(cap !== undefined && { cap }),
  }));
  let total = round(parts.reduce((sum, { value }) => sum + value, 0));
  const add = (factor: string, value: number, reason: string) => {
    parts.push({ factor, value, reason });
    total = round(total + value);
  };
  for (const scaling of SCALINGS) {
    add(scaling.name, scaledBy(scaling.scale(candidate, pool), total), scaling.reason(candidate, pool));
  }
  const reason = behind === 0 ? "the file's first result" : `${behind} better results of this file`;
  add("saturation", saturation(candidate, behind, total, isNamed), reason);
  if (placement !== undefined) {
    const { factor, reason } = placementPart(ranked, pool);
    add(factor, placement, reason);
  }
  return parts;
}

/** Totals first; equal ones by path, then by place in the file, definitions before text. */
export function byTotal(a: Ranked, b: Ranked): number {
  if (a.total !== b.total) return b.total - a.total;
  const x = a.candidate;
  const y = b.candidate;
  if (x.file.path !== y.file.path) return x.file.path < y.file.path ? -1 : 1;
  return TYPES.indexOf(x.type) - TYPES.indexOf(y.type) || x.at - y.at;
}

const TYPES = ["file", "symbol", "snippet"];

/** Six decimals: what is shown adds up to what was compared. */
function round(value: number): number {
  return Math.round(value * 1e6) / 1e6 + 0;
}
