/** Measures of many questions, put together: the mean over repositories of each repository's mean. */
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

export type Means = Measure & { readonly queries: number };

export interface Summary {
  readonly all: Means;
  readonly byCategory: Readonly<Record<string, Means>>;
  readonly byLanguage: Readonly<Record<string, Means>>;
  readonly byRepo: Readonly<Record<string, Means>>;
  readonly latency: { readonly p50: number; readonly p95: number; readonly max: number };
}

const METRICS = ["ndcg", "mrr", "hit1", "hit5", "hit10", "recall", "tokens"] as const;
export type Metric = (typeof METRICS)[number];

export function summarise(rows: readonly EvaluationRow[]): Summary {
  return {
    all: averageByRepo(rows),
    byCategory: grouped(rows, (row) => row.category),
    byLanguage: grouped(rows, (row) => row.language),
    byRepo: grouped(rows, (row) => row.repo),
    latency: latencyPercentiles(rows),
  };
}

function grouped(rows: readonly EvaluationRow[], keyOf: (row: EvaluationRow) => string): Record<string, Means> {
  const groups = Object.groupBy(rows, keyOf);
  const names = Object.keys(groups).sort();
  return Object.fromEntries(names.map((name) => [name, averageByRepo(groups[name]!)]));
}

function averageByRepo(rows: readonly EvaluationRow[]): Means {
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
