/** What follows an opening parenthesis: a name, flags, or nothing. Captured text is never asked for, so names are only checked. */
import type { Flags, PatternReader } from "./reader.ts";

/** The reader stands on the parenthesis; it is left at the group's content. `flags`: the group was only `(?flags)`. */
export function parseGroupHead(reader: PatternReader, names: Set<string>): "group" | "flags" {
  const start = reader.at++;
  reader.skipBlank();
  for (const look of ["?=", "?!", "?<=", "?<!"]) {
    if (reader.take(look))
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

/** `m` changes nothing: line by line, the ends of the text are the ends of the line. */
const LETTERS: Readonly<Record<string, keyof Flags | "none">> = {
  i: "ignoreCase",
  m: "none",
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
    if (flag !== "none") changed[flag] = negatedAt < 0;
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
