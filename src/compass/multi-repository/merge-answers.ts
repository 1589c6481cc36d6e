/** One answer out of those of several workspaces. Results go by their totals; equal ones by workspace, path and line. */
import type {
  LocateAnswer,
  SearchAnswer,
  SearchHit,
  SemanticAnswer,
  SemanticHit,
  SemanticRequest,
} from "../../model/search.ts";
import { scaleScores } from "./score-scaling.ts";

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
    hits: mergedHits(scaleScores(parts), limit),
    totalCandidates: sum(answers, ({ totalCandidates }) => totalCandidates),
    suppressedDuplicates: sum(answers, ({ suppressedDuplicates }) => suppressedDuplicates),
    joins: { hits: sum(answers, ({ joins }) => joins.hits), misses: sum(answers, ({ joins }) => joins.misses) },
    completeness: completenessOf(answers),
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

/** Vectors of one model: a likeness means the same in every workspace. */
export function mergedMeaning(parts: readonly Part<SemanticAnswer>[], ask: SemanticRequest): SemanticAnswer {
  const answers = parts.map(({ answer }) => answer);
  const hits = parts
    .flatMap(({ workspace, answer }) =>
      answer.hits.map((hit): SemanticHit & { workspace: string } => ({ ...hit, workspace })),
    )
    .sort((a, b) => b.score - a.score || byPlace(a, b));
  const most = ask.topK ?? Number.POSITIVE_INFINITY;
  return {
    hits: hits.slice(ask.offset, Math.min(ask.offset + ask.limit, most)),
    total: Math.min(
      sum(answers, ({ total }) => total),
      most,
    ),
    mode: answers.some(({ mode }) => mode === "lexical") ? "lexical" : "semantic",
    notes: [...new Set(answers.flatMap(({ notes }) => notes))],
    completeness: completenessOf(answers),
  };
}

function completenessOf(answers: readonly { readonly completeness: "complete" | "partial" }[]): "complete" | "partial" {
  return answers.every(({ completeness }) => completeness === "complete") ? "complete" : "partial";
}

function mergedHits(parts: readonly Part<{ readonly hits: readonly SearchHit[] }>[], limit: number): SearchHit[] {
  const all = parts.flatMap(({ workspace, answer }) =>
    answer.hits.map((hit): SearchHit & { workspace: string } => ({
      ...hit,
      workspace,
      ...(hit.symbol !== undefined && { symbol: { ...hit.symbol, workspace } }),
    })),
  );
  return all.sort(byTotal).slice(0, limit);
}

function byTotal(a: SearchHit & { workspace: string }, b: SearchHit & { workspace: string }): number {
  return b.total - a.total || byPlace(a, b);
}

interface Place {
  readonly workspace: string;
  readonly path: string;
  readonly lineStart: number;
}

function byPlace(a: Place, b: Place): number {
  return order(a.workspace, b.workspace) || order(a.path, b.path) || a.lineStart - b.lineStart;
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function sum<T>(all: readonly T[], of: (one: T) => number): number {
  return all.reduce((total, one) => total + of(one), 0);
}
