import { describe, expect, test } from "vitest";
import type { PatternOptions } from "../model/grep.ts";
import { admits, trigramBits } from "../text/trigrams.ts";
import { Pattern } from "./pattern.ts";
import { trigramPlan } from "./plan.ts";

/** Numbers of the lines in which the pattern matches. */
function linesOf(pattern: Pattern, text: string): number[] {
  const lines: number[] = [];
  const next = pattern.lineFinder(text);
  for (let at = next(0); at >= 0; ) {
    lines.push(text.slice(0, at).split("\n").length);
    const newline = text.indexOf("\n", at);
    if (newline < 0) break;
    at = next(newline + 1);
  }
  return lines;
}

const TEXT = "foo bar\n\nFOO_baz\n  x = 10;\nstraße\r\nKelvin ſ 😀 é\nlast";

const check = (pattern: string, lines: readonly number[], options: PatternOptions = {}) =>
  test(`${pattern} ${JSON.stringify(options)}`, () =>
    expect(linesOf(new Pattern(pattern, options), TEXT)).toEqual(lines));

check("foo", [1]);
check("(?i)foo", [1, 3]);
check("foo", [1, 3], { ignoreCase: true });
check("foo", [1], { wholeWords: true });
check("FOO", [], { wholeWords: true });
check("baz|last", [3, 7]);
check("", [1, 2, 3, 4, 5, 6, 7]);
check(".", [1, 3, 4, 5, 6, 7]);
check("^$", [2]);
check("^\\s", [4]);
check("\\d{2};$", [4]);
check("e$", []);
check("(?R)e$", [5]);
check("\\s$", [5]);
check("\\bbar\\b", [1]);
check("\\Bbaz", [3]);
check("\\p{Lu}{3}", [3]);
check("(?i)k", [6]);
check("(?i)S\\s", [6]);
check("(?i)STRAẞE", [5]);
check("n ſ . é$", [6]);
check("😀", [6]);
check("[😀]", [6]);
check("[^\\x00-\\x{ffff}]", [6]);
check("\\w\\s.\\sé", [6], { ignoreCase: true });
check("ast\\z", [7]);
check("\\Alast", [7]);
check("a.*", [], { literal: true });
check("= 10;", [4], { literal: true });
check("[a-z&&[^f]]{3}", [1, 3, 5, 6, 7]);
check("(?x) f o o # text\n \\ bar", [1]);
check("(a*)*x|(b|)+z", [3, 4]);
check("q{0}last", [7]);
check("[^\\s\\S]", []);

test("a newline at the end ends the last line", () => expect(linesOf(new Pattern("^"), "a\nb\n")).toEqual([1, 2]));
test("an empty text has no lines", () => expect(linesOf(new Pattern(""), "")).toEqual([]));
test("a text that begins with an empty line", () => expect(linesOf(new Pattern("^$"), "\n\na")).toEqual([1, 2]));

const spans = (pattern: string, line: string, found: readonly string[], options: PatternOptions = {}) =>
  test(`spans of ${pattern} in ${line}`, () =>
    expect(new Pattern(pattern, options).spans(line).map(({ start, end }) => line.slice(start, end))).toEqual(found));

spans("a+", "baaab a", ["aaa", "a"]);
spans("a+?", "baaab", ["a", "a", "a"]);
spans("ab|a", "ab a", ["ab", "a"]);
spans("a|ab", "ab a", ["a", "a"]);
spans("\\b\\w", "foo bar", ["f", "b"]);
spans("x*", "axxb", ["xx"]);
spans("😀.", "a😀b😀", ["😀b"]);
spans("o", "foo.o", ["o"], { wholeWords: true });
spans("^a", "aaa", ["a"]);
spans(".*", "abc", ["abc"]);

test("a pattern that repeats too much is refused", () => {
  const bombs: [pattern: string, position: number][] = [
    ["((a{100}){100}){100}", 15],
    ["(x{1,999}){999}", 10],
    ["\\w{60000}", 2],
    ["a{4294967295}", 1],
    ["b+c{2}(?:d{300}e*){300}f?", 18],
  ];
  for (const [bomb, position] of bombs) {
    const refusal = expect.objectContaining({ position, syntax: "regex" });
    expect(() => new Pattern(bomb), bomb).toThrow(expect.objectContaining({ code: "invalid_input", data: refusal }));
    expect(() => new Pattern(bomb)).toThrow(`too large: it repeats too much (at character ${position + 1} of`);
  }
  expect(new Pattern("(((){9999}){9999}){9999}a").first("a")).toBe(0);
});

test("work is bounded: a pattern that makes ever new states is given up", () => {
  const pattern = new Pattern("[ab]*a[ab]{400}c", {}, 100_000);
  const text = Array.from({ length: 20_000 }, (_, i) => "ab"[(Math.imul(i, 2654435761) >>> 13) & 1]).join("");
  expect(pattern.first(text)).toBeLessThan(0);
  expect(pattern.exhausted).toBe(true);
});

describe("ignoring case", () => {
  const lines = "Deprecated SINCE\nno\ndeprecated ſince\nİ deprecated\nΟΔΟΣ οδος\nKELVIN \u212aelvin\nStraße STRASSE\n";
  const check = (pattern: string, found: number[]) =>
    test(pattern, () => expect(linesOf(new Pattern(pattern), lines)).toEqual(found));
  check("(?i)deprecated since", [1, 3]);
  check("(?i)DEPRECATED", [1, 3, 4]);
  check("(?i)οδοσ", [5]);
  check("(?i)kelvin", [6]);
  check("(?i)k\\wlvin k", [6]);
  check("(?i)strasse|no$", [2, 7]);
  check("(?i)deprecated|kelvin", [1, 3, 4, 6]);
  test("no text needs more than its lower case", () => {
    const plain = "DEPRECATED\nSince\n";
    expect(linesOf(new Pattern("(?i)since"), plain)).toEqual([2]);
    expect(linesOf(new Pattern("(?i)since"), `${plain}ſINCE\n`)).toEqual([2, 3]);
    expect(linesOf(new Pattern("(?i)since"), `İ${plain}İSINCE\n`)).toEqual([2, 3]);
  });
});

describe("classes of bytes", () => {
  const lines = (pattern: string, text: string) => {
    const next = new Pattern(pattern).lineFinder(text);
    const found: number[] = [];
    for (let at = next(0); at >= 0; at = next(text.indexOf("\n", at) + 1)) found.push(at);
    return found;
  };

  test("case folding stays within ASCII", () => {
    for (const letter of ["s", "k", "S", "K"])
      expect([letter, new Pattern("(?i-u)\\W").first(letter)]).toEqual([letter, -1]);
    expect(new Pattern("(?i-u)k").first("\u212a")).toBe(-1);
    expect(new Pattern("(?i)k").first("\u212a")).toBe(0);
  });

  test("a character beyond ASCII is as many as its bytes", () => {
    expect(lines("(?-u)^\\W{3}$", "aé\n→\n日b\n---\n")).toEqual([3, 8]);
    expect(lines("(?-u)^..$", "é\nab\n→\n😀\nß\n")).toEqual([0, 2, 10]);
  });

  test("spans are of whole characters", () => {
    expect(new Pattern("(?-u)b\\W").spans("aab→cb😀")).toEqual([
      { start: 2, end: 4 },
      { start: 5, end: 8 },
    ]);
    expect(new Pattern("(?-u)[^a]").spans("aé")).toEqual([{ start: 1, end: 2 }]);
  });

  test("with a Unicode word boundary it is refused", () => {
    for (const [pattern, options] of [
      ["(?-u:\\W)\\b", {}],
      ["(?-u)\\W", { wholeWords: true }],
    ] as const)
      expect(() => new Pattern(pattern, options)).toThrow(/class of bytes/);
  });
});

describe("across lines", () => {
  const found = (pattern: string, text: string) => {
    const across = new Pattern(pattern, { multiline: true });
    const starts = [...text.matchAll(/^/gm)].map(({ index }) => index);
    const spans = across.spansInLines(text);
    return starts.flatMap((start) =>
      spans(start, text.slice(start).replace(/\n.*/s, "")).map((it) => text.slice(start + it.start, start + it.end)),
    );
  };

  test("the parts of a match in each of its lines", () => {
    expect(found("a\\s+b", "x a\n\n b a b")).toEqual(["a", "", " b", "a b"]);
    expect(found("(?s)b.*c", "abc\nc")).toEqual(["bc", "c"]);
  });

  test("a newline is no part of a line's pattern, and the plan has no trigram across it", () => {
    expect(() => new Pattern("a\\nb")).toThrow(/\\n/);
    const { node } = new Pattern("foo\\nbar", { multiline: true });
    expect(admits(trigramPlan(node), trigramBits("x foo\nbar"))).toBe(true);
    expect(admits(trigramPlan(node), trigramBits("x fop\nbar"))).toBe(false);
  });

  test("a search that takes too much work says so", () => {
    const across = new Pattern("(?s)(a?){40}b", { multiline: true }, 1_000);
    expect(across.first(`${"a".repeat(5_000)}\nb`)).toBeLessThanOrEqual(0);
    expect(across.exhausted).toBe(true);
  });
});
