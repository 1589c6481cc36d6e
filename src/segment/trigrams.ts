/**
 * Which files of a segment contain which trigrams: sorted trigrams with their files, and the offset of every 64th. About
 * 0.2 bytes per byte of source.
 */
import type { TrigramPlan } from "../model/grep.ts";
import { distinctTrigrams, TRIGRAMS } from "../text/trigrams.ts";
import { ByteCursor, ByteWriter } from "./bytes.ts";
import type { SectionReader } from "./format.ts";
import { keepNumbers, readNumbers, writeNumbers } from "./rice.ts";

const BLOCK = 64;

export interface TrigramSections {
  /** First trigram of each block and its offset. */
  readonly trigramBlocks: Uint32Array;
  readonly trigramBytes: Uint8Array;
}

const NO_TRIGRAMS = new Uint32Array(0);

/**
 * Buffers that all collectors of a thread share: a sync of one file must not clear megabytes. `counts` is zero between calls.
 */
const scratch = () => {
  shared ??= {
    seen: new Int32Array(TRIGRAMS / 32),
    found: new Uint32Array(TRIGRAMS),
    counts: new Uint32Array(TRIGRAMS),
  };
  return shared;
};
let shared: { seen: Int32Array; found: Uint32Array; counts: Uint32Array } | undefined;

/** Collects the files of a segment in their order. */
export class TrigramCollector {
  private readonly files: Uint32Array[] = [];

  beginFile(): void {
    this.files.push(NO_TRIGRAMS);
  }

  /** Adds the text of the file that was started last. */
  text(text: string): void {
    const { seen, found } = scratch();
    const count = distinctTrigrams(text, seen, found);
    this.files[this.files.length - 1] = found.slice(0, count);
  }

  /** A counting sort, which is stable: files stay ascending within each trigram. */
  finish(): TrigramSections {
    const { counts } = scratch();
    const sorted = this.distinct().sort();
    let total = 0;
    for (let i = 0; i < sorted.length; i++) {
      const trigram = sorted[i]!;
      total += counts[trigram]!;
      counts[trigram] = total - counts[trigram]!;
    }
    const owners = this.owners(total);
    const writer = new TrigramWriter(this.files.length);
    let from = 0;
    for (let i = 0; i < sorted.length; i++) {
      const trigram = sorted[i]!;
      const to = counts[trigram]!;
      writer.add(trigram, owners, from, to);
      counts[trigram] = 0;
      from = to;
    }
    return writer.finish();
  }

  /** All trigrams; fills `counts` with their numbers of files. */
  private distinct(): Uint32Array {
    const { counts, found: all } = scratch();
    let length = 0;
    for (const found of this.files) length = addDistinct(found, counts, all, length);
    return all.slice(0, length);
  }

  /** The files of each trigram; `counts` holds their start before and their end after. */
  private owners(total: number): Uint32Array {
    const { counts } = scratch();
    const owners = new Uint32Array(total);
    for (let file = 0; file < this.files.length; file++) addOwner(this.files[file]!, file, counts, owners);
    return owners;
  }
}

// Separate functions: as inner loops V8 deoptimised them for every segment.
function addDistinct(found: Uint32Array, counts: Uint32Array, all: Uint32Array, from: number): number {
  let length = from;
  for (let i = 0; i < found.length; i++) if (counts[found[i]!]!++ === 0) all[length++] = found[i]!;
  return length;
}

function addOwner(found: Uint32Array, file: number, counts: Uint32Array, owners: Uint32Array): void {
  for (let i = 0; i < found.length; i++) owners[counts[found[i]!]!++] = file;
}

class TrigramWriter {
  private readonly out = new ByteWriter();
  private readonly blocks: number[] = [];
  private readonly fileCount: number;
  private count = 0;
  private last = 0;

  constructor(fileCount: number) {
    this.fileCount = fileCount;
  }

  /** The trigram is in `files[from, to)`. */
  add(trigram: number, files: Uint32Array, from: number, to: number): void {
    if (this.count++ % BLOCK === 0) {
      this.blocks.push(trigram, this.out.length);
      this.last = trigram;
    }
    this.out.varint(trigram - this.last);
    this.last = trigram;
    this.out.varint(to - from);
    if (to - from === 1) this.out.varint(files[from]!);
    else writeNumbers(this.out, { numbers: files, from, to }, this.fileCount);
  }

  finish(): TrigramSections {
    return { trigramBlocks: Uint32Array.from(this.blocks), trigramBytes: this.out.written().slice() };
  }
}

/** The lists of one segment, read in place. */
export class Trigrams {
  readonly fileCount: number;
  private readonly blocks: Uint32Array;
  private readonly bytes: Uint8Array;

  constructor(fileCount: number, sections: SectionReader) {
    this.fileCount = fileCount;
    this.blocks = sections.words("trigramBlocks");
    this.bytes = sections.octets("trigramBytes");
  }

  /** For each file 1 if the plan does not rule it out. */
  candidates(plan: TrigramPlan): Uint8Array {
    // A segment without trigrams: from an old release, or of very short files.
    if (this.blocks.length === 0) return new Uint8Array(this.fileCount).fill(1);
    return this.evaluate(plan);
  }

  /** Iterates over all trigrams, ascending. */
  walk(): TrigramWalk {
    return new TrigramWalk(this.blocks, this.bytes);
  }

  private evaluate(plan: TrigramPlan): Uint8Array {
    if (plan.op === "any") return new Uint8Array(this.fileCount).fill(1);
    if (plan.op === "has") return this.filesWithAll([plan.trigram]);
    if (plan.op === "or") return this.filesWithAny(plan.parts);
    const flags = this.filesWithAll(plan.parts.flatMap((part) => (part.op === "has" ? part.trigram : [])));
    for (const part of plan.parts) {
      if (part.op === "has") continue;
      if (!flags.includes(1)) break;
      const other = this.evaluate(part);
      for (let i = 0; i < flags.length; i++) flags[i]! &= other[i]!;
    }
    return flags;
  }

  private filesWithAny(parts: readonly TrigramPlan[]): Uint8Array {
    const flags = new Uint8Array(this.fileCount);
    for (const part of parts) {
      const other = this.evaluate(part);
      for (let i = 0; i < flags.length; i++) flags[i]! |= other[i]!;
    }
    return flags;
  }

  /** Rare trigrams first: of the long lists, only what is left is looked at. */
  private filesWithAll(trigrams: readonly number[]): Uint8Array {
    const flags = new Uint8Array(this.fileCount);
    const walk = this.walk();
    const lists = [...new Set(trigrams)].map((trigram) => walk.find(trigram)).sort((a, b) => a.count - b.count);
    const [first, ...others] = lists;
    if (first === undefined) return flags.fill(1);
    const files = new Uint32Array(first.count);
    let left = 0;
    walk.eachFile(first, (file) => {
      files[left++] = file;
    });
    for (const list of others) {
      if (left === 0) break;
      left = walk.keepFiles(list, files, left);
    }
    for (let i = 0; i < left; i++) flags[files[i]!] = 1;
    return flags;
  }
}

interface TrigramList {
  readonly count: number;
  /** Where its files are, in the bytes. */
  readonly at: number;
}

export class TrigramWalk {
  /** Infinity after the last one. */
  trigram = Number.POSITIVE_INFINITY;
  private count = 0;
  private index = -1;
  private listAt = 0;
  private readonly blocks: Uint32Array;
  private readonly cursor: ByteCursor;

  constructor(blocks: Uint32Array, bytes: Uint8Array) {
    this.blocks = blocks;
    this.cursor = new ByteCursor(bytes, 0);
    this.next();
  }

  next(): void {
    if (this.index >= 0) this.skip();
    if (this.cursor.at >= this.cursor.bytes.length) {
      this.trigram = Number.POSITIVE_INFINITY;
      return;
    }
    this.index++;
    const first = this.index % BLOCK === 0 ? this.blocks[(this.index / BLOCK) * 2]! : this.trigram;
    this.trigram = first + this.cursor.varint();
    this.count = this.cursor.varint();
    this.listAt = this.cursor.at;
  }

  /** Moves to the trigram or the first one after it. */
  seek(trigram: number): void {
    let low = 0;
    let high = this.blocks.length / 2 - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.blocks[middle * 2]! <= trigram) low = middle;
      else high = middle - 1;
    }
    if (high < 0) return;
    this.cursor.at = this.blocks[low * 2 + 1]!;
    this.index = -1;
    this.trigram = this.blocks[low * 2]!;
    const base = low * BLOCK;
    this.enter(base);
    while (this.trigram < trigram) this.next();
  }

  /** The files of a trigram, none if no file has it. */
  find(trigram: number): TrigramList {
    this.seek(trigram);
    return { count: this.trigram === trigram ? this.count : 0, at: this.listAt };
  }

  eachFile({ count, at }: TrigramList, visit: (file: number) => void): void {
    this.cursor.at = at;
    if (count === 1) visit(this.cursor.varint());
    else if (count > 1) readNumbers(this.cursor, count, visit);
    this.cursor.at = this.listAt;
  }

  /** Keeps those of the first `length` files, which ascend, that have the trigram; returns how many. */
  keepFiles({ count, at }: TrigramList, files: Uint32Array, length: number): number {
    this.cursor.at = at;
    if (count > 1) return keepNumbers(this.cursor, count, files, length);
    const only = this.cursor.varint();
    const isKept = files.subarray(0, length).includes(only);
    files[0] = only;
    return isKept ? 1 : 0;
  }

  files(visit: (file: number) => void): void {
    this.eachFile({ count: this.count, at: this.listAt }, visit);
  }

  /** Writes them to the array; returns how many. */
  copyTo(files: Uint32Array): number {
    let count = 0;
    this.files((file) => {
      files[count++] = file;
    });
    return count;
  }

  private enter(index: number): void {
    this.index = index;
    this.trigram = this.blocks[(index / BLOCK) * 2]! + this.cursor.varint();
    this.count = this.cursor.varint();
    this.listAt = this.cursor.at;
  }

  private skip(): void {
    this.cursor.at = this.listAt;
    const first = this.cursor.varint();
    if (this.count > 1) this.cursor.at += first;
  }
}

/** An input of a merge; `map`: new number of each file, or `dropped`. */
export interface TrigramInput {
  readonly trigrams: Trigrams;
  readonly map: Uint32Array;
}

export function mergeTrigrams(inputs: readonly TrigramInput[], fileCount: number, dropped: number): TrigramSections {
  const writer = new TrigramWriter(fileCount);
  const walks = inputs.map(({ trigrams }) => trigrams.walk());
  const files = new Uint32Array(fileCount);
  for (;;) {
    const trigram = walks.reduce((least, walk) => Math.min(least, walk.trigram), Number.POSITIVE_INFINITY);
    if (trigram === Number.POSITIVE_INFINITY) return writer.finish();
    let count = 0;
    for (const [at, walk] of walks.entries()) {
      if (walk.trigram !== trigram) continue;
      const { map } = inputs[at]!;
      walk.files((file) => {
        if (map[file] !== dropped) files[count++] = map[file]!;
      });
      walk.next();
    }
    if (count > 0) writer.add(trigram, files, 0, count);
  }
}
