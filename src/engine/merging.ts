/** Replaces several segments by one without the files that nothing needs any more. */
import type { WritableContent } from "../ports/backend.ts";
import { mergeSegments } from "../segment/merge.ts";
import { fetchParts, Segments, type StoredSegment } from "./segments.ts";
import { SharedWork } from "./shared-work.ts";

/** A segment with less than this part of its files alive is rewritten. */
const MOSTLY_DEAD = 0.5;

/** The segments under the hand of a writer. */
export class SegmentMerger {
  readonly #content: WritableContent;
  readonly #segments: Segments;

  constructor(content: WritableContent) {
    this.#content = content;
    this.#segments = new Segments(content, new SharedWork(() => ""));
  }

  /** Merges until the tiers are in order. Returns how many segments went away. */
  async tidy(mostChunks: number, isOfBranch: boolean): Promise<number> {
    for (let merged = 0; ; ) {
      const present = await this.#segments.present();
      const due = new Set(dueForMerge(present, mostChunks).map(({ id }) => id));
      if (due.size === 0) return merged;
      merged += await this.#replace(
        present.filter(({ id }) => due.has(id)),
        isOfBranch,
      );
    }
  }

  /** As `tidy`, when there is time: also rewrites what is mostly dead and puts small ones together. */
  async settle(): Promise<number> {
    const alive = new Set((await this.#content.rows("versionIds", {})).map(({ id }) => id));
    const isDead = ({ versions }: StoredSegment) =>
      versions.filter((version) => alive.has(version)).length < versions.length * MOSTLY_DEAD;
    const dead = (await this.#segments.present()).filter(isDead);
    for (const stored of dead) await this.#replace([stored], true);
    const merged = await this.tidy(Number.POSITIVE_INFINITY, true);
    const present = await this.#segments.present();
    const small = new Set(dueForSettling(present).map(({ id }) => id));
    const settled = await this.#replace(
      present.filter(({ id }) => small.has(id)),
      true,
    );
    return dead.length + merged + settled;
  }

  /** One segment in place of these, or none when no file of theirs is left. Returns how many went away. */
  async #replace(segments: readonly StoredSegment[], isOfBranch: boolean): Promise<number> {
    if (segments.length === 0) return 0;
    const ids = segments.flatMap(({ versions }) => [...versions]).filter((version) => version !== 0);
    const alive = new Set((await this.#content.rows("versions", { ids })).map(({ id }) => id));
    for (const stored of segments) await fetchParts(this.#content, [stored], stored.kinds);
    const kept = segments.map(({ segment, versions }) => ({
      segment,
      keep: (file: number) => alive.has(versions[file]!),
    }));
    const versions = Uint32Array.from(ids.filter((version) => alive.has(version)));
    const added = versions.length === 0 ? undefined : { versions, bytes: mergeSegments(kept), isOfBranch };
    await this.#content.write("merge", [{ merge: { removed: segments.map(({ id }) => id), added } }]);
    return added === undefined ? segments.length : segments.length - 1;
  }
}

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
