/**
 * Parses ripgrep's pattern syntax. Look-around and back-references are refused, because they cannot run in linear time.
 * No set contains `\n`: search is line by line, and a pattern that requires one is refused, or means `LINE_END`.
 */
import type { PatternOptions } from "../model/grep.ts";
import {
  ASCII_SET,
  type CharSet,
  EMPTY_SET,
  has,
  intersect,
  LAST_CODE_POINT,
  negate,
  single,
  subtract,
  union,
} from "./char-set.ts";
import { MOST_NESTED, parseClass, parseEscape } from "./parse-class.ts";
import { type Assertion, badPattern, EMPTY, type Flags, LINE_END, type Node, PatternReader } from "./syntax.ts";

/** Longer patterns are pasted word lists, which would take seconds to compile. */
const LONGEST_PATTERN = 20_000;
const NEWLINE = 0x0a;

export function parse(pattern: string, options: PatternOptions = {}): Node {
  if (pattern.length > LONGEST_PATTERN)
    throw badPattern(`the pattern is longer than ${LONGEST_PATTERN} characters`, LONGEST_PATTERN);
  // A lone surrogate would match half of an emoji.
  if (!pattern.isWellFormed()) throw badPattern("this is not a Unicode scalar value", [...pattern].findIndex(isHalf));
  const flags = {
    ...DEFAULT_FLAGS,
    ignoreCase: options.ignoreCase === true,
    multiline: options.multiline === true,
  };
  const node = options.literal ? literal(pattern, flags) : whole(new PatternReader(pattern, flags));
  return options.wholeWords ? { kind: "cat", parts: [half("half-start"), node, half("half-end")] } : node;
}

function isHalf(char: string): boolean {
  return !char.isWellFormed();
}

const DEFAULT_FLAGS: Flags = {
  ignoreCase: false,
  dotAll: false,
  swapGreed: false,
  unicode: true,
  verbose: false,
  crlf: false,
  multiline: false,
  lineAnchors: true,
};

function half(at: Assertion["at"]): Node {
  return { kind: "assertion", assertion: { at, mode: "unicode" } };
}

function literal(text: string, flags: Flags): Node {
  const reader = new PatternReader(text, flags);
  return cat(reader.chars.map((char, at) => set(single(char.codePointAt(0)!), reader, at)));
}

function whole(reader: PatternReader): Node {
  const node = alternation(reader, { names: new Set(), depth: 0 });
  if (!reader.done) throw reader.fail("unopened group");
  return node;
}

interface GroupContext {
  readonly names: Set<string>;
  readonly depth: number;
}

function alternation(reader: PatternReader, inside: GroupContext): Node {
  if (inside.depth > MOST_NESTED) throw reader.fail("the pattern is nested too deeply");
  const before = reader.flags;
  const parts = [concatenation(reader, inside)];
  while (reader.take("|")) parts.push(concatenation(reader, inside));
  // A flag that is set inside a group ends with it.
  reader.flags = before;
  return parts.length === 1 ? parts[0]! : { kind: "alt", parts };
}

function concatenation(reader: PatternReader, inside: GroupContext): Node {
  const parts: Node[] = [];
  for (;;) {
    reader.skipBlank();
    if (reader.done || reader.char === "|" || reader.char === ")") return cat(parts);
    if ("*+?{".includes(reader.char)) {
      const last = parts.pop();
      if (last === undefined) throw reader.fail("repetition operator missing expression");
      parts.push(repeat(last, reader));
    } else {
      const node = atom(reader, inside);
      if (node !== undefined) parts.push(node);
    }
  }
}

/** Undefined for a group that only sets flags. */
function atom(reader: PatternReader, inside: GroupContext): Node | undefined {
  switch (reader.char) {
    case "(":
      return group(reader, inside);
    case "[": {
      const at = reader.at;
      return set(parseClass(reader), reader, at, "folded");
    }
    case "\\":
      return escaped(reader);
    case ".":
      reader.at++;
      return setNode(dot(reader.flags), reader);
    case "^":
    case "$": {
      const { crlf, multiline, lineAnchors } = reader.flags;
      const end = reader.next() === "^" ? "start" : "end";
      const at = multiline && lineAnchors ? (`line-${end}` as const) : end;
      return { kind: "assertion", assertion: { at, mode: crlf ? "crlf" : "unicode" } };
    }
    default: {
      const at = reader.at;
      return set(single(reader.next().codePointAt(0)!), reader, at);
    }
  }
}

function dot({ dotAll, crlf, multiline }: Flags): CharSet {
  const newline = multiline && !dotAll ? union(single(NEWLINE), single(LINE_END)) : single(NEWLINE);
  return negate(crlf && !dotAll ? union(newline, single(0x0d)) : newline);
}

function escaped(reader: PatternReader): Node {
  const at = reader.at;
  const read = parseEscape(reader);
  if (read.kind === "assertion") return { kind: "assertion", assertion: read.assertion };
  return set(read.kind === "char" ? single(read.codePoint) : read.set, reader, at);
}

/** Removes the newline from a set, or replaces it; a set of nothing else could never match and is refused. */
function set(given: CharSet, reader: PatternReader, at: number, state: "raw" | "folded" = "raw"): Node {
  const read = state === "raw" ? reader.folded(given) : given;
  const folded = reader.flags.multiline ? withLineEnd(read) : read;
  if (!has(folded, NEWLINE)) {
    if (folded.length === 2 && folded[0] === 0 && folded[1] === 0)
      throw reader.fail('the pattern contains "\\0", which no text file does', at);
    return setNode(folded, reader);
  }
  const rest = subtract(folded, single(NEWLINE));
  if (rest === EMPTY_SET || rest.length === 0)
    throw reader.fail('the literal "\\n" is not allowed: a search looks at one line at a time', at);
  return setNode(rest, reader);
}

function withLineEnd(set: CharSet): CharSet {
  const hasNewline = has(set, NEWLINE);
  const rest = subtract(set, union(single(NEWLINE), single(LINE_END)));
  return hasNewline ? union(rest, single(LINE_END)) : rest;
}

/** Without Unicode, a negated class contains every byte of characters beyond ASCII. */
function setNode(set: CharSet, { flags }: PatternReader): Node {
  const isOfBytes = !flags.unicode && has(set, FIRST_BEYOND_ASCII) && has(set, LAST_CODE_POINT);
  return isOfBytes ? { kind: "byte", ascii: intersect(set, ASCII_SET) } : { kind: "set", set };
}

const FIRST_BEYOND_ASCII = 0x80;

function group(reader: PatternReader, inside: GroupContext): Node | undefined {
  const start = reader.at;
  const before = reader.flags;
  const head = parseGroupHead(reader, inside.names);
  if (head === "flags") return undefined;
  const node = alternation(reader, { ...inside, depth: inside.depth + 1 });
  if (!reader.take(")")) throw reader.fail("unclosed group", start);
  reader.flags = before;
  return node;
}

function repeat(node: Node, reader: PatternReader): Node {
  const { at } = reader;
  const { min, max } = bounds(reader);
  const lazy = reader.take("?") !== reader.flags.swapGreed;
  return { kind: "repeat", node, min, max, lazy, at };
}

function cat(parts: readonly Node[]): Node {
  if (parts.length === 0) return EMPTY;
  return parts.length === 1 ? parts[0]! : { kind: "cat", parts };
}

/** Starts at the parenthesis and ends at the group's content. `flags`: the group was only `(?flags)`. */
function parseGroupHead(reader: PatternReader, names: Set<string>): "group" | "flags" {
  const start = reader.at++;
  reader.skipBlank();
  for (const lookaround of ["?=", "?!", "?<=", "?<!"]) {
    if (reader.take(lookaround))
      throw reader.fail("look-around, including look-ahead and look-behind, is not supported", start);
  }
  if (reader.take("?P<") || reader.take("?<")) {
    name(reader, names);
    return "group";
  }
  if (!reader.take("?")) return "group";
  return flags(reader, start);
}

function name(reader: PatternReader, names: Set<string>): void {
  const start = reader.at;
  let text = "";
  while (!reader.done && reader.char !== ">") {
    const allowed = text === "" ? /^[\p{Alphabetic}_]$/u : /^[\p{Alphabetic}\p{N}_.[\]]$/u;
    if (!allowed.test(reader.char)) throw reader.fail("invalid capture group character");
    text += reader.next();
  }
  if (reader.done) throw reader.fail("unclosed capture group name", start);
  reader.at++;
  if (text === "") throw reader.fail("empty capture group name", start);
  if (names.has(text)) throw reader.fail("duplicate capture group name", start);
  names.add(text);
}

/** `m` has no effect where text is searched line by line. */
const LETTERS: Readonly<Record<string, keyof Flags>> = {
  i: "ignoreCase",
  m: "lineAnchors",
  s: "dotAll",
  U: "swapGreed",
  u: "unicode",
  x: "verbose",
  R: "crlf",
};

function flags(reader: PatternReader, start: number): "group" | "flags" {
  const seen = new Set<string>();
  const changed: Partial<Record<keyof Flags, boolean>> = {};
  let negatedAt = -1;
  for (;;) {
    if (reader.done) throw reader.fail("unclosed group", start);
    const char = reader.next();
    if (char === ":" || char === ")") return finish(reader, char, { changed, seen, negatedAt, start });
    if (seen.has(char))
      throw reader.fail(char === "-" ? "flag negation operator repeated" : "duplicate flag", reader.at - 1);
    seen.add(char);
    if (char === "-") {
      negatedAt = reader.at - 1;
      continue;
    }
    const flag = LETTERS[char];
    if (flag === undefined) throw reader.fail("unrecognized flag", reader.at - 1);
    changed[flag] = negatedAt < 0;
  }
}

interface FlagGroup {
  readonly changed: Partial<Record<keyof Flags, boolean>>;
  readonly seen: ReadonlySet<string>;
  readonly negatedAt: number;
  readonly start: number;
}

function finish(reader: PatternReader, end: string, { changed, seen, negatedAt, start }: FlagGroup): "group" | "flags" {
  const dangling = negatedAt >= 0 && reader.at - 2 === negatedAt;
  if (dangling) throw reader.fail("dangling flag negation operator", negatedAt);
  if (end === ")" && seen.size === 0) throw reader.fail("repetition operator missing expression", start + 1);
  reader.flags = { ...reader.flags, ...changed };
  return end === ":" ? "group" : "flags";
}

interface RepeatBounds {
  readonly min: number;
  readonly max: number;
}

/** Starts at the operator. */
function bounds(reader: PatternReader): RepeatBounds {
  const start = reader.at;
  switch (reader.next()) {
    case "*":
      return { min: 0, max: Number.POSITIVE_INFINITY };
    case "+":
      return { min: 1, max: Number.POSITIVE_INFINITY };
    case "?":
      return { min: 0, max: 1 };
    default:
      return counted(reader, start);
  }
}

/** Blanks are allowed around the numbers. */
function counted(reader: PatternReader, start: number): RepeatBounds {
  const min = number(reader, start);
  if (reader.take("}")) return { min, max: min };
  if (!reader.take(",")) throw unclosed(reader, start);
  blanks(reader);
  if (reader.take("}")) return { min, max: Number.POSITIVE_INFINITY };
  const max = number(reader, start);
  if (!reader.take("}")) throw unclosed(reader, start);
  if (min > max) throw reader.fail("invalid repetition count range, the start must be <= the end", start);
  return { min, max };
}

/** Far above what compiles; keeps the arithmetic exact. */
const LARGEST_COUNT = 0xffffffff;

function number(reader: PatternReader, start: number): number {
  blanks(reader);
  if (reader.done) throw unclosed(reader, start);
  let digits = "";
  while (/^[0-9]$/.test(reader.char)) digits += reader.next();
  if (digits === "") throw reader.fail("repetition quantifier expects a valid decimal");
  if (digits.length > 10 || Number(digits) > LARGEST_COUNT) throw reader.fail("decimal literal invalid", start);
  blanks(reader);
  return Number(digits);
}

function blanks(reader: PatternReader): void {
  while (reader.char === " " || reader.char === "\t") reader.at++;
}

function unclosed(reader: PatternReader, start: number) {
  return reader.fail("unclosed counted repetition", start);
}
