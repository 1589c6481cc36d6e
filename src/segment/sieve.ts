/**
 * Which files of a segment may hold a trigram, as bits that are read a few at a time: for a store that keeps what it has
 * not opened elsewhere. A file has a column of bits for every 160 of its trigrams, a trigram has one bit of such a column,
 * and a slice is the same bit of all columns side by side. So a pattern is a few slices, of some hundred bytes each.
 *
 * Two trigrams may share a bit: a sieve lets a file through in vain, and never keeps out one that holds what is looked for.
 */
import type { TrigramPlan } from "../model/trigram-plan.ts";
import { flagsOf, type Trigrams } from "./trigrams.ts";

const SLICE_BITS = 11;
export const SLICES = 1 << SLICE_BITS;
/** At most one bit of thirteen is set: six trigrams that a file lacks let it through once in five million times. */
const MOST_IN_COLUMN = 160;
/** The number of a file's columns is a byte. */
const MOST_COLUMNS = 255;
/** One trigram of four. */
const SAMPLE_MASK = 3;
/** Slices that one list of neighbours is looked for by: more of them find hardly less. */
const MOST_NEIGHBOURS = 8;
const MOST_SLICES = 256;

export interface Sieve {
  /** By file: how many columns its trigrams are spread over. */
  readonly columns: Uint8Array;
  /** Slice after slice. */
  readonly bits: Uint8Array;
  /** Some of the trigrams of all files, ascending: a segment that lacks one of them need not be sieved. */
  readonly sample: readonly number[];
}

export function sieveOf(trigrams: Trigrams): Sieve {
  const { lists, files } = listed(trigrams);
  const counts = new Uint32Array(trigrams.fileCount);
  for (let i = 0; i < files.length; i++) counts[files[i]!]!++;
  const columns = Uint8Array.from(counts, (count) => Math.min(MOST_COLUMNS, Math.ceil(count / MOST_IN_COLUMN)));
  const starts = startsOf(columns);
  const width = widthOf(columns);
  const bits = new Uint8Array(SLICES * width);
  const sample: number[] = [];
  let from = 0;
  for (let i = 0; i < lists.length; i += 2) {
    const [trigram, to] = [lists[i]!, lists[i + 1]!];
    const hash = spread(trigram);
    if (isSampled(hash)) sample.push(trigram);
    setBits(bits, sliceOf(hash) * width, { hash, files, from, to, columns, starts });
    from = to;
  }
  return { columns, bits, sample };
}

/** Every trigram with the place in `files` at which its own end. */
function listed(trigrams: Trigrams): { readonly lists: readonly number[]; readonly files: Uint32Array } {
  const lists: number[] = [];
  let files = new Uint32Array(1 << 16);
  let length = 0;
  const add = (file: number) => {
    if (length === files.length) {
      const wider = new Uint32Array(2 * length);
      wider.set(files);
      files = wider;
    }
    files[length++] = file;
  };
  for (const walk = trigrams.walk(); walk.trigram !== Number.POSITIVE_INFINITY; walk.next()) {
    walk.files(add);
    lists.push(walk.trigram, length);
  }
  return { lists, files: files.subarray(0, length) };
}

interface List {
  readonly hash: number;
  /** Those of `files[from … to]`. */
  readonly files: Uint32Array;
  readonly from: number;
  readonly to: number;
  readonly columns: Uint8Array;
  readonly starts: Uint32Array;
}

function setBits(bits: Uint8Array, sliceAt: number, { hash, files, from, to, columns, starts }: List): void {
  for (let i = from; i < to; i++) {
    const file = files[i]!;
    const column = starts[file]! + placeOf(hash, columns[file]!);
    bits[sliceAt + (column >> 3)]! |= 1 << (column & 7);
  }
}

/** Bytes of a slice. */
export function widthOf(columns: Uint8Array): number {
  let total = 0;
  for (let i = 0; i < columns.length; i++) total += columns[i]!;
  return Math.ceil(total / 8);
}

/** The number of the slice that a trigram is looked for in. */
export function sliceFor(trigram: number): number {
  return sliceOf(spread(trigram));
}

/** For each file 1 when the plan does not rule it out. `slice` hands over what `sliceFor` names. */
export function sieved(plan: TrigramPlan, columns: Uint8Array, slice: (number: number) => Uint8Array): Uint8Array {
  const starts = startsOf(columns);
  return flagsOf(plan, columns.length, (trigram) => {
    const hash = spread(trigram);
    const bits = slice(sliceOf(hash));
    const flags = new Uint8Array(columns.length);
    for (let file = 0; file < flags.length; file++) {
      if (columns[file] === 0) continue;
      const column = starts[file]! + placeOf(hash, columns[file]!);
      flags[file] = (bits[column >> 3]! >> (column & 7)) & 1;
    }
    return flags;
  });
}

/** A plan that asks for few slices; it may let more files through. */
export function thinned(plan: TrigramPlan): TrigramPlan {
  for (let most = MOST_NEIGHBOURS; most >= 1; most >>= 1) {
    const fewer = withFew(plan, most);
    if (slicesOf(fewer).length <= MOST_SLICES) return fewer;
  }
  return { op: "any" };
}

function withFew(plan: TrigramPlan, most: number): TrigramPlan {
  if (plan.op === "any" || plan.op === "has") return plan;
  const parts = plan.parts.map((part) => withFew(part, most));
  const single = plan.op === "and" ? parts.filter(({ op }) => op === "has") : [];
  if (single.length <= most) return { op: plan.op, parts };
  const kept = Array.from({ length: most }, (_, i) => single[Math.floor((i * single.length) / most)]!);
  return { op: "and", parts: [...kept, ...parts.filter(({ op }) => op !== "has")] };
}

/** The slices that a plan asks for, each once. */
export function slicesOf(plan: TrigramPlan): number[] {
  const found = new Set<number>();
  const look = (part: TrigramPlan): void => {
    if (part.op === "has") found.add(sliceFor(part.trigram));
    else if (part.op !== "any") part.parts.forEach(look);
  };
  look(plan);
  return [...found];
}

/** What the plan says of the trigrams that are in samples. */
export function samplePlan(plan: TrigramPlan): TrigramPlan {
  if (plan.op === "any") return plan;
  if (plan.op === "has") return isSampled(spread(plan.trigram)) ? plan : { op: "any" };
  const parts = plan.parts.map(samplePlan);
  if (plan.op === "or") return parts.some(({ op }) => op === "any") ? { op: "any" } : { op: "or", parts };
  const telling = parts.filter(({ op }) => op !== "any");
  return telling.length === 0 && plan.parts.length > 0 ? { op: "any" } : { op: "and", parts: telling };
}

function startsOf(columns: Uint8Array): Uint32Array {
  const starts = new Uint32Array(columns.length);
  for (let file = 1; file < columns.length; file++) starts[file] = starts[file - 1]! + columns[file - 1]!;
  return starts;
}

function spread(trigram: number): number {
  const mixed = Math.imul(trigram, 0x9e3779b1);
  return Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d) >>> 0;
}

/** The uppermost bits tell the slice, those below the column, those below these whether it is in the sample. */
function sliceOf(hash: number): number {
  return hash >>> (32 - SLICE_BITS);
}

function placeOf(hash: number, columns: number): number {
  return (((hash >>> 9) & 0xfff) * columns) >>> 12;
}

function isSampled(hash: number): boolean {
  return ((hash >>> 7) & SAMPLE_MASK) === 0;
}
