/**
 * Files that are found together: some that follow each other in a segment share a row of an engine's index, since they
 * share most of their trigrams (32 of them have a fifth of the entries that they would have one by one). Which of them hold
 * a trigram is told by a mask, a bit for each, that lies at a place which trigrams may share: a file may be looked at in
 * vain, and is never passed over.
 */
import type { TrigramPlan } from "../model/trigram-plan.ts";
import { doubled } from "./bytes.ts";
import type { Segment } from "./read.ts";

const MOST_FILES = 32;
/** Large files share less, and fill the places of the others. */
const MOST_CHUNKS = 640;
/** Of 32 files with 900 trigrams each, one place of nine is set for a file. */
const BYTES_A_TRIGRAM = 4;
/** Places that are looked at: of neighbours, and altogether. */
const MOST_NEIGHBOURS = 6;
const MOST_PLACES = 48;

export interface Bunch {
  /** Version of its first file; those of the others follow one by one. */
  readonly first: number;
  readonly files: number;
}

export interface Bunches {
  readonly list: readonly Bunch[];
  /** By file of the segment, the number of its bunch, or NONE. */
  readonly of: Int32Array;
}

export const NONE = -1;

/** `versions`: by file of the segment; 0 for a file that belongs to no bunch. */
export function bunchesOf(versions: Uint32Array, { fileChunks }: Pick<Segment, "fileChunks">): Bunches {
  const list: { first: number; files: number }[] = [];
  const of = new Int32Array(versions.length).fill(NONE);
  let chunks = 0;
  for (let file = 0; file < versions.length; file++) {
    const version = versions[file]!;
    if (version === 0) continue;
    const own = fileChunks[file + 1]! - fileChunks[file]!;
    const last = list.at(-1);
    const fits = last !== undefined && last.files < MOST_FILES && chunks + own <= MOST_CHUNKS;
    if (fits && version === last.first + last.files) last.files++;
    else {
      list.push({ first: version, files: 1 });
      chunks = 0;
    }
    chunks += own;
    of[file] = list.length - 1;
  }
  return { list, of };
}

/** Bytes of one mask. */
export function maskBytes(files: number): number {
  return Math.ceil(files / 8);
}

/** The masks of a bunch: trigram by trigram, with a bit for each of its files. */
export class Masks {
  readonly #files: number;
  #trigrams = new Uint32Array(1_024);
  #masks = new Uint32Array(1_024);
  #count = 0;

  constructor(files: number) {
    this.#files = files;
  }

  add(trigram: number, mask: number): void {
    if (this.#count === this.#trigrams.length) {
      this.#trigrams = doubled(this.#trigrams);
      this.#masks = doubled(this.#masks);
    }
    this.#trigrams[this.#count] = trigram;
    this.#masks[this.#count++] = mask;
  }

  get trigrams(): Uint32Array {
    return this.#trigrams.subarray(0, this.#count);
  }

  /** The places are a power of two: a hash names its own by its lowest bits. */
  placed(): Uint8Array {
    const width = maskBytes(this.#files);
    let places = 1;
    while (places * width < BYTES_A_TRIGRAM * this.#count) places *= 2;
    const bytes = new Uint8Array(places * width);
    for (let i = 0; i < this.#count; i++) {
      const at = (hashOf(this.#trigrams[i]!) & (places - 1)) * width;
      const mask = this.#masks[i]!;
      for (let byte = 0; byte < width; byte++) bytes[at + byte]! |= mask >>> (8 * byte);
    }
    return bytes;
  }
}

/** Below 2^31, as an engine's numbers are. */
export function hashOf(trigram: number): number {
  const mixed = Math.imul(trigram, 0x9e3779b1);
  return Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d) >>> 1;
}

/** Which places to look at; none when there would be too many. */
export interface Look {
  readonly plan: TrigramPlan;
  readonly hashes: readonly number[];
}

/** A look that costs little: of many neighbours that must all be there some are enough. */
export function lookFor(plan: TrigramPlan): Look {
  for (let most = MOST_NEIGHBOURS; most >= 1; most >>= 1) {
    const thinned = withFew(plan, most);
    const hashes = hashesOf(thinned);
    if (hashes.length <= MOST_PLACES) return { plan: thinned, hashes };
  }
  return { plan: { op: "any" }, hashes: [] };
}

function withFew(plan: TrigramPlan, most: number): TrigramPlan {
  if (plan.op === "any" || plan.op === "has") return plan;
  const parts = plan.parts.map((part) => withFew(part, most));
  const single = plan.op === "and" ? parts.filter(({ op }) => op === "has") : [];
  if (single.length <= most) return { op: plan.op, parts };
  const kept = Array.from({ length: most }, (_, i) => single[Math.floor((i * single.length) / most)]!);
  return { op: "and", parts: [...kept, ...parts.filter(({ op }) => op !== "has")] };
}

/** Each once. */
function hashesOf(plan: TrigramPlan): number[] {
  const found = new Set<number>();
  const look = (part: TrigramPlan): void => {
    if (part.op === "has") found.add(hashOf(part.trigram));
    else if (part.op !== "any") part.parts.forEach(look);
  };
  look(plan);
  return [...found];
}

/** The versions of a bunch that the look does not rule out. `masks`: one for each of its hashes, one behind the other. */
export function passing({ plan, hashes }: Look, { first, files }: Bunch, masks: Uint8Array): number[] {
  const width = maskBytes(files);
  const maskAt = new Map(hashes.map((hash, at) => [hash, numberIn(masks, at * width, width)]));
  const mask = evaluated(plan, (trigram) => maskAt.get(hashOf(trigram))!);
  return Array.from({ length: files }, (_, file) => first + file).filter((_, file) => (mask >>> file) & 1);
}

function numberIn(bytes: Uint8Array, at: number, width: number): number {
  let number = 0;
  for (let byte = 0; byte < width; byte++) number |= bytes[at + byte]! << (8 * byte);
  return number;
}

function evaluated(plan: TrigramPlan, maskOf: (trigram: number) => number): number {
  if (plan.op === "any") return -1;
  if (plan.op === "has") return maskOf(plan.trigram);
  const masks = plan.parts.map((part) => evaluated(part, maskOf));
  return plan.op === "and" ? masks.reduce((all, mask) => all & mask, -1) : masks.reduce((some, mask) => some | mask, 0);
}
