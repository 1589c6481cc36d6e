/** What stands after a backslash: a character, a class or a place between characters. */
import { type CharSet, negate } from "./char-set.ts";
import type { PatternReader } from "./reader.ts";
import type { Assertion } from "./syntax.ts";
import { ASCII_DIGIT, ASCII_SPACE, ASCII_WORD, digit, namedClass, space, word } from "./unicode.ts";

export type Escape =
  | { readonly kind: "char"; readonly codePoint: number }
  | { readonly kind: "class"; readonly set: CharSet }
  | { readonly kind: "look"; readonly look: Assertion };

/** The reader stands on the backslash. */
export function parseEscape(reader: PatternReader): Escape {
  const start = reader.at++;
  if (reader.done) throw reader.fail("incomplete escape sequence, reached end of pattern prematurely", start);
  const char = reader.next();
  if (/[0-9]/.test(char)) throw reader.fail("backreferences are not supported", start);
  if (char === "p" || char === "P") return { kind: "class", set: propertyClass(reader, start, char === "P") };
  const shorthand = shorthandClass(char, reader);
  if (shorthand !== undefined) return { kind: "class", set: shorthand };
  const look = parseAssertion(char, reader);
  if (look !== undefined) return { kind: "look", look };
  if (char === "x" || char === "u" || char === "U") {
    return { kind: "char", codePoint: hexCodePoint(reader, start, HEX_DIGITS[char]!) };
  }
  const control = CONTROLS[char];
  if (control !== undefined) return { kind: "char", codePoint: control };
  // Any ASCII character that is no letter may be escaped, as it might be given a meaning.
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
  // Single bytes that are no characters cannot be found in decoded text.
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
  // Folded before it is negated: `(?i)\\P{Lu}` is what is neither upper case nor differs from it by case only.
  return negated ? negate(reader.folded(set)) : set;
}
