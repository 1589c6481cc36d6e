/** Sets of code points as sorted, disjoint ranges in one flat list: `[first, last, first, last, …]`. Never edited. */
import { lowerBound } from "../model/binary-search.ts";

export type CharSet = readonly number[];

export const LAST_CODE_POINT = 0x10ffff;
export const EMPTY_SET: CharSet = [];
export const ASCII_SET: CharSet = [0, 0x7f];
/** Surrogates are no characters. */
export const ANY_SET: CharSet = [0, 0xd7ff, 0xe000, LAST_CODE_POINT];

export function single(codePoint: number): CharSet {
  return [codePoint, codePoint];
}

/** Ranges in any order, overlapping or not. */
export function charSet(ranges: readonly (readonly [number, number])[]): CharSet {
  const sorted = [...ranges].sort((a, b) => a[0] - b[0]);
  const out: number[] = [];
  for (const [first, last] of sorted) {
    if (out.length > 0 && first <= out.at(-1)! + 1) out[out.length - 1] = Math.max(out.at(-1)!, last);
    else out.push(first, last);
  }
  return out;
}

export function union(...sets: readonly CharSet[]): CharSet {
  return sets.length === 1 ? sets[0]! : charSet(sets.flatMap(toRanges));
}

/** Everything else but surrogates. */
export function negate(set: CharSet): CharSet {
  return subtract(ANY_SET, set);
}

export function subtract(set: CharSet, other: CharSet): CharSet {
  const out: number[] = [];
  let at = 0;
  for (let i = 0; i < set.length; i += 2) {
    let first = set[i]!;
    const last = set[i + 1]!;
    while (at < other.length && other[at + 1]! < first) at += 2;
    for (let j = at; j < other.length && other[j]! <= last; j += 2) {
      if (other[j]! > first) out.push(first, other[j]! - 1);
      first = Math.max(first, other[j + 1]! + 1);
    }
    if (first <= last) out.push(first, last);
  }
  return out;
}

export function intersect(set: CharSet, other: CharSet): CharSet {
  return subtract(set, subtract(ANY_SET, other));
}

/** Symmetric difference. */
export function difference(set: CharSet, other: CharSet): CharSet {
  return union(subtract(set, other), subtract(other, set));
}

export function has(set: CharSet, codePoint: number): boolean {
  let low = 0;
  let high = set.length >> 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (set[middle * 2 + 1]! < codePoint) low = middle + 1;
    else high = middle;
  }
  return low * 2 < set.length && set[low * 2]! <= codePoint;
}

/** Number of code points. */
export function setSize(set: CharSet): number {
  let size = 0;
  for (let i = 0; i < set.length; i += 2) size += set[i + 1]! - set[i]! + 1;
  return size;
}

export function toRanges(set: CharSet): [number, number][] {
  const ranges: [number, number][] = [];
  for (let i = 0; i < set.length; i += 2) ranges.push([set[i]!, set[i + 1]!]);
  return ranges;
}

/** The set and every character that differs from one of its members by case only. */
export function foldCase(set: CharSet): CharSet {
  let folded = foldings.get(set);
  if (folded === undefined) {
    folded = fold(set);
    foldings.set(set, folded);
  }
  return folded;
}

/** Without Unicode, only the letters of ASCII have another case. */
export function foldAscii(set: CharSet): CharSet {
  const otherCase = toRanges(intersect(set, ASCII_LETTERS)).map(([a, b]): [number, number] => [a ^ 0x20, b ^ 0x20]);
  return otherCase.length === 0 ? set : union(set, charSet(otherCase));
}

const ASCII_LETTERS: CharSet = [0x41, 0x5a, 0x61, 0x7a];

/** Cached, because classes such as `\\w` are large and shared. */
const foldings = new WeakMap<CharSet, CharSet>();

function fold(set: CharSet): CharSet {
  const added: [number, number][] = [];
  const all = orbits();
  for (const [first, last] of toRanges(set)) {
    for (let i = lowerBound(all.members, first); i < all.members.length && all.members[i]! <= last; i++) {
      for (const other of all.orbitOf.get(all.members[i]!)!) if (!has(set, other)) added.push([other, other]);
    }
  }
  return added.length === 0 ? set : union(set, charSet(added));
}

/** All cases of a character; itself alone if it has one case. */
export function caseOrbit(codePoint: number): readonly number[] {
  return orbits().orbitOf.get(codePoint) ?? single(codePoint).slice(0, 1);
}

interface Orbits {
  /** Sorted. */
  readonly members: readonly number[];
  readonly orbitOf: ReadonlyMap<number, readonly number[]>;
}

let built: Orbits | undefined;

/** Dotless i has I as its upper case, but folding keeps it apart. */
const NEVER = new Set([0x131]);
/** Folded together though neither is the other's upper or lower case. */
const PAIRS: readonly (readonly [number, number])[] = [
  [0xfb05, 0xfb06],
  [0x390, 0x1fd3],
  [0x3b0, 0x1fe3],
];

/** Blocks of letters with case; scanning them takes 3 ms, once. */
const BLOCKS: CharSet = [
  ...[0x41, 0x5ff, 0x10a0, 0x10ff, 0x13a0, 0x13ff, 0x1c80, 0x1cbf, 0x1d00, 0x1fff, 0x2100, 0x218f],
  ...[0x24b0, 0x24ff, 0x2c00, 0x2d2f, 0xa640, 0xabff, 0xfb00, 0xfb06, 0xff20, 0xff5f, 0x10400, 0x105ff],
  ...[0x10c80, 0x10d9f, 0x118a0, 0x118df, 0x16e40, 0x16eff, 0x1e900, 0x1e95f],
];

function orbits(): Orbits {
  if (built !== undefined) return built;
  const groups = new Map<number, Set<number>>();
  for (const [first, last] of toRanges(BLOCKS)) {
    for (let at = first; at <= last; at++)
      if (!NEVER.has(at)) for (const other of otherCases(at)) join(groups, at, other);
  }
  for (const [one, other] of PAIRS) join(groups, one, other);
  const orbitOf = new Map([...groups].map(([member, group]) => [member, [...group].sort((a, b) => a - b)]));
  built = { members: [...orbitOf.keys()].sort((a, b) => a - b), orbitOf };
  return built;
}

function otherCases(codePoint: number): number[] {
  const text = String.fromCodePoint(codePoint);
  return [text.toLowerCase(), text.toUpperCase()]
    .filter((other) => other !== text && [...other].length === 1)
    .map((other) => other.codePointAt(0)!);
}

function join(groups: Map<number, Set<number>>, one: number, other: number): void {
  const merged = new Set([...(groups.get(one) ?? [one]), ...(groups.get(other) ?? [other])]);
  for (const member of merged) groups.set(member, merged);
}
