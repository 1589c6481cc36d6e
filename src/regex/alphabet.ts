/**
 * Groups characters into the few classes ("letters") that a pattern distinguishes, so that an automaton needs a column per
 * class and not for each of a million characters. Also decides assertions between two characters.
 */
import { type CharSet, LAST_CODE_POINT } from "./char-set.ts";
import { type Assertion, LINE_END } from "./syntax.ts";
import { ASCII_WORD, word } from "./unicode.ts";

/** The end of a line: a newline or the end of the text. No set contains it. */
export const END_OF_LINE = 0;
/** Half of a character outside the basic plane; the scanner joins the halves. */
export const SURROGATE = 1;

export interface Alphabet {
  /** Number of letters; letters are small numbers from 0. */
  readonly size: number;
  /** By UTF-16 unit. */
  readonly letters: Uint16Array;
  /** For a code point above the basic plane. */
  astral(codePoint: number): number;
  /** The letters of each set, by the set's position. */
  readonly members: readonly Uint16Array[];
}

export function buildAlphabet(sets: readonly CharSet[]): Alphabet {
  const starts = boundaries(sets);
  const held = sets.map((set) => heldBy(set, starts));
  const classes = partition(starts, held);
  const size = Math.max(...classes) + 1;
  const letters = basicPlane(starts, classes);
  const members = held.map((one) => lettersIn(one, classes));
  return { size, letters, members, astral: (codePoint) => classes[findInterval(starts, codePoint)]! };
}

/** First code point of every interval in which no set starts or ends. */
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

/** By interval: 1 if the set contains it. One pass, because both are sorted: Unicode's word class has 796 ranges. */
function heldBy(set: CharSet, starts: readonly number[]): Uint8Array {
  const held = new Uint8Array(starts.length);
  let range = 0;
  for (let i = 0; i < starts.length; i++) {
    while (range < set.length && set[range + 1]! < starts[i]!) range += 2;
    if (range < set.length && set[range]! <= starts[i]!) held[i] = 1;
  }
  return held;
}

/** By interval: its letter. Intervals in the same sets share a letter. */
function partition(starts: readonly number[], sets: readonly Uint8Array[]): Uint16Array {
  let classes = new Uint16Array(starts.length).fill(2);
  for (const held of sets) classes = split(classes, held);
  for (const [i, start] of starts.entries()) {
    if (start === 0x0a) classes[i] = END_OF_LINE;
    else if (start >= 0xd800 && start < 0xe000) classes[i] = SURROGATE;
  }
  return classes;
}

function split(classes: Uint16Array, held: Uint8Array): Uint16Array<ArrayBuffer> {
  const renamed = new Uint16Array(2 * classes.length + 4);
  const out = new Uint16Array(classes.length);
  let last = 1;
  for (let i = 0; i < classes.length; i++) {
    const key = classes[i]! * 2 + held[i]!;
    if (renamed[key] === 0) renamed[key] = ++last;
    out[i] = renamed[key]!;
  }
  return out;
}

function basicPlane(starts: readonly number[], classes: Uint16Array): Uint16Array {
  const letters = new Uint16Array(0x10000);
  for (const [i, start] of starts.entries()) {
    if (start < 0x10000) letters.fill(classes[i]!, start, Math.min(0x10000, starts[i + 1] ?? 0x10000));
  }
  return letters;
}

function lettersIn(held: Uint8Array, classes: Uint16Array): Uint16Array {
  const found = new Set<number>();
  for (const [i, one] of classes.entries()) if (held[i] === 1) found.add(one);
  found.delete(END_OF_LINE);
  found.delete(SURROGATE);
  return Uint16Array.from(found);
}

function findInterval(starts: readonly number[], codePoint: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle]! <= codePoint) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Properties of the character on one side of a position; `edge`: the start or end of the searched text. */
export const SIDE = { word: 1, asciiWord: 2, cr: 4, edge: 8, newline: 16 } as const;

/** Sets that letters must distinguish to decide the assertions, with the bit of each. */
export function assertionSets(
  assertions: readonly Assertion[],
): readonly { readonly set: CharSet; readonly bit: number }[] {
  const isWord = ({ at }: Assertion) => !/^(?:line-)?(?:start|end)$/.test(at);
  const words = assertions.filter(isWord);
  const lines = assertions.some(({ at }) => at === "line-start" || at === "line-end");
  return [
    ...(words.some(({ mode }) => mode !== "ascii") ? [{ set: word(), bit: SIDE.word }] : []),
    ...(words.some(({ mode }) => mode === "ascii") ? [{ set: ASCII_WORD, bit: SIDE.asciiWord }] : []),
    ...(assertions.some(({ mode }) => mode === "crlf") ? [{ set: [0x0d, 0x0d], bit: SIDE.cr }] : []),
    ...(lines ? [{ set: [LINE_END, LINE_END], bit: SIDE.newline }] : []),
  ];
}

export function holds({ at, mode }: Assertion, before: number, after: number): boolean {
  const ends = at === "line-start" || at === "line-end" ? SIDE.edge | SIDE.newline : SIDE.edge;
  const [opens, closes] = [(before & ends) !== 0, (after & ends) !== 0];
  if (at === "start" || at === "line-start") return opens || (mode === "crlf" && isCr(before) && !closes);
  // Before `\r`, and at the end of the line unless that is the middle of `\r\n`.
  if (at === "end" || at === "line-end") return mode === "crlf" ? isCr(after) || (closes && !isCr(before)) : closes;
  const bit = mode === "ascii" ? SIDE.asciiWord : SIDE.word;
  return holdsWord(at, (before & bit) !== 0, (after & bit) !== 0);
}

function holdsWord(at: Assertion["at"], before: boolean, after: boolean): boolean {
  switch (at) {
    case "boundary":
      return before !== after;
    case "inside":
      return before === after;
    case "word-start":
      return !before && after;
    case "word-end":
      return before && !after;
    case "half-start":
      return !before;
    default:
      return !after;
  }
}

function isCr(side: number): boolean {
  return (side & SIDE.cr) !== 0;
}
