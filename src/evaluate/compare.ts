/** Whether results got worse than a saved run. Latency is not compared: machines differ. */
import { CompassError } from "../model/errors.ts";
import type { Means, Metric, Summary } from "./summary.ts";

/** What `eval --save` writes. */
export interface Baseline {
  readonly version: 1;
  readonly suite: string;
  readonly summary: Summary;
}

export interface Regression {
  /** `all`, or `category semantic`. */
  readonly where: string;
  readonly metric: Metric;
  readonly before: number;
  readonly now: number;
}

const COMPARED: readonly Metric[] = ["ndcg", "mrr", "hit10", "recall"];
/** A category holds fewer questions, so that it moves more by chance. */
const CATEGORY_SLACK = 2;

export function parseBaseline(text: string, file: string): Baseline {
  const found = readJson(text) as Partial<Baseline> | undefined;
  if (found?.version !== 1 || found.summary?.all === undefined) {
    throw new CompassError("invalid_input", { reason: `${file} is not a run saved by eval --save` });
  }
  return found as Baseline;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function regressions(before: Summary, now: Summary, tolerance: number): Regression[] {
  const found = worse("all", before.all, now.all, tolerance);
  for (const [category, means] of Object.entries(before.byCategory)) {
    const today = now.byCategory[category];
    if (today !== undefined) found.push(...worse(`category ${category}`, means, today, tolerance * CATEGORY_SLACK));
  }
  return found;
}

function worse(where: string, before: Means, now: Means, tolerance: number): Regression[] {
  return COMPARED.filter((metric) => now[metric] < before[metric] - tolerance).map((metric) => ({
    where,
    metric,
    before: before[metric],
    now: now[metric],
  }));
}
