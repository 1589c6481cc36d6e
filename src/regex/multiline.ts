/** Matches that may span lines, in a whole text with `LINE_END` for its newlines. */
import type { MatchSpan } from "../model/grep.ts";
import type { CharSet } from "./char-set.ts";
import type { Program } from "./nfa.ts";
import { SpanSearch } from "./scan.ts";
import { LINE_END } from "./syntax.ts";

/** The notes of a search take a bit for each step and character: 64 MB. */
const MOST_NOTES = 1 << 29;

export function asOneLine(text: string): string {
  return text.replaceAll("\n", String.fromCharCode(LINE_END));
}

export interface TextMatches {
  /** Leftmost-first like ripgrep, without overlaps; also empty ones. */
  readonly matches: readonly MatchSpan[];
  /** Steps that were taken. */
  readonly work: number;
  readonly complete: boolean;
}

/** `line`: a text as one line. */
export function matchesIn(program: Program, line: string, mostWork: number): TextMatches {
  const matches: MatchSpan[] = [];
  if (program.steps.length * (line.length + 1) > MOST_NOTES) return { matches, work: 0, complete: false };
  const search = new SpanSearch(program, line);
  const mayStart = firstUnits(program);
  const ends = line.length - (line.charCodeAt(line.length - 1) === LINE_END ? 1 : 0);
  for (let at = 0; at <= ends; ) {
    if (mayStart !== undefined) while (at < line.length && mayStart[line.charCodeAt(at)] === 0) at++;
    const end = at <= ends ? search.from(at) : -1;
    if (search.pairs > mostWork) return { matches, work: search.pairs, complete: false };
    if (end >= 0) matches.push({ start: at, end });
    at = Math.max(end, at + 1);
  }
  return { matches, work: search.pairs, complete: true };
}

/** By UTF-16 unit: whether a match may begin with it; undefined: a match may be empty. */
function firstUnits({ steps, sets, start }: Program): Uint8Array | undefined {
  const first = new Set<CharSet>();
  const seen = new Set<number>();
  const waiting = [start];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    const step = steps[at]!;
    if (step.op === "match") return undefined;
    if (step.op === "set") first.add(sets[step.set]!);
    else waiting.push(step.next);
    if (step.op === "fork") waiting.push(step.other);
  }
  const units = new Uint8Array(0x10000);
  for (const set of first) {
    for (let i = 0; i < set.length; i += 2) units.fill(1, set[i], Math.min(0xffff, set[i + 1]!) + 1);
    // Characters beyond the basic plane begin with half of a pair.
    if (set.at(-1)! > 0xffff) units.fill(1, 0xd800, 0xdc00);
  }
  return units;
}

/** Starts of the lines that the matches touch, ascending. */
export function touchedLines(text: string, matches: readonly MatchSpan[]): number[] {
  const starts: number[] = [];
  for (const { start, end } of matches) {
    const last = Math.max(start, end - 1);
    let at = start === 0 ? 0 : text.lastIndexOf("\n", start - 1) + 1;
    while (at <= last) {
      if (starts.length === 0 || starts.at(-1)! < at) starts.push(at);
      const newline = text.indexOf("\n", at);
      if (newline < 0) break;
      at = newline + 1;
    }
  }
  return starts;
}

/** The parts of the matches in one line, without the empty ones, at most `most`. */
export function partsInLine(
  matches: readonly MatchSpan[],
  { start: from, end: to }: MatchSpan,
  most: number,
): MatchSpan[] {
  const parts: MatchSpan[] = [];
  for (const { start, end } of matches) {
    if (start >= to || parts.length >= most) break;
    const part = { start: Math.max(start, from) - from, end: Math.min(end, to) - from };
    if (part.end > part.start || (part.end === part.start && start < from && end > from)) {
      parts.push(start < from ? { ...part, continued: true } : part);
    }
  }
  return parts;
}
