/** Colours by meaning, counts as people read them, and text that cannot control a terminal. */

import type { Coverage } from "../../model/code.ts";
import { escaped, visible, visibleText } from "../../tools/json.ts";

export interface Style {
  path(text: string): string;
  line(text: string): string;
  name(text: string): string;
  match(text: string): string;
  dim(text: string): string;
  good(text: string): string;
  warn(text: string): string;
  bad(text: string): string;
}

export function createStyle({ colour }: { readonly colour: boolean }): Style {
  const paint = (code: string) => (text: string) => (colour && text !== "" ? `\x1b[${code}m${text}\x1b[0m` : text);
  return {
    path: paint("35"),
    line: paint("32"),
    name: paint("1"),
    match: paint("1;31"),
    dim: paint("2"),
    good: paint("32"),
    warn: paint("33"),
    bad: paint("31"),
  };
}

/** Repository text on one line, with nothing in it that steers a terminal or that a reader cannot see: `\u001b`, `\u202e`. */
export function printable(text: string): string {
  return visibleText(text.replace(/\r$/, "").replaceAll("\t", "    ")).replaceAll("\n", "\\u000a");
}

/** Colours and the line that the progress bar rewrites; or a character that steers a terminal. */
const CONTROLS = /^\r\x1b\[2K|\x1b\[[\d;]*m|[\0-\x08\x0b\x0c\x0e-\x1f]|\r(?!\n)/g;

/**
 * The last step before a stream, for text that was not made printable: of all control characters only line ends, tabs and
 * our own sequences are left. The escapes are those of JSON, so JSON text keeps its meaning.
 */
export function safeOutput(text: string, { colour }: { readonly colour: boolean }): string {
  return visible(
    text.replace(CONTROLS, (found) => {
      const isOurs = found.endsWith("m") ? colour : found.length > 1;
      return isOurs ? found : escaped(found[0]!) + found.slice(1);
    }),
  );
}

/** `1 file`, `12,345 files`. */
export function counted(number: number, thing: string): string {
  return `${number.toLocaleString("en-US")} ${thing}${number === 1 ? "" : "s"}`;
}

/** `Skipped 12: 8 binary, 4 too_large`; empty when nothing was. */
export function skippedText(coverage: Coverage | undefined): string {
  if (!coverage || coverage.filesSkipped === 0) return "";
  const reasons = Object.entries(coverage.skippedReasons)
    .sort(([a, x], [b, y]) => (y ?? 0) - (x ?? 0) || (a < b ? -1 : 1))
    .map(([reason, count]) => `${(count ?? 0).toLocaleString("en-US")} ${reason}`);
  return `Skipped ${coverage.filesSkipped.toLocaleString("en-US")}: ${reasons.join(", ")}`;
}
