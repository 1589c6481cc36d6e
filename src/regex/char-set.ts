/** Sets of code points as sorted, disjoint ranges in one flat list: `[first, last, first, last, …]`. Never edited. */

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

/** What is in one of them only. */
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
