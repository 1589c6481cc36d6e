/** Replaces several segments by one without the files that nothing needs any more. */
import type { WritableContent } from "../ports/backend.ts";
import { mergeSegments } from "../segment/merge.ts";
import { dueForMerge, dueForSettling } from "./merge-policy.ts";
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
