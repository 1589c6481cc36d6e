/** Which segments to merge, so that there are few of them and a small change never rewrites a large one. */

export interface SegmentSize {
  readonly id: number;
  readonly chunks: number;
}

/** More segments than this cost every query; fewer cost every write. */
const MOST_SEGMENTS = 16;
/** Segments merged at once. */
const FAN_IN = 8;
/** What a sync may write: about a megabyte, merged in some 50 ms. Larger merges wait for `gc` or a large build. */
export const SMALL_CHUNKS = 4_096;

/** The segments to merge now, smallest first; fewer than two mean: leave it. */
export function dueForMerge(segments: readonly SegmentSize[], mostChunks: number): SegmentSize[] {
  if (segments.length <= MOST_SEGMENTS) return [];
  const chosen: SegmentSize[] = [];
  let chunks = 0;
  for (const segment of [...segments].sort((a, b) => a.chunks - b.chunks || a.id - b.id)) {
    chunks += segment.chunks;
    if (chosen.length === FAN_IN || chunks > mostChunks) break;
    chosen.push(segment);
  }
  return chosen.length < 2 ? [] : chosen;
}
