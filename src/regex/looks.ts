/** Places between two characters: what each side is, as bits, and whether a place holds there. */

import type { CharSet } from "./char-set.ts";
import type { Assertion } from "./syntax.ts";
import { ASCII_WORD, word } from "./unicode.ts";

/** What the character on one side is. The edge of a line is on both sides a line's end. */
export const SIDE = { word: 1, asciiWord: 2, cr: 4, edge: 8 } as const;

/** Sets that the letters must tell apart so that every look can be decided, with the bit that each sets. */
export function assertionSets(looks: readonly Assertion[]): readonly { readonly set: CharSet; readonly bit: number }[] {
  const words = looks.filter(({ at }) => at !== "start" && at !== "end");
  return [
    ...(words.some(({ mode }) => mode !== "ascii") ? [{ set: word(), bit: SIDE.word }] : []),
    ...(words.some(({ mode }) => mode === "ascii") ? [{ set: ASCII_WORD, bit: SIDE.asciiWord }] : []),
    ...(looks.some(({ mode }) => mode === "crlf") ? [{ set: [0x0d, 0x0d], bit: SIDE.cr }] : []),
  ];
}

export function holds({ at, mode }: Assertion, before: number, after: number): boolean {
  if (at === "start") return isEdge(before) || (mode === "crlf" && isCr(before) && !isEdge(after));
  if (at === "end") return mode === "crlf" ? endsCrlf(before, after) : isEdge(after);
  const bit = mode === "ascii" ? SIDE.asciiWord : SIDE.word;
  return holdsWord(at, (before & bit) !== 0, (after & bit) !== 0);
}

function holdsWord(at: Assertion["at"], before: boolean, after: boolean): boolean {
  switch (at) {
    case "boundary":
      return before !== after;
    case "inside":
      return before === after;
    case "word-start":
      return !before && after;
    case "word-end":
      return before && !after;
    case "half-start":
      return !before;
    default:
      return !after;
  }
}

/** Before `\r`, and at the end of the line unless that is the middle of `\r\n`. */
function endsCrlf(before: number, after: number): boolean {
  return isCr(after) || (isEdge(after) && !isCr(before));
}

function isEdge(side: number): boolean {
  return (side & SIDE.edge) !== 0;
}

function isCr(side: number): boolean {
  return (side & SIDE.cr) !== 0;
}
