/** Sums over a view, and what they say of it to the port. */
import { type Coverage, PARSE_GAVE_UP, SKIP_REASONS, type SkipReason } from "../model/code.ts";
import type { Generation } from "../model/ids.ts";
import type { ViewInfo } from "../ports/snapshot.ts";

/** Sums over a view, kept up to date by each publish. */
export interface Totals {
  readonly files: number;
  readonly symbols: number;
  readonly chunks: number;
  readonly languages: Readonly<Record<string, number>>;
  readonly skipped: Readonly<Partial<Record<SkipReason, number>>>;
  readonly uncounted: Readonly<Partial<Record<SkipReason, number>>>;
  /** Files that are indexed as text only because their parser gave up; absent in views of older releases. */
  readonly givenUp?: number;
  /** File versions that the view has ceased to show since it was made; absent in views of older releases. */
  readonly replaced?: number;
}

export const NO_TOTALS: Totals = { files: 0, symbols: 0, chunks: 0, languages: {}, skipped: {}, uncounted: {} };

/** What a view's row says beside its sums. */
export interface ViewFacts {
  readonly stateId: string;
  readonly ref: string;
  readonly generation: number;
  readonly commit: string | null;
  readonly publishedAt: number;
}

export function viewInfo({ stateId, ref, generation, commit, publishedAt }: ViewFacts, totals: Totals): ViewInfo {
  const skippedReasons = reasonsOf(totals);
  return {
    stateId,
    ref,
    generation: generation as Generation,
    ...(commit !== null && { commit }),
    publishedAt,
    coverage: {
      filesIndexed: totals.files,
      filesSkipped: Object.values(skippedReasons).reduce((sum, count) => sum + count, 0),
      skippedReasons,
    },
    fileCount: totals.files,
    symbolCount: totals.symbols,
    chunkCount: totals.chunks,
    languages: Object.entries(totals.languages).map(([language, files]) => ({ language, files })),
  };
}

/** Those above zero, by name: equal counts give equal text. */
export function sortedCounts(counts: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...counts].filter(([, count]) => count > 0).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function reasonsOf({ skipped, uncounted, givenUp = 0 }: Totals): Coverage["skippedReasons"] {
  const reasons: Record<string, number> = {};
  for (const reason of SKIP_REASONS) {
    const count = (skipped[reason] ?? 0) + (uncounted[reason] ?? 0);
    if (count > 0) reasons[reason] = count;
  }
  return givenUp > 0 ? { ...reasons, [PARSE_GAVE_UP]: givenUp } : reasons;
}
