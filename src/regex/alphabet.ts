/**
 * The characters as a pattern tells them apart. Most patterns know a handful of kinds of character, so an automaton needs
 * a column for each kind and not for each of a million characters.
 */
import { type CharSet, has, LAST_CODE_POINT } from "./char-set.ts";

/** The end of a line: a newline or the end of the text. No set holds it. */
export const END_OF_LINE = 0;
/** Half of a character outside the basic plane; the scanner puts the halves together. */
export const SURROGATE = 1;

export interface Alphabet {
  /** Number of letters; letters are small numbers from 0. */
  readonly size: number;
  /** By UTF-16 unit. */
  readonly letters: Uint16Array;
  /** For a code point above the basic plane. */
  astral(codePoint: number): number;
  /** The letters of one of the sets the alphabet was made for, by its position. */
  readonly members: readonly Uint16Array[];
}

export function alphabetOf(sets: readonly CharSet[]): Alphabet {
  const starts = boundaries(sets);
  const classes = partition(starts, sets);
  const size = Math.max(...classes) + 1;
  const letters = basicPlane(starts, classes);
  const members = sets.map((set) => lettersIn(set, starts, classes));
  return { size, letters, members, astral: (codePoint) => classes[intervalOf(starts, codePoint)]! };
}

/** First code point of every stretch inside which no set begins or ends. */
function boundaries(sets: readonly CharSet[]): number[] {
  const starts = new Set([0, 0x0a, 0x0b, 0xd800, 0xe000, 0x10000]);
  for (const set of sets) {
    for (let i = 0; i < set.length; i += 2) {
      starts.add(set[i]!);
      if (set[i + 1]! < LAST_CODE_POINT) starts.add(set[i + 1]! + 1);
    }
  }
  return [...starts].sort((a, b) => a - b);
}

/** By stretch: its letter. Stretches that lie in the same sets are one letter. */
function partition(starts: readonly number[], sets: readonly CharSet[]): Uint16Array {
  let classes = new Uint16Array(starts.length).fill(2);
  for (const set of sets) classes = split(classes, starts, set);
  for (const [i, start] of starts.entries()) {
    if (start === 0x0a) classes[i] = END_OF_LINE;
    else if (start >= 0xd800 && start < 0xe000) classes[i] = SURROGATE;
  }
  return classes;
}

function split(classes: Uint16Array, starts: readonly number[], set: CharSet): Uint16Array<ArrayBuffer> {
  const renamed = new Map<number, number>();
  return Uint16Array.from(classes, (one, i) => {
    const key = one * 2 + (has(set, starts[i]!) ? 1 : 0);
    let name = renamed.get(key);
    if (name === undefined) {
      name = renamed.size + 2;
      renamed.set(key, name);
    }
    return name;
  });
}

function basicPlane(starts: readonly number[], classes: Uint16Array): Uint16Array {
  const letters = new Uint16Array(0x10000);
  for (const [i, start] of starts.entries()) {
    if (start < 0x10000) letters.fill(classes[i]!, start, Math.min(0x10000, starts[i + 1] ?? 0x10000));
  }
  return letters;
}

function lettersIn(set: CharSet, starts: readonly number[], classes: Uint16Array): Uint16Array {
  const found = new Set<number>();
  for (const [i, start] of starts.entries()) if (has(set, start)) found.add(classes[i]!);
  found.delete(END_OF_LINE);
  found.delete(SURROGATE);
  return Uint16Array.from(found);
}

function intervalOf(starts: readonly number[], codePoint: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle]! <= codePoint) low = middle;
    else high = middle - 1;
  }
  return low;
}
