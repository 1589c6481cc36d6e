/** Merges the answers of several workspaces into one: results by total, equal ones by workspace, path and line. */
import type { Coverage } from "../../model/code.ts";
import type { MultiRepoReport } from "../../model/multi-repository.ts";
import type {
  LiteralAnswer,
  LocateAnswer,
  ScorePart,
  SearchAnswer,
  SearchHit,
  SemanticAnswer,
  SemanticHit,
  SemanticRequest,
} from "../../model/search.ts";
import type { FreshnessStatus } from "../../model/status.ts";
import { type RankedResult, type SearchFindings, toScore } from "../../query/build-results.ts";
import { nearestNames } from "../../text/edit-distance.ts";
import type { SearchStageResult, ViewStatus } from "../compass.ts";
import { LIVE } from "../refs/resolve-ref.ts";

export interface WorkspaceAnswer<T> {
  readonly workspace: string;
  readonly answer: T;
}

/** A result as it is compared with those of other workspaces. */
interface ComparableResult {
  readonly workspace: string;
  readonly path: string;
  readonly lineStart: number;
  readonly total: number;
  readonly bm25: number;
  readonly parts: readonly ScorePart[];
  readonly source: { readonly hit: SearchHit } | { readonly place: RankedResult };
}

/** Shows results that one workspace has found; undefined where it fails now. */
export type ShowFindings = (workspace: string, found: SearchFindings) => Promise<SearchAnswer | undefined>;

/** Only what is on the page is shown: most of what the workspaces found is not. Undefined without parts. */
export async function mergedSearch(
  parts: readonly WorkspaceAnswer<SearchStageResult>[],
  limit: number,
  showFound: ShowFindings,
): Promise<SearchAnswer | undefined> {
  const [first] = parts;
  if (first === undefined) return undefined;
  const answers = parts.map(({ answer }) => ("shown" in answer ? answer.shown : answer));
  const page = scaleScores(parts).sort(byTotal).slice(0, limit);
  const shown = new Map<string, SearchAnswer | undefined>();
  const show = async ({ workspace, answer }: WorkspaceAnswer<SearchStageResult>) => {
    const places = page.flatMap(({ source, workspace: of, total, parts }) =>
      of === workspace && "place" in source ? [{ ...source.place, total, parts }] : [],
    );
    if (places.length > 0 && !("shown" in answer))
      shown.set(workspace, await showFound(workspace, { ...answer, places }));
  };
  await Promise.all(parts.map(show));
  const failed = parts.filter(({ workspace }) => shown.has(workspace) && shown.get(workspace) === undefined);
  if (failed.length > 0)
    return mergedSearch(
      parts.filter((part) => !failed.includes(part)),
      limit,
      showFound,
    );
  const literal = mergedLiteral(answers.flatMap((answer) => answer.literal ?? []));
  const joins = [...shown.values()].map((answer) => answer!.joins);
  const hits = new Map([...shown].map(([workspace, answer]) => [workspace, [...answer!.hits]]));
  return {
    intent: answers[0]!.intent,
    ...(literal && { literal }),
    hits: page.map((it) => takeShown(it, hits)),
    totalCandidates: sum(answers, ({ totalCandidates }) => totalCandidates),
    suppressedDuplicates: sum(answers, ({ suppressedDuplicates }) => suppressedDuplicates),
    joins: { hits: sum(joins, ({ hits }) => hits), misses: sum(joins, ({ misses }) => misses) },
    completeness: mergedCompleteness(answers),
    notes: [...new Set(answers.flatMap(({ notes }) => notes))],
  };
}

const MAX_SUGGESTED = 5;

/** What occurs in one workspace is not missing. */
function mergedLiteral(parts: readonly LiteralAnswer[]): LiteralAnswer | undefined {
  const [first] = parts;
  if (first === undefined) return undefined;
  const missing = first.missing.filter((name) => parts.every((part) => part.missing.includes(name)));
  const near = missing.flatMap((name) =>
    nearestNames(
      name,
      parts.flatMap((part) => part.didYouMean),
      MAX_SUGGESTED,
    ),
  );
  return {
    match: missing.length > 0 ? "absent" : "present",
    missing,
    didYouMean: [...new Set(near)].slice(0, MAX_SUGGESTED),
    isWhole: parts.some(({ isWhole }) => isWhole),
  };
}

/** Totals of definitions are comparable as they are. */
export function mergedLocate(parts: readonly WorkspaceAnswer<LocateAnswer>[], limit: number): LocateAnswer {
  const hits = mergedHits(parts, limit);
  const near = [...new Set(parts.flatMap(({ answer }) => answer.didYouMean ?? []))].slice(0, MAX_SUGGESTED);
  return {
    hits,
    totalCandidates: sum(parts, ({ answer }) => answer.totalCandidates),
    ...(hits.length === 0 && near.length > 0 && { didYouMean: near }),
  };
}

/** Vectors of one model: a similarity means the same in every workspace. */
export function mergedMeaning(parts: readonly WorkspaceAnswer<SemanticAnswer>[], ask: SemanticRequest): SemanticAnswer {
  const answers = parts.map(({ answer }) => answer);
  const hits = parts
    .flatMap(({ workspace, answer }) =>
      answer.hits.map((hit): SemanticHit & { workspace: string } => ({ ...hit, workspace })),
    )
    .sort((a, b) => b.score - a.score || byLocation(a, b));
  const most = ask.topK ?? Number.POSITIVE_INFINITY;
  return {
    hits: hits.slice(ask.offset, Math.min(ask.offset + ask.limit, most)),
    total: Math.min(
      sum(answers, ({ total }) => total),
      most,
    ),
    mode: answers.some(({ mode }) => mode === "lexical") ? "lexical" : "semantic",
    notes: [...new Set(answers.flatMap(({ notes }) => notes))],
    completeness: mergedCompleteness(answers),
  };
}

function mergedCompleteness(
  answers: readonly { readonly completeness: "complete" | "partial" }[],
): "complete" | "partial" {
  return answers.every(({ completeness }) => completeness === "complete") ? "complete" : "partial";
}

function mergedHits(
  parts: readonly WorkspaceAnswer<{ readonly hits: readonly SearchHit[] }>[],
  limit: number,
): SearchHit[] {
  const all = parts.flatMap(({ workspace, answer }) => answer.hits.map((hit) => inWorkspace(hit, workspace)));
  return all.sort(byTotal).slice(0, limit);
}

function inWorkspace(hit: SearchHit, workspace: string): SearchHit & { workspace: string } {
  return { ...hit, workspace, ...(hit.symbol !== undefined && { symbol: { ...hit.symbol, workspace } }) };
}

function byTotal<T extends LocatedHit & { readonly total: number }>(a: T, b: T): number {
  return b.total - a.total || byLocation(a, b);
}

interface LocatedHit {
  readonly workspace: string;
  readonly path: string;
  readonly lineStart: number;
}

function byLocation(a: LocatedHit, b: LocatedHit): number {
  return order(a.workspace, b.workspace) || order(a.path, b.path) || a.lineStart - b.lineStart;
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function sum<T>(all: readonly T[], of: (one: T) => number): number {
  return all.reduce((total, one) => total + of(one), 0);
}

/**
 * Makes totals of several workspaces comparable. Most of a total is relative to the best of its own workspace, so the best
 * of one that hardly matches would rank with the best of all. What was found by text is therefore scaled by how well the
 * workspace's best text matches, compared with the best of all. What was found by its name keeps its total.
 *
 * 22 questions to 12 repositories, each about one to three of them: the mean reciprocal rank of the first result from a
 * right one is 0.81, and 0.67 without scaling; 53 and 35 % of the first five results are from a right one. Half of the
 * scaling, its root, and scaling only the text's own part gave 0.75 to 0.78.
 */
function scaleScores(parts: readonly WorkspaceAnswer<SearchStageResult>[]): ComparableResult[] {
  const found = parts.map(placedResults);
  const bests = found.map((results) => Math.max(0, ...results.map(({ bm25 }) => bm25)));
  const best = Math.max(0, ...bests);
  return parts.flatMap(({ answer }, at) => {
    const share = best === 0 ? 1 : bests[at]! / best;
    const { intent, literal } = "shown" in answer ? answer.shown : answer;
    // The bands of a literal query mean the same everywhere.
    if (literal?.isWhole === true) return found[at]!;
    const byName = intent === "symbol" || intent === "path";
    return found[at]!.map((it) => (byName && it.bm25 === 0 ? it : scaled(it, share)));
  });
}

/** Equal totals of one file stay in the order of the workspace: its places have no lines yet. */
function placedResults({ workspace, answer }: WorkspaceAnswer<SearchStageResult>): ComparableResult[] {
  if ("shown" in answer) return answer.shown.hits.map((hit) => ({ ...hit, workspace, source: { hit } }));
  return answer.places.map((place, lineStart) => {
    const { candidate, total, parts } = place;
    return { workspace, path: candidate.file.path, lineStart, total, bm25: candidate.bm25, parts, source: { place } };
  });
}

function scaled(it: ComparableResult, share: number): ComparableResult {
  if (share === 1 || it.total <= 0) return it;
  const total = round(it.total * share);
  const value = round(total - it.total);
  const reason = `the workspace's best text scores ${share.toFixed(2)} of the best of all workspaces`;
  const parts = it.parts.length === 0 ? [] : [...it.parts, { factor: "workspace", value, reason }];
  return { ...it, total, parts };
}

/** Results of a workspace were shown in the order of the page. */
function takeShown({ source, workspace, total, parts }: ComparableResult, shown: Map<string, SearchHit[]>): SearchHit {
  const hit = "hit" in source ? { ...source.hit, total, parts, score: toScore(total) } : shown.get(workspace)!.shift()!;
  return inWorkspace(hit, workspace);
}

/** As totals are: what is shown adds up to what was compared. */
function round(value: number): number {
  return Math.round(value * 1e6) / 1e6 + 0;
}

/** The ref of an answer from workspaces at different refs. */
const VARIOUS = "various";
const WORST_FIRST: readonly FreshnessStatus[] = ["stale", "syncing", "fresh"];
const MOST_NAMED = 5;

/** An answer of several workspaces can be trusted as far as the least trusted of them. */
export function mergeStatus(
  statuses: readonly ViewStatus[],
  report: MultiRepoReport,
  notes: readonly string[],
): ViewStatus {
  const refs = new Set([...statuses, ...report.answered].map(({ ref }) => ref));
  const gaps = statuses.flatMap(({ symbolGaps = [] }) => symbolGaps);
  const isKnown = statuses.length > 0 || report.searched > 0;
  return {
    ref: refs.size > 1 ? VARIOUS : ([...refs][0] ?? LIVE),
    freshness: WORST_FIRST.find((word) => statuses.some(({ freshness }) => freshness === word)) ?? "fresh",
    indexing: isKnown ? "ready" : "not_indexed",
    schema: isKnown ? "compatible" : "not_indexed",
    ...mergedCoverage(statuses),
    complete: notes.length === 0 && isWhole(report) && statuses.every(({ complete }) => complete),
    warnings: [...reportWarnings(report), ...notes, ...firstFew(statuses.flatMap(({ warnings }) => warnings))],
    ...(gaps.length > 0 && { symbolGaps: firstFew(gaps) }),
  };
}

function isWhole({ late, failed, notIndexed }: MultiRepoReport): boolean {
  return late.length + failed.length + notIndexed.length === 0;
}

function mergedCoverage(statuses: readonly ViewStatus[]): { readonly coverage?: Coverage } {
  const all = statuses.flatMap(({ coverage }) => (coverage === undefined ? [] : [coverage]));
  if (all.length === 0) return {};
  const reasons: Record<string, number> = {};
  for (const { skippedReasons } of all)
    for (const [reason, count] of Object.entries(skippedReasons)) reasons[reason] = (reasons[reason] ?? 0) + count;
  return {
    coverage: {
      filesIndexed: all.reduce((sum, { filesIndexed }) => sum + filesIndexed, 0),
      filesSkipped: all.reduce((sum, { filesSkipped }) => sum + filesSkipped, 0),
      skippedReasons: reasons,
    },
  };
}

function reportWarnings({ selected, late, failed, notIndexed }: MultiRepoReport): string[] {
  const some = (names: readonly string[]) =>
    `${names.slice(0, MOST_NAMED).join(", ")}${names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : ""}`;
  return [
    ...(late.length > 0 ? [`${late.length} of ${selected} workspaces did not answer in time: ${some(late)}.`] : []),
    ...failed.slice(0, MOST_NAMED).map(({ workspace, message }) => `${workspace} could not be asked: ${message}`),
    ...(notIndexed.length > 0 ? [`Nothing is indexed yet of ${some(notIndexed)}.`] : []),
  ];
}

function firstFew(warnings: readonly string[]): string[] {
  return [...new Set(warnings)].slice(0, MOST_NAMED);
}
