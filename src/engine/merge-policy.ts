/** Which segments to merge, so that there are few of them and a small change never rewrites a large one. */

export interface SegmentSize {
  readonly id: number;
  readonly chunks: number;
}

/** This many segments of one tier become one of the next: a chunk is written once a tier. */
const FAN_IN = 8;
/** Of large ones: they are what a first index makes, and reading twice as many costs a question less than merging them. */
const LARGE_FAN_IN = 16;
/** What a sync may write: about a megabyte, merged in some 50 ms. Larger merges wait for `gc` or a large build. */
export const SMALL_CHUNKS = 4_096;
/** What `gc` leaves, so that the syncs after it have room for their small ones. */
const SETTLED_SEGMENTS = 8;

/** Segments of one tier to merge now into one of at most `mostChunks`; none mean: leave it. */
export function dueForMerge(segments: readonly SegmentSize[], mostChunks: number): readonly SegmentSize[] {
  const tiers = new Map<number, SegmentSize[]>();
  for (const segment of segments) {
    const tier = Math.floor(Math.log(Math.max(1, segment.chunks)) / Math.log(FAN_IN));
    const mates = tiers.get(tier) ?? [];
    mates.push(segment);
    tiers.set(tier, mates);
    const enough = segment.chunks < SMALL_CHUNKS ? FAN_IN : LARGE_FAN_IN;
    if (mates.length === enough && chunksOf(mates) <= mostChunks) return mates;
  }
  return [];
}

/** The small segments to merge in the background; empty when there are few enough. */
export function dueForSettling(segments: readonly SegmentSize[]): readonly SegmentSize[] {
  const small = segments.filter((segment) => segment.chunks < SMALL_CHUNKS);
  return segments.length > SETTLED_SEGMENTS && small.length > 1 ? small : [];
}

function chunksOf(segments: readonly SegmentSize[]): number {
  return segments.reduce((sum, segment) => sum + segment.chunks, 0);
}
