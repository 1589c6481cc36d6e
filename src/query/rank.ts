/** Judges a pool by the factors and orders it by total. The same pool gives the same order, whatever is asked to be shown. */
import type { ScorePart } from "../model/search.ts";
import type { Candidate, Pool } from "./candidate.ts";
import { FACTORS, SCALINGS } from "./factors/index.ts";

export interface Ranked {
  readonly candidate: Candidate;
  readonly total: number;
  readonly parts: readonly ScorePart[];
}

export function rank(pool: Pool): Ranked[] {
  const judged = pool.candidates.map((candidate) => judge(candidate, pool));
  return saturate(judged.sort(byTotal)).sort(byTotal);
}

function judge(candidate: Candidate, pool: Pool): Ranked {
  const parts: ScorePart[] = FACTORS.map((factor) => {
    const { value, reason } = factor.judge(candidate, pool);
    return { factor: factor.name, value: round(value), reason, ...(factor.cap !== undefined && { cap: factor.cap }) };
  });
  let total = sum(parts);
  for (const scaling of SCALINGS) {
    const { factor, reason } = scaling.scale(candidate, pool);
    const value = round(total * (factor - 1));
    parts.push({ factor: scaling.name, value, reason });
    total = round(total + value);
  }
  return { candidate, total, parts };
}

/** What is left of the k-th further snippet of a file, and of a further definition in it. */
const SNIPPET_LEFT = 0.4;
const DEFINITION_LEFT = 0.95;

/** Ten chunks of one file answer less than ten files. */
function saturate(ranked: readonly Ranked[]): Ranked[] {
  const before = new Map<string, number>();
  return ranked.map((it) => {
    const { file, type } = it.candidate;
    const count = before.get(file.path) ?? 0;
    before.set(file.path, count + 1);
    const left = (type === "symbol" ? DEFINITION_LEFT : SNIPPET_LEFT) ** count;
    const value = round(Math.max(0, it.total) * (left - 1));
    const reason = count === 0 ? "the file's first result" : `${count} better results of this file`;
    return { ...it, total: round(it.total + value), parts: [...it.parts, { factor: "saturation", value, reason }] };
  });
}

/** Totals first; equal ones by path, then by place in the file, definitions before text. */
export function byTotal(a: Ranked, b: Ranked): number {
  if (a.total !== b.total) return b.total - a.total;
  const [x, y] = [a.candidate, b.candidate];
  if (x.file.path !== y.file.path) return x.file.path < y.file.path ? -1 : 1;
  return TYPES.indexOf(x.type) - TYPES.indexOf(y.type) || x.at - y.at;
}

const TYPES = ["file", "symbol", "snippet"];

/** Six decimals: what is shown adds up to what was compared. */
function round(value: number): number {
  return Math.round(value * 1e6) / 1e6 + 0;
}

function sum(parts: readonly ScorePart[]): number {
  return round(parts.reduce((all, { value }) => all + value, 0));
}
