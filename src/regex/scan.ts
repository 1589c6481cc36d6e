/** Finds the lines of a text in which a pattern matches. */
import { SURROGATE } from "./alphabet.ts";
import { DEAD, type Dfa, MATCHED, UNKNOWN } from "./dfa.ts";

/** The pattern asks for more work than a search may take. */
export const EXHAUSTED = -2;
export const NONE = -1;

/**
 * Where the next line with a match starts, at or after `from`, which is itself the start of a line; NONE, or EXHAUSTED when
 * making states took more than `mostWork` steps.
 */
export function nextLine(dfa: Dfa, text: string, from: number, mostWork: number): number {
  const length = text.length;
  if (from >= length) return NONE;
  const { letters } = dfa.alphabet;
  // The inner loop of every scan: one look-up for the letter, one for the state (about 3 ns a character).
  let { table } = dfa;
  let row = dfa.start;
  if (row <= DEAD) return NONE;
  let i = from;
  while (i < length) {
    let next = table[row + letters[text.charCodeAt(i)]!]!;
    if (next > DEAD) {
      row = next;
      i++;
      continue;
    }
    if (next === UNKNOWN) {
      if (dfa.work > mostWork) return EXHAUSTED;
      const letter = letters[text.charCodeAt(i)]!;
      const isPair = letter === SURROGATE;
      next = dfa.step(row, isPair ? dfa.alphabet.astral(text.codePointAt(i)!) : letter);
      table = dfa.table;
      if (next > DEAD) {
        row = next;
        i += isPair && text.codePointAt(i)! > 0xffff ? 2 : 1;
        continue;
      }
    }
    if (next === MATCHED) return lineStart(text, i);
    const newline = text.indexOf("\n", i);
    if (newline < 0) return NONE;
    row = dfa.start;
    i = newline + 1;
  }
  return text.charCodeAt(length - 1) !== 10 && dfa.step(row, 0) === MATCHED ? lineStart(text, length) : NONE;
}

/** Whether the line `[start, end)` has a match. */
export function lineMatches(dfa: Dfa, text: string, start: number, end: number): boolean {
  const { letters, astral } = dfa.alphabet;
  let row = dfa.start;
  if (row <= DEAD) return false;
  for (let i = start; i < end; i++) {
    let next = dfa.table[row + letters[text.charCodeAt(i)]!]!;
    if (next === UNKNOWN) {
      const letter = letters[text.charCodeAt(i)]!;
      const isPair = letter === SURROGATE;
      next = dfa.step(row, isPair ? astral(text.codePointAt(i)!) : letter);
      if (isPair && text.codePointAt(i)! > 0xffff) i++;
    }
    if (next <= DEAD) return next === MATCHED;
    row = next;
  }
  return dfa.step(row, 0) === MATCHED;
}

/** The start of the line that the character at `at` is in, or whose newline it is. */
export function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
}
