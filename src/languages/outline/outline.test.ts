import { expect, test } from "vitest";
import { OUTLINED } from "../without-grammar.ts";
import { comment, heredoc, maskOf, nested, quoted, quotedLines } from "./mask.ts";

const mask = maskOf([comment("#"), nested("(*", "*)"), quotedLines('"""'), quoted('"'), heredoc("<<(?<word>\\w+)")]);

const masked: readonly [title: string, text: string, expected: string][] = [
  ["a comment", "a # b\nc", "a    \nc"],
  ["a string that ends with its line", 'f("a\n"b")', 'f(" \n" ")'],
  ["an escaped quote", '"a\\"b" c', '"    " c'],
  ["a string of lines", '"""a\n#"""b', '""" \n """b'],
  ["nested comments", "(* (* x *) y *) z", "                z"],
  ["an open comment", "a (* b\nc", "a     \n "],
  ["a heredoc", "x = <<END + 1\n# {\n  END\ny", "x = <<END + 1\n   \n     \ny"],
  ["a shift operator", "1 <<x\n# y", "1 <<x\n   "],
];

test.each(masked)("masks %s", (_, text, expected) => {
  expect(mask(text)).toBe(expected);
  expect(mask(text.replaceAll("\n", "\r\n")).length).toBe(text.replaceAll("\n", "\r\n").length);
});

const HOSTILE: readonly string[] = [
  "{",
  "}",
  "(",
  "/* ",
  '"',
  "'",
  "$$",
  "<<A\n",
  "begin ",
  "end\n",
  "\n",
  "create table a (",
  "a\\\n",
];

test.each(OUTLINED.map((it) => [it.id, it] as const))("%s reads any text, with valid positions", (_, language) => {
  for (const piece of [...HOSTILE, ...language.extensions]) {
    const text = `${piece.repeat(300)}\nfunction f() {\r\n}\n${piece}`;
    for (const it of language.read!(text).definitions) {
      expect(it.nameStart).toBeGreaterThanOrEqual(it.start);
      expect(it.end).toBeGreaterThanOrEqual(it.nameEnd);
      expect(it.end).toBeLessThanOrEqual(text.length);
      expect(text.slice(0, it.start).split("\n").length).toBe(it.startRow + 1);
      expect(text.slice(0, Math.max(it.start, it.end - 1)).split("\n").length).toBe(it.endRow + 1);
    }
  }
});

test("a member that ends with a comment or with blanks belongs to its section", () => {
  const toml = OUTLINED.find(({ id }) => id === "toml")!;
  for (const tail of ["", " # last", "  ", "\r"]) {
    const [section, key] = toml.read!(`[a]\nb = 1${tail}\n\n# about c\n[c]\n`).definitions;
    expect(section!.end).toBe(key!.end);
  }
});

/** Characters that searches pass and patterns are given, while `run` runs. */
function work(run: () => void): number {
  const { indexOf } = String.prototype;
  const { exec } = RegExp.prototype;
  let passed = 0;
  String.prototype.indexOf = function (this: string, what: string, from = 0) {
    const found = indexOf.call(this, what, from);
    passed += (found < 0 ? this.length : found) - from;
    return found;
  };
  RegExp.prototype.exec = function (this: RegExp, text: string) {
    const from = this.global ? this.lastIndex : 0;
    const found = exec.call(this, text);
    passed += this.global ? (found?.index ?? text.length) - from : text.length;
    return found;
  };
  try {
    run();
  } finally {
    String.prototype.indexOf = indexOf;
    RegExp.prototype.exec = exec;
  }
  return passed;
}

test.each(OUTLINED.map((it) => [it.id, it] as const))("%s takes time in proportion to the text", (_, { read }) => {
  for (const piece of [...HOSTILE, "function f() ", "sub f(", "message M { ", "<<A1 "]) {
    const [one, four] = [1_000, 4_000].map((times) => work(() => read!(piece.repeat(times))));
    expect(four, piece).toBeLessThan(5 * one! + 700_000);
  }
});
