/**
 * Patterns with byte classes, such as `(?-u)\W` or `(?-u).`: ripgrep matches them on bytes, and a character beyond ASCII has
 * two to four. Such a pattern is converted to bytes, and the text to its UTF-8 form with one character per byte.
 */
import type { MatchSpan } from "../model/grep.ts";
import { ASCII_SET, type CharSet, intersect, toRanges } from "./char-set.ts";
import { type Assertion, badPattern, type Node } from "./syntax.ts";

export const HIGH_BYTES: CharSet = [0x80, 0xff];

export function usesBytes(node: Node): boolean {
  if (node.kind === "cat" || node.kind === "alt") return node.parts.some(usesBytes);
  if (node.kind === "repeat") return usesBytes(node.node);
  // These also hold between two bytes of one character.
  if (node.kind === "assertion") return node.assertion.mode === "ascii" && NOT_A_WORD.has(node.assertion.at);
  return node.kind === "byte";
}

const NOT_A_WORD: ReadonlySet<Assertion["at"]> = new Set(["inside", "half-start", "half-end"] as const);

/** The same pattern over bytes. */
export function toByteNodes(node: Node): Node {
  switch (node.kind) {
    case "set":
      return toByteNode(node.set);
    case "cat":
    case "alt":
      return { ...node, parts: node.parts.map(toByteNodes) };
    case "repeat":
      return { ...node, node: toByteNodes(node.node) };
    case "assertion":
      if (node.assertion.mode === "unicode" && node.assertion.at !== "start" && node.assertion.at !== "end")
        throw unicodeBoundary();
      return node;
    default:
      return node;
  }
}

/** A byte has no Unicode word property. */
function unicodeBoundary() {
  const reason =
    "a class of bytes such as (?-u)\\W cannot be used with whole words or a Unicode word boundary; write (?-u:\\b)";
  return badPattern(reason, 0);
}

function toByteNode(set: CharSet): Node {
  const ascii = intersect(set, ASCII_SET);
  const parts: Node[] = ascii.length === 0 ? [] : [{ kind: "set", set: ascii }];
  for (const [first, last] of toRanges(set)) {
    if (last > 0x7f) for (const ranges of sequences(Math.max(first, 0x80), last)) parts.push(sequence(ranges));
  }
  if (parts.length === 0) return { kind: "set", set };
  return parts.length === 1 ? parts[0]! : { kind: "alt", parts };
}

type ByteRange = readonly [number, number];

function sequence(ranges: readonly ByteRange[]): Node {
  return { kind: "cat", parts: ranges.map((range) => ({ kind: "set", set: range })) };
}

/** Last code points of two, three and four bytes. */
const LAST_OF_LENGTH = [0x7ff, 0xffff, 0x10ffff];

/** Sequences of byte ranges that together encode the code points from `first` (beyond ASCII) to `last`. */
function sequences(first: number, last: number): ByteRange[][] {
  const split = (at: number) => [...sequences(first, at), ...sequences(at + 1, last)];
  for (const end of LAST_OF_LENGTH) if (first <= end && end < last) return split(end);
  // If the ends differ in a byte, all later bytes must take every value.
  for (let bits = 6; bits <= 18; bits += 6) {
    const mask = (1 << bits) - 1;
    if ((first & ~mask) === (last & ~mask)) continue;
    if ((first & mask) !== 0) return split(first | mask);
    if ((last & mask) !== mask) return split((last & ~mask) - 1);
  }
  const [from, to] = [encoded(first), encoded(last)];
  return [from.map((byte, i) => [byte, to[i]!])];
}

function encoded(codePoint: number): number[] {
  const length = LAST_OF_LENGTH.findIndex((last) => codePoint <= last) + 2;
  const tail = Array.from({ length: length - 1 }, (_, i) => 0x80 | ((codePoint >> (6 * (length - 2 - i))) & 0x3f));
  const lead = ((0xf00 >> length) & 0xff) | (codePoint >> (6 * (length - 1)));
  return [lead, ...tail];
}

export function toUtf8(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

type NextLine = (text: string, from: number) => number;

/** Searches the bytes of a text and returns line starts in the text itself. */
export function inCharacters(text: string, next: NextLine): (from: number) => number {
  const bytes = toUtf8(text);
  if (bytes.length === text.length) return (from) => next(bytes, from);
  // The start of the same line, in the text and in its bytes.
  let [inText, inBytes] = [0, 0];
  const forward = (isThere: () => boolean) => {
    while (!isThere()) [inText, inBytes] = [lineAfter(text, inText), lineAfter(bytes, inBytes)];
  };
  return (from) => {
    if (from < inText) [inText, inBytes] = [0, 0];
    forward(() => inText >= from);
    const found = next(bytes, inBytes);
    if (found < 0) return found;
    forward(() => inBytes >= found);
    return inText;
  };
}

function lineAfter(text: string, at: number): number {
  const newline = text.indexOf("\n", at);
  return newline < 0 ? text.length : newline + 1;
}

/** Converts spans of bytes to spans of the line; a partly matched character is included. */
export function spansInCharacters(line: string, spans: readonly MatchSpan[]): MatchSpan[] {
  const starts: number[] = [];
  const ends: number[] = [0];
  let at = 0;
  for (const char of line) {
    for (let i = Buffer.byteLength(char); i > 0; i--) {
      starts.push(at);
      ends.push(at + char.length);
    }
    at += char.length;
  }
  const whole = spans.map(({ start, end }) => ({ start: starts[start]!, end: ends[end]! }));
  // Two bytes of one character are one character.
  return whole.filter(({ start }, i) => i === 0 || start >= whole[i - 1]!.end);
}
