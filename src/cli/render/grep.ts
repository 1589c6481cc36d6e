/** Matching lines as grep prints them: `path:line:text`, `-` in place of `:` for context, `--` between groups. */
import type { GrepHit } from "../../model/grep.ts";
import { paintSource } from "../../tools/text/paint.ts";
import { printable, type Style } from "../../tools/text/style.ts";

export interface GrepView {
  readonly style: Style;
  /** On a terminal, text must not steer it. */
  readonly isTerminal: boolean;
  readonly paths: boolean;
  readonly lineNumbers: boolean;
  readonly snippets: boolean;
  /** After the line number, where a match begins in bytes. */
  readonly columns: boolean;
  /** Print a line for each match instead of each line: the whole line, or the match alone. */
  readonly eachMatch: "none" | "line" | "match";
  readonly nullAfterPath: boolean;
  readonly scores: boolean;
  /** Makes a path and its line a link. */
  link?(text: string, path: string, line: number): string;
  shownPath(path: string): string;
}

interface ShownLine {
  readonly number: number;
  readonly text: string;
  readonly hit?: GrepHit;
}

/** Hits of one file, ascending. `separated`: a group was printed before. */
export function renderFile(hits: readonly GrepHit[], view: GrepView, separated: boolean): string {
  if (!view.snippets) return hits.map((hit) => `${linePrefix(hit, hit.line, ":", view)}\n`).join("");
  if (view.eachMatch !== "none") return hits.map((hit) => renderMatches(hit, view)).join("");
  const lines = mergeLines(hits);
  const withContext = hits.some(({ before, after }) => before.length + after.length > 0);
  let out = "";
  let last = separated ? -1 : Number.NaN;
  for (const line of lines) {
    if (withContext && line.number !== last + 1 && !Number.isNaN(last)) out += "--\n";
    out += `${renderLine(hits[0]!, line, view)}\n`;
    last = line.number;
  }
  return out;
}

/** As --only-matching and --vimgrep print them. A line without a match in it is what --invert-match found. */
function renderMatches(hit: GrepHit, view: GrepView): string {
  const place = linePrefix(hit, hit.line, ":", view);
  const spans = hit.spans();
  const all =
    view.eachMatch === "match"
      ? spans.filter(({ start, end }) => end > start)
      : spans.length === 0
        ? [{ start: 0, end: 0 }]
        : spans.filter(({ continued }) => continued !== true);
  return all
    .map(({ start, end }) => {
      const column = view.columns ? `${Buffer.byteLength(hit.text.slice(0, start)) + 1}:` : "";
      const found = view.style.match(shown(hit.text.slice(start, end), view));
      const text = view.eachMatch === "line" ? marked(hit, view) : found;
      return `${place}${place === "" ? "" : ":"}${column}${text}\n`;
    })
    .join("");
}

/** Every line once: a match of one hit may be the context of another. */
function mergeLines(hits: readonly GrepHit[]): ShownLine[] {
  const lines = new Map<number, ShownLine>();
  for (const { line, before, after } of hits) {
    for (const [i, text] of before.entries())
      lines.set(line - before.length + i, { number: line - before.length + i, text });
    for (const [i, text] of after.entries()) lines.set(line + 1 + i, { number: line + 1 + i, text });
  }
  for (const hit of hits) lines.set(hit.line, { number: hit.line, text: hit.text, hit });
  return [...lines.values()].sort((a, b) => a.number - b.number);
}

function renderLine(file: GrepHit, { number, text, hit }: ShownLine, view: GrepView): string {
  const sign = hit === undefined ? "-" : ":";
  const place = linePrefix(file, number, sign, view);
  const score = view.scores && hit !== undefined ? `${view.style.dim("[1.000]")} ` : "";
  return `${score}${place}${place === "" ? "" : sign}${hit === undefined ? source(text, view) : marked(hit, view)}`;
}

function linePrefix({ path }: GrepHit, line: number, sign: string, view: GrepView): string {
  const name = view.paths ? renderPath(path, view) : "";
  const number = view.lineNumbers ? view.style.line(String(line)) : "";
  const between = view.nullAfterPath && view.paths ? "\0" : sign;
  const place = name === "" || number === "" ? name + number : name + between + number;
  return view.link === undefined || place === "" ? place : view.link(place, path, line);
}

export function renderPath(path: string, view: Pick<GrepView, "style" | "isTerminal" | "shownPath">): string {
  return view.style.path(shown(view.shownPath(path), view));
}

function shown(text: string, { isTerminal }: Pick<GrepView, "isTerminal">): string {
  return isTerminal ? printable(text) : text;
}

function marked(hit: GrepHit, view: GrepView): string {
  if (!view.isTerminal) return hit.text;
  let out = "";
  let at = 0;
  for (const { start, end } of hit.spans()) {
    out += source(hit.text.slice(at, start), view) + view.style.match(shown(hit.text.slice(start, end), view));
    at = end;
  }
  return out + source(hit.text.slice(at), view);
}

function source(text: string, view: Pick<GrepView, "isTerminal" | "style">): string {
  return view.isTerminal ? paintSource(printable(text), view.style, (part, paint) => paint(part)) : text;
}
