import { describe, expect, test } from "vitest";
import { firstPatterns, type IgnorePatterns } from "./ignore-patterns.ts";

const PLAIN = { prefix: "", ignoresCase: false };
const first = (...texts: string[]) =>
  firstPatterns({ ...PLAIN, hidden: false, texts: texts.map((text) => ({ directory: "", text })) });
const inside = (patterns: IgnorePatterns, directory: string, text: string) =>
  patterns.with([[{ directory, text }], [], []]);

describe("patterns that are remembered", () => {
  const check = (name: string, patterns: () => IgnorePatterns, path: string, expected: string | undefined) =>
    test(name, () => {
      // Asked twice: made, and remembered.
      expect(patterns().verdict(path)).toBe(expected);
      expect(patterns().verdict(path)).toBe(expected);
    });

  check("a text", () => first("*.log"), "a.log", "ignored");
  check("another text", () => first("*.txt"), "a.log", undefined);
  check("a text of a directory", () => inside(first(), "a/", "*.log"), "a/b.log", "ignored");
  check("the same text of its sibling", () => inside(first(), "b/", "*.log"), "a/b.log", undefined);
  check("below a text", () => inside(first("*.log"), "a/", "!b.log"), "a/b.log", undefined);
  check("the same below another text", () => inside(first("a/*"), "a/", "!b.log"), "a/c.log", "ignored");
  check("a layer", () => first().with([[], [{ directory: "", text: "x" }], []]), "x", "ignored");
  check(
    "a later layer decides",
    () =>
      first().with([[{ directory: "", text: "x" }], [{ directory: "", text: "!x" }], [{ directory: "", text: "" }]]),
    "x",
    undefined,
  );
  check("a dotted name", () => first(), ".secret", "hidden");

  test("the same after more questions than a list answers", () => {
    const patterns = first("*.log");
    for (let i = 0; i < 20_001; i++) patterns.verdict(`${i}.log`);
    expect([patterns.verdict("a.log"), patterns.verdict("a.txt")]).toEqual(["ignored", undefined]);
  });

  test("hidden files, where they are wanted", () => {
    const patterns = firstPatterns({ ...PLAIN, hidden: true, texts: [] });
    expect(patterns.verdict(".secret")).toBe(undefined);
    expect(first().verdict(".secret")).toBe("hidden");
  });
});
