/** Colours by meaning, and the last step before a stream. */

import { escaped, visible } from "../../tools/json.ts";
import { PLAIN, type Style } from "../../tools/text/style.ts";

export function createStyle({ colour }: { readonly colour: boolean }): Style {
  if (!colour) return PLAIN;
  const paint = (code: string) => (text: string) => (text === "" ? text : `\x1b[${code}m${text}\x1b[0m`);
  return {
    path: paint("35"),
    line: paint("32"),
    name: paint("1"),
    match: paint("1;31"),
    dim: paint("2"),
    good: paint("32"),
    warn: paint("33"),
    bad: paint("31"),
    keyword: paint("34"),
    string: paint("33"),
    number: paint("36"),
    comment: paint("90"),
    plain: PLAIN.plain,
  };
}

/** Colours, links and the line that the progress bar rewrites; or a character that steers a terminal. */
const CONTROLS = /^\r\x1b\[2K|\x1b\[[\d;]*m|\x1b\]8;;[!-~]*\x1b\\|[\0-\x08\x0b\x0c\x0e-\x1f]|\r(?!\n)/g;

/**
 * The last step before a stream, for text that was not made printable: of all control characters only line ends, tabs and
 * our own sequences are left. The escapes are those of JSON, so JSON text keeps its meaning.
 */
export function safeOutput(text: string, { colour }: { readonly colour: boolean }): string {
  return visible(
    text.replace(CONTROLS, (found) => {
      const isOurs = found.startsWith("\x1b") ? colour && found.length > 1 : found.length > 1;
      return isOurs ? found : found.replace(/[\0-\x1f]/g, escaped);
    }),
  );
}
