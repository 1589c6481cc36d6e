/** Summary of many measures (the mean over repositories of each repository's mean), and its comparison with a saved run. */
import { CompassError } from "../model/errors.ts";
import type { Measure } from "./measure.ts";
import type { ExpectedTarget } from "./suite.ts";

export interface EvaluationRow {
  readonly repo: string;
  readonly language: string;
  readonly category: string;
  readonly query: string;
  readonly targets: readonly ExpectedTarget[];
  readonly measure: Measure;
  readonly milliseconds: number;
}

export type MeanMeasures = Measure & { readonly queries: number };

export interface Summary {
  readonly all: MeanMeasures;
  readonly byCategory: Readonly<Record<string, MeanMeasures>>;
  readonly byLanguage: Readonly<Record<string, MeanMeasures>>;
  readonly byRepo: Readonly<Record<string, MeanMeasures>>;
  readonly latency: { readonly p50: number; readonly p95: number; readonly max: number };
}

const METRICS = ["ndcg", "mrr", "hit1", "hit5", "hit10", "recall", "tokens"] as const;
type Metric = (typeof METRICS)[number];

export function summarise(rows: readonly EvaluationRow[]): Summary {
  return {
    all: averageByRepo(rows),
    byCategory: grouped(rows, (row) => row.category),
    byLanguage: grouped(rows, (row) => row.language),
    byRepo: grouped(rows, (row) => row.repo),
    latency: latencyPercentiles(rows),
  };
}

function grouped(rows: readonly EvaluationRow[], keyOf: (row: EvaluationRow) => string): Record<string, MeanMeasures> {
  const groups = Object.groupBy(rows, keyOf);
  const names = Object.keys(groups).sort();
  return Object.fromEntries(names.map((name) => [name, averageByRepo(groups[name]!)]));
}

function averageByRepo(rows: readonly EvaluationRow[]): MeanMeasures {
  const repos = Object.values(Object.groupBy(rows, (row) => row.repo)) as EvaluationRow[][];
  const mean = (metric: Metric) => average(repos.map((some) => average(some.map(({ measure }) => measure[metric]))));
  const means = Object.fromEntries(METRICS.map((metric) => [metric, rounded(mean(metric))]));
  return { ...(means as unknown as Measure), queries: rows.length };
}

function latencyPercentiles(rows: readonly EvaluationRow[]): Summary["latency"] {
  const times = rows.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
  const at = (share: number) => rounded(times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? 0);
  return { p50: at(0.5), p95: at(0.95), max: at(1) };
}

function average(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function rounded(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}

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
/** A category has fewer queries, so it varies more by chance. */
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

function worse(where: string, before: MeanMeasures, now: MeanMeasures, tolerance: number): Regression[] {
  return COMPARED.filter((metric) => now[metric] < before[metric] - tolerance).map((metric) => ({
    where,
    metric,
    before: before[metric],
    now: now[metric],
  }));
}
