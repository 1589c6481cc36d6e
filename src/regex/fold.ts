/**
 * Case folding of sets: everything that simple case folding (one code point to one) makes equal, as ripgrep does.
 * Orbits come from the engine's upper and lower case; what those do otherwise than folding is listed.
 */
import { type CharSet, charSet, has, intersect, single, toRanges, union } from "./char-set.ts";

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

/** Classes such as `\\w` are large and shared. */
const foldings = new WeakMap<CharSet, CharSet>();

function fold(set: CharSet): CharSet {
  const added: [number, number][] = [];
  const all = orbits();
  for (const [first, last] of toRanges(set)) {
    for (let i = firstAt(all.members, first); i < all.members.length && all.members[i]! <= last; i++) {
      for (const other of all.orbitOf.get(all.members[i]!)!) if (!has(set, other)) added.push([other, other]);
    }
  }
  return added.length === 0 ? set : union(set, charSet(added));
}

/** The character's orbit; itself alone where case means nothing. */
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

/** Letters with case live in few blocks; looking at those takes 3 ms, once. */
const BLOCKS: readonly (readonly [number, number])[] = [
  [0x41, 0x5ff],
  [0x10a0, 0x10ff],
  [0x13a0, 0x13ff],
  [0x1c80, 0x1cbf],
  [0x1d00, 0x1fff],
  [0x2100, 0x218f],
  [0x24b0, 0x24ff],
  [0x2c00, 0x2d2f],
  [0xa640, 0xabff],
  [0xfb00, 0xfb06],
  [0xff20, 0xff5f],
  [0x10400, 0x105ff],
  [0x10c80, 0x10d9f],
  [0x118a0, 0x118df],
  [0x16e40, 0x16eff],
  [0x1e900, 0x1e95f],
];

function orbits(): Orbits {
  if (built !== undefined) return built;
  const groups = new Map<number, Set<number>>();
  for (const [first, last] of BLOCKS) {
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

function firstAt(sorted: readonly number[], least: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
