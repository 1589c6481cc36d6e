/** What a database indexes of each group of files: its words with tiers, its trigrams, and the masks of its range. */
import { type FileGroups, type FileRange, MASK_SLOTS, maskBytes, maskSlot, NONE } from "./file-groups.ts";
import type { Segment } from "./read.ts";
import { halfSaturation, scoreTier } from "./score.ts";

export interface GroupIndexSink {
  /** In the order of words. The word is `bytes[from, to)`; the tier is that of the group's best chunk. */
  readonly word: (group: number, bytes: Uint8Array, from: number, to: number, tier: number) => void;
  /** In ascending order. */
  readonly trigram: (group: number, trigram: number) => void;
}

/** Returns the masks of ranges with groups of several files. */
export function indexGroups(
  segment: Segment,
  versions: Uint32Array,
  groups: FileGroups,
  { word, trigram }: GroupIndexSink,
): ReadonlyMap<FileRange, Uint8Array> {
  eachWord(segment, groups, word);
  const masks = new RangeMasks(versions, groups);
  const files = new Uint32Array(segment.fileCount);
  for (const walk = segment.trigrams.walk(); walk.trigram !== Number.POSITIVE_INFINITY; walk.next()) {
    const count = walk.copyTo(files);
    masks.set(maskSlot(walk.trigram), files, count);
    let last = NONE;
    for (let i = 0; i < count; i++) {
      const group = groups.of[files[i]!]!;
      if (group === last || group === NONE) continue;
      trigram(group, walk.trigram);
      last = group;
    }
  }
  return masks.ranges;
}

function eachWord(segment: Segment, { of }: FileGroups, visit: GroupIndexSink["word"]): void {
  const { terms, postings, chunkCount, chunkLengths, fileCount, fileChunks } = segment;
  const groupOf = new Int32Array(chunkCount);
  for (let file = 0; file < fileCount; file++) groupOf.fill(of[file]!, fileChunks[file]!, fileChunks[file + 1]!);
  const halves = Float64Array.from(chunkLengths, halfSaturation);
  const chunks = new Uint32Array(chunkCount);
  const counts = new Uint32Array(chunkCount);
  const { bytes, starts } = terms;
  for (let at = 0; at < terms.size; at++) {
    const [from, to] = [starts[at]!, starts[at + 1]!];
    const end = postings.copyTo(at, 0, chunks, counts, 0);
    let group = NONE;
    let best = 0;
    for (let i = 0; i < end; i++) {
      const chunk = chunks[i]!;
      const own = groupOf[chunk]!;
      if (own === NONE) continue;
      if (own !== group) {
        if (group !== NONE) visit(group, bytes, from, to, scoreTier(best));
        group = own;
        best = 0;
      }
      const share = counts[i]! / (counts[i]! + halves[chunk]!);
      if (share > best) best = share;
    }
    if (group !== NONE) visit(group, bytes, from, to, scoreTier(best));
  }
}

/** The masks of all ranges of a segment. */
class RangeMasks {
  readonly ranges = new Map<FileRange, Uint8Array>();
  /** All of them, and a byte that belongs to none. */
  readonly #bits: Uint8Array;
  /** By file: where its bit lies in the first mask, and how many bytes further in the next. */
  readonly #byteAt: Uint32Array;
  readonly #width: Uint32Array;
  readonly #bit: Uint8Array;

  constructor(versions: Uint32Array, { list, of }: FileGroups) {
    const starts = new Map<FileRange, number>();
    let end = 0;
    for (const { files, run } of list) {
      if (files === 1 || starts.has(run)) continue;
      starts.set(run, end);
      end += MASK_SLOTS * maskBytes(run);
    }
    this.#bits = new Uint8Array(end + 1);
    for (const [run, at] of starts) this.ranges.set(run, this.#bits.subarray(at, at + MASK_SLOTS * maskBytes(run)));
    this.#byteAt = new Uint32Array(of.length).fill(end);
    this.#width = new Uint32Array(of.length);
    this.#bit = new Uint8Array(of.length);
    for (const [file, group] of of.entries()) {
      const run = list[group]?.run;
      const start = run && starts.get(run);
      if (start === undefined) continue;
      const place = versions[file]! - run!.first;
      this.#byteAt[file] = start + (place >>> 3);
      this.#width[file] = maskBytes(run!);
      this.#bit[file] = 1 << (place & 7);
    }
  }

  /** For the first `count` files. */
  set(place: number, files: Uint32Array, count: number): void {
    for (let i = 0; i < count; i++) {
      const file = files[i]!;
      this.#bits[this.#byteAt[file]! + place * this.#width[file]!]! |= this.#bit[file]!;
    }
  }
}
