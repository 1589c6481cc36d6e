/** `[…]`: characters, ranges, classes in classes, and the set operations `&&`, `--` and `~~`. */
import {
  type CharSet,
  charSet,
  difference,
  EMPTY_SET,
  intersect,
  negate,
  single,
  subtract,
  union,
} from "./char-set.ts";
import type { Assertion, PatternReader } from "./syntax.ts";
import { ASCII_DIGIT, ASCII_SPACE, ASCII_WORD, digit, namedClass, space, word } from "./unicode.ts";

/** Maximum nesting of groups and classes. */
export const MOST_NESTED = 250;

/** Starts at the opening bracket. */
export function parseClass(reader: PatternReader, depth = 0): CharSet {
  if (depth > MOST_NESTED) throw reader.fail("the pattern is nested too deeply");
  const start = reader.at++;
  const negated = reader.take("^");
  let operands: CharSet[] = leadingLiterals(reader);
  // Set operators bind more loosely than adjacency and are left-associative.
  let apply = (right: CharSet) => right;
  const evaluate = () => apply(operands.length === 0 ? EMPTY_SET : reader.folded(union(...operands)));
  for (;;) {
    reader.skipBlank();
    if (reader.done) throw reader.fail("unclosed character class", start);
    if (reader.take("]")) break;
    const operator = Object.keys(OPERATORS).find((text) => reader.take(text));
    if (operator === undefined) operands.push(item(reader, start, depth));
    else {
      const left = evaluate();
      apply = (right) => OPERATORS[operator as keyof typeof OPERATORS](left, right);
      operands = [];
    }
  }
  const set = evaluate();
  return negated ? negate(set) : set;
}

const OPERATORS = { "&&": intersect, "--": subtract, "~~": difference } as const;

/** A bracket or dashes at the start are literal. */
function leadingLiterals(reader: PatternReader): CharSet[] {
  reader.skipBlank();
  const literals: CharSet[] = [];
  while (reader.take("-")) literals.push(single(0x2d));
  if (literals.length === 0 && reader.take("]")) literals.push(single(0x5d));
  return literals;
}

function item(reader: PatternReader, start: number, depth: number): CharSet {
  if (reader.char === "[") return posixClass(reader) ?? parseClass(reader, depth + 1);
  const from = reader.at;
  const first = literalOrClass(reader, start);
  reader.skipBlank();
  // A dash before the end or before another dash is no range.
  if (reader.char !== "-" || reader.peek() === "]" || reader.peek() === "-") return toSet(first);
  reader.at++;
  reader.skipBlank();
  if (reader.done) throw reader.fail("unclosed character class", start);
  const lastAt = reader.at;
  const last = literalOrClass(reader, start);
  if (typeof first !== "number") throw reader.fail("invalid range boundary, must be a literal", from);
  if (typeof last !== "number") throw reader.fail("invalid range boundary, must be a literal", lastAt);
  if (first > last) throw reader.fail("invalid character class range, the start must be <= the end", from);
  return charSet([[first, last]]);
}

function toSet(item: number | CharSet): CharSet {
  return typeof item === "number" ? single(item) : item;
}

function literalOrClass(reader: PatternReader, start: number): number | CharSet {
  if (reader.char !== "\\") {
    if (reader.done) throw reader.fail("unclosed character class", start);
    return member(reader, reader.at, reader.next().codePointAt(0)!);
  }
  const at = reader.at;
  const read = parseEscape(reader);
  if (read.kind === "assertion") throw reader.fail("invalid escape sequence found in character class", at);
  return read.kind === "char" ? member(reader, at, read.codePoint) : read.set;
}

/** Without Unicode a class contains bytes, and a character of several bytes is not allowed. */
function member(reader: PatternReader, at: number, codePoint: number): number {
  if (!reader.flags.unicode && codePoint > 0x7f) throw reader.fail("Unicode is not allowed here", at);
  return codePoint;
}

const POSIX = new Map<string, CharSet>(
  Object.entries({
    alnum: [0x30, 0x39, 0x41, 0x5a, 0x61, 0x7a],
    alpha: [0x41, 0x5a, 0x61, 0x7a],
    ascii: [0, 0x7f],
    blank: [0x09, 0x09, 0x20, 0x20],
    cntrl: [0, 0x1f, 0x7f, 0x7f],
    digit: [0x30, 0x39],
    graph: [0x21, 0x7e],
    lower: [0x61, 0x7a],
    print: [0x20, 0x7e],
    punct: [0x21, 0x2f, 0x3a, 0x40, 0x5b, 0x60, 0x7b, 0x7e],
    space: [0x09, 0x0d, 0x20, 0x20],
    upper: [0x41, 0x5a],
    word: [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a],
    xdigit: [0x30, 0x39, 0x41, 0x46, 0x61, 0x66],
  }),
);

/** `[:alpha:]`; any other `[` is a nested class. */
function posixClass(reader: PatternReader): CharSet | undefined {
  const text = reader.chars.slice(reader.at, reader.at + 12).join("");
  const found = /^\[:(\^?)([a-z]+):\]/.exec(text);
  const set = found && POSIX.get(found[2]!);
  if (!found || !set) return undefined;
  reader.at += found[0].length;
  return found[1] === "^" ? negate(reader.folded(set)) : set;
}

type Escape =
  | { readonly kind: "char"; readonly codePoint: number }
  | { readonly kind: "class"; readonly set: CharSet }
  | { readonly kind: "assertion"; readonly assertion: Assertion };

/** Starts at the backslash. */
export function parseEscape(reader: PatternReader): Escape {
  const start = reader.at++;
  if (reader.done) throw reader.fail("incomplete escape sequence, reached end of pattern prematurely", start);
  const char = reader.next();
  if (/[0-9]/.test(char)) throw reader.fail("backreferences are not supported", start);
  if (char === "p" || char === "P") return { kind: "class", set: propertyClass(reader, start, char === "P") };
  const shorthand = shorthandClass(char, reader);
  if (shorthand !== undefined) return { kind: "class", set: shorthand };
  const assertion = parseAssertion(char, reader);
  if (assertion !== undefined) return { kind: "assertion", assertion };
  if (char === "x" || char === "u" || char === "U") {
    return { kind: "char", codePoint: hexCodePoint(reader, start, HEX_DIGITS[char]!) };
  }
  const control = CONTROLS[char];
  if (control !== undefined) return { kind: "char", codePoint: control };
  // Any ASCII character except letters and digits may be escaped.
  if (/^[\0-\x7f]$/.test(char) && !/[A-Za-z]/.test(char)) return { kind: "char", codePoint: char.codePointAt(0)! };
  throw reader.fail("unrecognized escape sequence", start);
}

const HEX_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };
const CONTROLS: Readonly<Record<string, number>> = { a: 0x07, f: 0x0c, t: 0x09, n: 0x0a, r: 0x0d, v: 0x0b };

function shorthandClass(char: string, { flags }: PatternReader): CharSet | undefined {
  const classes: Readonly<Record<string, () => CharSet>> = flags.unicode
    ? { d: digit, s: space, w: word }
    : { d: () => ASCII_DIGIT, s: () => ASCII_SPACE, w: () => ASCII_WORD };
  const set = classes[char.toLowerCase()]?.();
  return set && char !== char.toLowerCase() ? negate(set) : set;
}

function parseAssertion(char: string, reader: PatternReader): Assertion | undefined {
  const mode = reader.flags.unicode ? "unicode" : "ascii";
  switch (char) {
    case "A":
      return { at: "start", mode };
    case "z":
      return { at: "end", mode };
    case "B":
      return { at: "inside", mode };
    case "<":
      return { at: "word-start", mode };
    case ">":
      return { at: "word-end", mode };
    case "b":
      return { at: parseBoundary(reader), mode };
    default:
      return undefined;
  }
}

const BOUNDARIES = {
  "{start}": "word-start",
  "{end}": "word-end",
  "{start-half}": "half-start",
  "{end-half}": "half-end",
} as const;

function parseBoundary(reader: PatternReader): Assertion["at"] {
  for (const [text, at] of Object.entries(BOUNDARIES)) if (reader.take(text)) return at;
  const isName = reader.char === "{" && /[A-Za-z-]/.test(reader.peek());
  if (isName) throw reader.fail("special word boundary assertion is either unclosed or unknown");
  return "boundary";
}

function hexCodePoint(reader: PatternReader, start: number, digits: number): number {
  const isBraced = reader.char === "{";
  const text = isBraced ? braced(reader, start) : fixed(reader, digits, start);
  if (!/^[0-9A-Fa-f]+$/.test(text)) throw reader.fail("invalid hexadecimal digit", start);
  const codePoint = Number.parseInt(text, 16);
  const isChar = codePoint <= 0x10ffff && (codePoint < 0xd800 || codePoint > 0xdfff);
  if (!isChar) throw reader.fail("hexadecimal literal is not a Unicode scalar value", start);
  // Decoded text has no single bytes above 7F.
  if (!reader.flags.unicode && digits === 2 && !isBraced && codePoint > 0x7f)
    throw reader.fail("bytes above 7F are not supported: the text is searched as Unicode", start);
  return codePoint;
}

function fixed(reader: PatternReader, digits: number, start: number): string {
  if (reader.at + digits > reader.chars.length)
    throw reader.fail("incomplete escape sequence, reached end of pattern prematurely", start);
  const text = reader.chars.slice(reader.at, reader.at + digits).join("");
  reader.at += digits;
  return text;
}

function braced(reader: PatternReader, start: number): string {
  const end = reader.chars.indexOf("}", reader.at);
  if (end < 0) throw reader.fail("incomplete escape sequence, reached end of pattern prematurely", start);
  const text = reader.chars.slice(reader.at + 1, end).join("");
  reader.at = end + 1;
  return text;
}

function propertyClass(reader: PatternReader, start: number, negated: boolean): CharSet {
  if (!reader.flags.unicode) throw reader.fail("Unicode is not allowed here", start);
  if (reader.done) throw reader.fail("incomplete escape sequence, reached end of pattern prematurely", start);
  const name = reader.char === "{" ? braced(reader, start) : reader.next();
  const set = namedClass(name);
  if (set === undefined) throw reader.fail("Unicode property not found", start);
  // Fold before negating: `(?i)\\P{Lu}` excludes all cases of upper-case letters.
  return negated ? negate(reader.folded(set)) : set;
}
