/** Search results for a person: `path:line`, the symbol, and the lines that matter. */
import type { SearchHit } from "../../model/search.ts";
import { type ExcerptLine, excerpt, queryWords } from "./excerpt.ts";
import { printable, type Style } from "./style.ts";

export interface SearchView {
  readonly query: string;
  readonly style: Style;
  readonly columns: number;
  /** A path as it can be opened from where the person stands. */
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
