/** How good one answer is. The metric of the public benchmark: binary gain, a target counts at the first result that covers it. */
import type { ExpectedTarget, SuiteQuery } from "./suite.ts";

/** A result as far as measuring cares. */
export interface MeasuredResult {
  readonly path: string;
  readonly lineStart: number;
  readonly lineEnd: number;
  /** What reading it costs. */
  readonly tokens: number;
}

export interface Measure {
  readonly ndcg: number;
  /** 1 / rank of the first right result. */
  readonly mrr: number;
  readonly hit1: number;
  readonly hit5: number;
  readonly hit10: number;
  readonly recall: number;
  /** Read from the top until the first right result is read; all of them when none is right. */
  readonly tokens: number;
}

export const DEPTH = 10;

export function measure(task: SuiteQuery, results: readonly MeasuredResult[]): Measure {
  const shown = results.slice(0, DEPTH);
  const ranks = task.targets.map((target) => shown.findIndex((result) => covers(result, target)));
  const found = ranks.filter((rank) => rank >= 0);
  const first = found.length === 0 ? undefined : Math.min(...found);
  return {
    ndcg: gain(new Set(found)) / (ideal(task.targets.length) || 1),
    mrr: first === undefined ? 0 : 1 / (first + 1),
    hit1: within(first, 1),
    hit5: within(first, 5),
    hit10: within(first, 10),
    recall: task.targets.length === 0 ? 0 : found.length / task.targets.length,
    tokens: shown.slice(0, (first ?? DEPTH) + 1).reduce((sum, { tokens }) => sum + tokens, 0),
  };
}

function covers(result: MeasuredResult, { path, lines }: ExpectedTarget): boolean {
  if (!isSamePath(result.path, path)) return false;
  return lines === undefined || (result.lineEnd >= lines.start && result.lineStart <= lines.end);
}

/** Targets are written from the checkout, results from the indexed root, or the other way round. */
function isSamePath(one: string, other: string): boolean {
  return one === other || one.endsWith(`/${other}`) || other.endsWith(`/${one}`);
}

function gain(ranks: ReadonlySet<number>): number {
  let sum = 0;
  for (const rank of ranks) sum += 1 / Math.log2(rank + 2);
  return sum;
}

function ideal(targets: number): number {
  return gain(new Set(Array.from({ length: Math.min(DEPTH, targets) }, (_, rank) => rank)));
}

function within(first: number | undefined, depth: number): number {
  return first !== undefined && first < depth ? 1 : 0;
}
