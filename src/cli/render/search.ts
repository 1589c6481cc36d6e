/** Search results for a person: `path:line`, the symbol, and the lines that matter. */
import type { SearchHit } from "../../model/search.ts";
import { printable, type Style } from "./style.ts";

interface SearchView {
  readonly query: string;
  readonly style: Style;
  readonly columns: number;
  /** A path relative to the current directory. */
  shownPath(path: string): string;
}

/** A window narrower than this wraps. */
const LEAST_COLUMNS = 40;

export function renderHits(hits: readonly SearchHit[], view: SearchView): string {
  const words = queryWords(view.query);
  return groupByPath(hits)
    .map((group) => group.map((hit) => renderHit(hit, words, view)).join(""))
    .join("\n");
}

/** Files in the order of their best hit, hits of a file together in their order. */
function groupByPath(hits: readonly SearchHit[]): SearchHit[][] {
  const groups = new Map<string, SearchHit[]>();
  for (const hit of hits) groups.set(hit.path, [...(groups.get(hit.path) ?? []), hit]);
  return [...groups.values()];
}

function renderHit(hit: SearchHit, words: readonly string[], view: SearchView): string {
  const { style } = view;
  // A definition is known by its head; elsewhere the words decide.
  const lines = excerpt(hit.text, hit.lineStart, hit.type === "symbol" ? [] : words);
  const place = `${style.path(printable(view.shownPath(hit.path)))}:${style.line(String(lines[0]?.number ?? hit.lineStart))}`;
  const width = String(lines.at(-1)?.number ?? 0).length;
  const shown = lines.map(({ number, text }) => {
    const code = cut(printable(text), Math.max(LEAST_COLUMNS, view.columns - width - 5));
    return `${`  ${style.line(String(number).padStart(width))}  ${highlight(code, words, style)}`.trimEnd()}\n`;
  });
  return `${place}${symbolText(hit, lines, style)}\n${shown.join("")}`;
}

/** A chunk may hold several symbols; its own is named only where the shown lines belong to it. */
function symbolText(hit: SearchHit, lines: readonly ExcerptLine[], style: Style): string {
  const symbol = hit.symbol?.symbol;
  const within = symbol && lines.some(({ number }) => number >= symbol.span.lineStart && number <= symbol.span.lineEnd);
  return within ? `  ${style.dim(symbol.kind)} ${style.name(printable(symbol.qualifiedName))}` : "";
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

function highlight(text: string, words: readonly string[], style: Style): string {
  if (words.length === 0) return text;
  const pattern = new RegExp(words.map((word) => word.replace(/[^\p{L}\p{N}_]/gu, "\\$&")).join("|"), "giu");
  return text.replace(pattern, (found) => style.match(found));
}

interface ExcerptLine {
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

/** The window of lines that holds the most different words of the query; without words, the first lines. */
export function excerpt(text: string, lineStart: number, words: readonly string[]): ExcerptLine[] {
  const lines = text.trimEnd().split(/\r?\n/);
  const best = bestStart(lines, words);
  const from =
    best +
    Math.max(
      0,
      lines.slice(best, best + SHOWN_LINES).findIndex((line) => line.trim() !== ""),
    );
  return dedent(lines.slice(from, from + SHOWN_LINES)).map((line, index) => ({
    number: lineStart + from + index,
    text: line,
  }));
}

/** Query words to highlight, in lower case. */
export function queryWords(query: string): string[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  return [...new Set(words.filter((word) => word.length >= SHORTEST_WORD && !COMMON.has(word)))];
}

/** The window with the most words, moved down so that at most one line precedes the first match. */
function bestStart(lines: readonly string[], words: readonly string[]): number {
  const held = lines.map((line) => words.filter((word) => line.toLowerCase().includes(word)));
  const found = (start: number) => new Set(held.slice(start, start + SHOWN_LINES).flat()).size;
  const last = lines.length - SHOWN_LINES;
  let best = 0;
  for (let start = 1; start <= last; start++) if (found(start) > found(best)) best = start;
  while (found(best) > 0 && best < last && held[best]!.length + held[best + 1]!.length === 0) best++;
  return best;
}

function dedent(lines: readonly string[]): string[] {
  const indents = lines.filter((line) => line.trim() !== "").map((line) => /^\s*/.exec(line)![0]);
  const common = indents.reduce((a, b) => a.slice(0, sharedLength(a, b)), indents[0] ?? "");
  return lines.map((line) => line.slice(Math.min(common.length, line.length)));
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}
