/**
 * Groups of adjacent files in a segment that share a row of a database index, because they share most of their trigrams
 * (64 files together have a seventh of the entries that they have one by one).
 *
 * Masks tell which files of a range contain a trigram: one bit per file, in one of 8,192 slots that trigrams are hashed to.
 * A pattern needs a few masks of a range; a file may be checked in vain but is never missed.
 */
import type { TrigramPlan } from "../model/grep.ts";
import type { Segment } from "./read.ts";

const MOST_FILES = 64;
/** Large files share less. */
const MOST_CHUNKS = 1_280;
/** A file with 900 trigrams sets one slot in nine. */
export const MASK_SLOTS = 1 << 13;
/** Slots of a query: per conjunction, and altogether. */
const MOST_NEIGHBOURS = 12;
const MAX_SLOTS = 64;

/** Files with consecutive version numbers. */
export interface FileRange {
  readonly first: number;
  readonly files: number;
}

interface FileGroup extends FileRange {
  readonly run: FileRange;
}

export interface FileGroups {
  readonly list: readonly FileGroup[];
  /** By file of the segment, the number of its group, or NONE. */
  readonly of: Int32Array;
}

export const NONE = -1;

/** `versions`: by file of the segment; 0 for a file that belongs to no group. */
export function groupFiles(
  versions: Uint32Array,
  { fileChunks }: Pick<Segment, "fileChunks">,
  mostFiles = MOST_FILES,
): FileGroups {
  const list: { first: number; files: number; run: { first: number; files: number } }[] = [];
  const of = new Int32Array(versions.length).fill(NONE);
  let chunks = 0;
  for (let file = 0; file < versions.length; file++) {
    const version = versions[file]!;
    if (version === 0) continue;
    const own = fileChunks[file + 1]! - fileChunks[file]!;
    const last = list.at(-1);
    const follows = last !== undefined && version === last.first + last.files;
    if (follows && last.files < mostFiles && chunks + own <= MOST_CHUNKS) last.files++;
    else {
      list.push({ first: version, files: 1, run: follows ? last.run : { first: version, files: 0 } });
      chunks = 0;
    }
    list.at(-1)!.run.files++;
    chunks += own;
    of[file] = list.length - 1;
  }
  return { list, of };
}

/** Bytes of one mask of a range. */
export function maskBytes({ files }: Pick<FileRange, "files">): number {
  return Math.ceil(files / 8);
}

export function maskSlot(trigram: number): number {
  const mixed = Math.imul(trigram, 0x9e3779b1);
  return Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d) >>> 19;
}

/** Which slots must be set. */
type SlotPlan =
  | { readonly op: "any" }
  | { readonly op: "at"; readonly place: number }
  | { readonly op: "and" | "or"; readonly parts: readonly SlotPlan[] };

export interface MaskQuery {
  readonly plan: SlotPlan;
  /** Distinct slots; empty when there would be too many. */
  readonly places: readonly number[];
}

/** A cheap query: some trigrams of a long conjunction are enough. */
export function planMaskQuery(plan: TrigramPlan): MaskQuery {
  for (let most = MOST_NEIGHBOURS; most >= 1; most >>= 1) {
    const look = collectSlots(toSlots(limitTrigrams(plan, most)));
    if (look.places.length <= MAX_SLOTS) return look;
  }
  return { plan: { op: "any" }, places: [] };
}

function collectSlots(plan: SlotPlan): MaskQuery {
  const found = new Set<number>();
  const look = (part: SlotPlan): void => {
    if (part.op === "at") found.add(part.place);
    else if (part.op !== "any") part.parts.forEach(look);
  };
  look(plan);
  return { plan, places: [...found] };
}

function limitTrigrams(plan: TrigramPlan, most: number): TrigramPlan {
  if (plan.op === "any" || plan.op === "has") return plan;
  const parts = plan.parts.map((part) => limitTrigrams(part, most));
  const single = plan.op === "and" ? parts.filter(({ op }) => op === "has") : [];
  if (single.length <= most) return { op: plan.op, parts };
  const kept = Array.from({ length: most }, (_, i) => single[Math.floor((i * single.length) / most)]!);
  return { op: "and", parts: [...kept, ...parts.filter(({ op }) => op !== "has")] };
}

function toSlots(plan: TrigramPlan): SlotPlan {
  if (plan.op === "any") return plan;
  if (plan.op === "has") return { op: "at", place: maskSlot(plan.trigram) };
  return { op: plan.op, parts: plan.parts.map(toSlots) };
}

/** A bit for each file of a range that the query does not rule out. `masks` are those of the slots, concatenated. */
export function matchMasks({ plan, places }: MaskQuery, width: number, masks: Uint8Array): Uint8Array {
  const maskAt = new Map(places.map((place, at) => [place, masks.subarray(at * width, (at + 1) * width)]));
  return evaluateMasks(plan, width, (place) => maskAt.get(place)!);
}

function evaluateMasks(plan: SlotPlan, width: number, maskAt: (place: number) => Uint8Array): Uint8Array {
  if (plan.op === "at") return maskAt(plan.place);
  const isAll = plan.op !== "or";
  const passed = new Uint8Array(width).fill(isAll ? 0xff : 0);
  if (plan.op === "any") return passed;
  for (const part of plan.parts) {
    const mask = evaluateMasks(part, width, maskAt);
    for (let at = 0; at < width; at++) passed[at] = isAll ? passed[at]! & mask[at]! : passed[at]! | mask[at]!;
  }
  return passed;
}

/** Groups of one range, with the masks of the query's slots; absent masks rule out nothing. */
export interface MaskedGroups {
  readonly range: FileRange;
  readonly groups: readonly FileRange[];
  readonly masks: Uint8Array | undefined;
}

/** Versions of the groups that the query does not rule out. */
export function passingVersions({ range, groups, masks }: MaskedGroups, query: MaskQuery): number[] {
  const width = maskBytes(range);
  const isMasked = masks !== undefined && masks.length === width * query.places.length;
  const passed = isMasked ? matchMasks(query, width, masks) : undefined;
  const versions = groups.flatMap(({ first, files }) => Array.from({ length: files }, (_, at) => first + at));
  return versions.filter((version) => passed === undefined || hasBit(passed, version - range.first));
}

function hasBit(bits: Uint8Array, at: number): boolean {
  return ((bits[at >> 3]! >> (at & 7)) & 1) === 1;
}
