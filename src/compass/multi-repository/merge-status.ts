/** How far an answer of several workspaces can be trusted: as far as the least of them. */
import type { Coverage } from "../../model/code.ts";
import type { MultiRepoReport } from "../../model/multi-repository.ts";
import type { FreshnessStatus } from "../../model/status.ts";
import type { ViewStatus } from "../compass.ts";
import { LIVE } from "../refs/resolve-ref.ts";

/** What the metadata calls the ref where the workspaces stand at several. */
const VARIOUS = "various";
const WORST_FIRST: readonly FreshnessStatus[] = ["stale", "syncing", "fresh"];
const MOST_NAMED = 5;

export function mergeStatus(
  standings: readonly ViewStatus[],
  report: MultiRepoReport,
  notes: readonly string[],
): ViewStatus {
  const refs = new Set([...standings, ...report.answered].map(({ ref }) => ref));
  const gaps = standings.flatMap(({ symbolGaps = [] }) => symbolGaps);
  const isKnown = standings.length > 0 || report.searched > 0;
  return {
    ref: refs.size > 1 ? VARIOUS : ([...refs][0] ?? LIVE),
    freshness: WORST_FIRST.find((word) => standings.some(({ freshness }) => freshness === word)) ?? "fresh",
    indexing: isKnown ? "ready" : "not_indexed",
    schema: isKnown ? "compatible" : "not_indexed",
    ...coverageOf(standings),
    complete: notes.length === 0 && isWhole(report) && standings.every(({ complete }) => complete),
    warnings: [...warningsOf(report), ...notes, ...firstOf(standings.flatMap(({ warnings }) => warnings))],
    ...(gaps.length > 0 && { symbolGaps: firstOf(gaps) }),
  };
}

function isWhole({ late, failed, notIndexed }: MultiRepoReport): boolean {
  return late.length + failed.length + notIndexed.length === 0;
}

function coverageOf(standings: readonly ViewStatus[]): { readonly coverage?: Coverage } {
  const all = standings.flatMap(({ coverage }) => (coverage === undefined ? [] : [coverage]));
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

function warningsOf({ selected, late, failed, notIndexed }: MultiRepoReport): string[] {
  const some = (names: readonly string[]) =>
    `${names.slice(0, MOST_NAMED).join(", ")}${names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : ""}`;
  return [
    ...(late.length > 0 ? [`${late.length} of ${selected} workspaces did not answer in time: ${some(late)}.`] : []),
    ...failed.slice(0, MOST_NAMED).map(({ workspace, message }) => `${workspace} could not be asked: ${message}`),
    ...(notIndexed.length > 0 ? [`Nothing is indexed yet of ${some(notIndexed)}.`] : []),
  ];
}

function firstOf(warnings: readonly string[]): string[] {
  return [...new Set(warnings)].slice(0, MOST_NAMED);
}
