/** The lines of a hit that matter, and the words to emphasize in them. */
import type { Style } from "./style.ts";

export interface ExcerptLine {
  /** 1-based, in the file. */
  readonly number: number;
  readonly text: string;
}

const SHOWN_LINES = 5;
const SHORTEST_WORD = 3;
/** Words that are too common to highlight. */
const COMMON = new Set(
  "and are can does for from how not that the this was what when where which who why with".split(" "),
);

/** Lines of the file, both included. */
interface LineRange {
  readonly lineStart: number;
  readonly lineEnd: number;
}

interface ExcerptShape {
  /** What the hit is named after. */
  readonly within?: LineRange | undefined;
  readonly lines?: number;
}

/**
 * The window of lines that holds the most different words of the query, in what the hit is named after and the comment
 * above it; without words, the first lines.
 */
export function excerpt(
  text: string,
  lineStart: number,
  words: readonly string[],
  { within, lines: size = SHOWN_LINES }: ExcerptShape = {},
): ExcerptLine[] {
  const lines = text.trimEnd().split(/\r?\n/);
  const last = Math.max(0, lines.length - size);
  const first =
    within === undefined ? 0 : Math.min(lines.length - 1, blockStart(lines, within.lineStart - lineStart, size));
  const end = within === undefined ? lines.length : Math.max(0, within.lineEnd - lineStart + 1);
  const inside = { first, last: Math.min(last, end - size), size };
  const best =
    words.length === 0
      ? 0
      : (bestStart(lines.slice(0, end), words, inside) ?? bestStart(lines, words, { first, last, size }) ?? first);
  const from =
    best +
    Math.max(
      0,
      lines.slice(best, best + size).findIndex((line) => line.trim() !== ""),
    );
  // Lines have numbers, so blank ones say nothing.
  return dedent(lines.slice(from, from + size))
    .map((line, index) => ({ number: lineStart + from + index, text: line }))
    .filter(({ text: line }) => line.trim() !== "");
}

/** The first of the lines that stand right above a line and on it: a symbol's comment, not the end of the one before it. */
function blockStart(lines: readonly string[], line: number, most: number): number {
  let first = Math.max(0, line);
  while (first > 0 && line - first < most - 1 && lines[first - 1]!.trim() !== "") first--;
  return first;
}

/** Query words to highlight, in lower case. */
export function queryWords(query: string): string[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  return [...new Set(words.filter((word) => word.length >= SHORTEST_WORD && !COMMON.has(word)))];
}

/** The window with the most words, moved down so that at most one line precedes the first match; undefined: none has any. */
function bestStart(
  lines: readonly string[],
  words: readonly string[],
  { first, last, size }: { readonly first: number; readonly last: number; readonly size: number },
): number | undefined {
  const held = lines.map((line) => words.filter((word) => line.toLowerCase().includes(word)));
  const found = (start: number) => new Set(held.slice(start, start + size).flat()).size;
  let best = first;
  for (let start = first + 1; start <= last; start++) if (found(start) > found(best)) best = start;
  if (found(best) === 0) return undefined;
  while (best < last && held[best]!.length + held[best + 1]!.length === 0) best++;
  return best;
}

/** Lines without their common indent. */
export function dedent(lines: readonly string[]): string[] {
  const indents = lines.filter((line) => line.trim() !== "").map((line) => /^\s*/.exec(line)![0]);
  const common = indents.reduce((a, b) => a.slice(0, sharedLength(a, b)), indents[0] ?? "");
  return lines.map((line) => line.slice(Math.min(common.length, line.length)));
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

/** The words are marked; `paint` colours what is between them. */
export function highlight(text: string, words: readonly string[], style: Style, paint = style.plain): string {
  if (words.length === 0) return paint(text);
  const pattern = new RegExp(words.map((word) => word.replace(/[^\p{L}\p{N}_]/gu, "\\$&")).join("|"), "giu");
  let out = "";
  let at = 0;
  for (const { 0: found, index } of text.matchAll(pattern)) {
    out += paint(text.slice(at, index)) + style.match(found);
    at = index + found.length;
  }
  return out + paint(text.slice(at));
}
