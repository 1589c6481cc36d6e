/** Scores a pool by the factors and sorts it by total. The order does not depend on the limit. */
import type { ScorePart } from "../model/search.ts";
import type { Factor, Pool, RankingCandidate } from "./candidate.ts";
import { FACTORS, SCALINGS } from "./factors/index.ts";

export interface Ranked {
  readonly candidate: RankingCandidate;
  readonly total: number;
  /** Better results of the same file. */
  readonly behind: number;
}

export function rank(pool: Pool): Ranked[] {
  const ofFiles = new Map<string, number>();
  const judged = pool.candidates.map((candidate) => ({ candidate, total: judge(candidate, pool, ofFiles), behind: 0 }));
  return saturate(judged.sort(byTotal)).sort(byTotal);
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

/** Ten chunks of one file answer less than ten files. */
function saturate(ranked: readonly Ranked[]): Ranked[] {
  const before = new Map<string, number>();
  return ranked.map(({ candidate, total }) => {
    const behind = before.get(candidate.file.path) ?? 0;
    before.set(candidate.file.path, behind + 1);
    return { candidate, total: round(total + saturation(candidate, behind, total)), behind };
  });
}

function saturation({ type, retriever }: RankingCandidate, behind: number, total: number): number {
  if (retriever === "pasted") return 0;
  const left = (type === "symbol" ? DEFINITION_LEFT : SNIPPET_LEFT) ** behind;
  return round(Math.max(0, total) * (left - 1));
}

/** How a result of the pool came by its total: the parts add up to it. */
export function explainParts({ candidate, behind }: Ranked, pool: Pool): ScorePart[] {
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
  add("saturation", saturation(candidate, behind, total), reason);
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
