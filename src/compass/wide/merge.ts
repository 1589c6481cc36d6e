/** One answer out of those of several workspaces. Results go by their totals; equal ones by workspace, path and line. */
import type { Hit, LocateAnswer, SearchAnswer } from "../../model/search.ts";
import { weighed } from "./weigh.ts";

export interface Part<T> {
  readonly workspace: string;
  readonly answer: T;
}

/** Undefined without parts. */
export function mergedSearch(parts: readonly Part<SearchAnswer>[], limit: number): SearchAnswer | undefined {
  const [first] = parts;
  if (first === undefined) return undefined;
  const answers = parts.map(({ answer }) => answer);
  return {
    intent: first.answer.intent,
    hits: mergedHits(weighed(parts), limit),
    totalCandidates: sum(answers, ({ totalCandidates }) => totalCandidates),
    suppressedDuplicates: sum(answers, ({ suppressedDuplicates }) => suppressedDuplicates),
    joins: { hits: sum(answers, ({ joins }) => joins.hits), misses: sum(answers, ({ joins }) => joins.misses) },
    completeness: answers.every(({ completeness }) => completeness === "complete") ? "complete" : "partial",
    notes: [...new Set(answers.flatMap(({ notes }) => notes))],
  };
}

/** A definition of the name is one wherever it stands. */
export function mergedLocate(parts: readonly Part<LocateAnswer>[], limit: number): LocateAnswer {
  return {
    hits: mergedHits(parts, limit),
    totalCandidates: sum(parts, ({ answer }) => answer.totalCandidates),
  };
}

function mergedHits(parts: readonly Part<{ readonly hits: readonly Hit[] }>[], limit: number): Hit[] {
  const all = parts.flatMap(({ workspace, answer }) =>
    answer.hits.map((hit): Hit & { workspace: string } => ({
      ...hit,
      workspace,
      ...(hit.symbol !== undefined && { symbol: { ...hit.symbol, workspace } }),
    })),
  );
  return all.sort(byTotal).slice(0, limit);
}

function byTotal(a: Hit & { workspace: string }, b: Hit & { workspace: string }): number {
  return b.total - a.total || order(a.workspace, b.workspace) || order(a.path, b.path) || a.lineStart - b.lineStart;
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function sum<T>(all: readonly T[], of: (one: T) => number): number {
  return all.reduce((total, one) => total + of(one), 0);
}
