/** What text answers are written with: meanings that a terminal may colour, and text that cannot control it. */
import type { Coverage } from "../../model/code.ts";
import { visibleText } from "../json.ts";

export interface Style {
  path(text: string): string;
  line(text: string): string;
  name(text: string): string;
  match(text: string): string;
  dim(text: string): string;
  good(text: string): string;
  warn(text: string): string;
  bad(text: string): string;
  /** Source. */
  keyword(text: string): string;
  string(text: string): string;
  number(text: string): string;
  comment(text: string): string;
  plain(text: string): string;
}

export interface AnswerView {
  readonly style: Style;
  /** Cells of a terminal; longer lines of source are cut. */
  readonly columns: number;
  /** Words of the query, in lower case, that source lines emphasize. */
  readonly words: readonly string[];
  /** Results carry their scores. */
  readonly scores?: boolean;
  /** A list of uses leaves out the path of the row above and the word "calls". */
  readonly terse?: boolean;
  /** Budget of the whole answer. */
  readonly maxTokens?: number | undefined;
  /** Makes `path:line` a link. */
  link?(text: string, path: string, line: number): string;
  /** The path as the reader names it. */
  shownPath(path: string): string;
}

const plain = (text: string) => text;

/** No colours. */
export const PLAIN: Style = {
  path: plain,
  line: plain,
  name: plain,
  match: plain,
  dim: plain,
  good: plain,
  warn: plain,
  bad: plain,
  keyword: plain,
  string: plain,
  number: plain,
  comment: plain,
  plain,
};

/** For a model: paths as the tools accept them. */
export const MODEL_VIEW: AnswerView = { style: PLAIN, columns: 100, words: [], terse: true, shownPath: plain };

/** Repository text on one line, with nothing in it that steers a terminal or that a reader cannot see: `\u001b`, `\u202e`. */
export function printable(text: string): string {
  return visibleText(text.replace(/\r$/, "").replaceAll("\t", "    ")).replaceAll("\n", "\\u000a");
}

/** `1 file`, `12,345 files`. */
export function counted(number: number, thing: string): string {
  return `${grouped(number)} ${thing}${number === 1 ? "" : "s"}`;
}

/** `12,345`. The first `toLocaleString` of a process loads ICU, which takes 7 to 30 ms of CPU. */
function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** `Skipped 12: 8 binary, 4 too_large`; empty when nothing was. */
export function skippedText(coverage: Coverage | undefined): string {
  if (!coverage || coverage.filesSkipped === 0) return "";
  const reasons = Object.entries(coverage.skippedReasons)
    .sort(([a, x], [b, y]) => (y ?? 0) - (x ?? 0) || (a < b ? -1 : 1))
    .map(([reason, count]) => `${grouped(count ?? 0)} ${reason}`);
  return `Skipped ${grouped(coverage.filesSkipped)}: ${reasons.join(", ")}`;
}

/** How many cells of a terminal a text takes: ideographs and emoji take two, combining marks none. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const NONE = /\p{M}|[\u200b-\u200d]/u;

export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += cells(character);
  return width;
}

/** Cut to the cells, with an ellipsis where something was cut. */
export function cutToWidth(text: string, most: number): string {
  // Every character takes at most two cells.
  if (text.length * 2 <= most || displayWidth(text) <= most) return text;
  let out = "";
  let width = 0;
  for (const character of text) {
    width += cells(character);
    if (width > most - 1) break;
    out += character;
  }
  return `${out}…`;
}

export function padToWidth(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - displayWidth(text)));
}

function cells(character: string): number {
  if (character < "\u0300") return 1;
  return WIDE.test(character) ? 2 : NONE.test(character) ? 0 : 1;
}
