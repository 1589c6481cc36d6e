/** Finds the lines of a text that match, and the matches inside a line. */
import type { MatchSpan } from "../model/grep.ts";
import { assertionSets, holds, SIDE, SURROGATE } from "./alphabet.ts";
import { has } from "./char-set.ts";
import { DEAD, type Dfa, MATCHED, UNKNOWN } from "./dfa.ts";
import type { Program } from "./nfa.ts";

/** The search exceeded its work limit. */
export const EXHAUSTED = -2;
export const NONE = -1;

/**
 * The start of the next line with a match, at or after the line start `from`; NONE, or EXHAUSTED when creating states took
 * more than `mostWork` steps.
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

/** The start of the line that contains the character at `at`, which may be its newline. */
export function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
}

/** Maximum number of (step, position) pairs; a line that would need more is shown without its matches. */
const MOST_PAIRS = 4_000_000;

/**
 * Non-empty matches from left to right, at most `most`. Leftmost-first like ripgrep, for the few lines that are shown.
 */
export function spansIn(program: Program, line: string, most: number): MatchSpan[] {
  if (program.steps.length * (line.length + 1) > MOST_PAIRS) return [];
  const search = new SpanSearch(program, line);
  const spans: MatchSpan[] = [];
  for (let at = 0; at <= line.length && spans.length < most; ) {
    const end = search.from(at);
    if (end > at) spans.push({ start: at, end });
    at = Math.max(end, at + 1);
  }
  return spans;
}

export class SpanSearch {
  /** (step, position) pairs that were looked at. */
  pairs = 0;
  private readonly program: Program;
  private readonly line: string;
  private readonly sides: ReturnType<typeof assertionSets>;
  /** Paths that failed also fail from a later start. */
  private readonly failed: Uint8Array;

  constructor(program: Program, line: string) {
    this.program = program;
    this.line = line;
    this.sides = assertionSets(program.assertions);
    this.failed = new Uint8Array(Math.ceil((program.steps.length * (line.length + 1)) / 8));
  }

  /** End of the match that starts at `at`, or -1. Depth first, preferred branch first. */
  from(at: number): number {
    const stack: [step: number, place: number][] = [[this.program.start, at]];
    const tried: number[] = [];
    for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
      const [number, place] = top;
      if (this.visited(number, place)) continue;
      this.pairs++;
      tried.push(number * (this.line.length + 1) + place);
      const step = this.program.steps[number]!;
      if (step.op === "match") {
        this.unvisit(tried);
        return place;
      }
      if (step.op === "fork") stack.push([step.other, place], [step.next, place]);
      else if (step.op === "assertion") {
        if (holds(step.assertion, this.side(place - 1), this.side(place))) stack.push([step.next, place]);
      } else {
        const codePoint = this.line.codePointAt(place);
        if (codePoint !== undefined && has(this.program.sets[step.set]!, codePoint))
          stack.push([step.next, place + (codePoint > 0xffff ? 2 : 1)]);
      }
    }
    return -1;
  }

  private visited(step: number, place: number): boolean {
    const bit = step * (this.line.length + 1) + place;
    if ((this.failed[bit >> 3]! & (1 << (bit & 7))) !== 0) return true;
    this.failed[bit >> 3]! |= 1 << (bit & 7);
    return false;
  }

  /** Steps on the way to a match did not fail. */
  private unvisit(bits: readonly number[]): void {
    for (const bit of bits) this.failed[bit >> 3]! &= ~(1 << (bit & 7));
  }

  private side(place: number): number {
    if (place < 0 || place >= this.line.length) return SIDE.edge;
    const unit = this.line.charCodeAt(place);
    // The second half of a pair belongs to the character that starts before it.
    const start = unit >= 0xdc00 && unit < 0xe000 && place > 0 ? place - 1 : place;
    const codePoint = this.line.codePointAt(start)!;
    return this.sides.reduce((bits, { set, bit }) => (has(set, codePoint) ? bits | bit : bits), 0);
  }
}
