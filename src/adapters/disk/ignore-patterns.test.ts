import ignore from "ignore";
import { describe, expect, test } from "vitest";
import { pick, prng } from "../../../test/kit/prng.ts";
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

describe("patterns with several **", () => {
  // Without the rewriting, the first of these takes 2^40 years.
  test.each([
    [`${"**/a/".repeat(12)}?b?`, "a/".repeat(1_500), "bbb"],
    [`/a/${"**/a/".repeat(12)}[b]`, "a/".repeat(1_500), "b"],
    [`${"**/*/".repeat(12)}b?`, "ab/".repeat(1_000), "bb"],
  ])("%s is compared in linear time", (pattern, directory, name) => {
    const patterns = first(pattern);
    expect(patterns.verdict(directory)).toBe(undefined);
    expect(patterns.verdict(directory + name)).toBe("ignored");
  });

  test("mean the same as before", () => {
    const random = prng(32);
    const segments = ["**", "**", "a", "b", "*", "a*", "?b", "ab"];
    const names = ["a", "b", "ab", "aab", "bb"];
    const some = (from: readonly string[], most: number) =>
      Array.from({ length: 1 + pick(random, most) }, () => from[pick(random, from.length)]!).join("/");
    let ignored = 0;
    for (let i = 0; i < 1_500; i++) {
      const [pattern, path] = [`${pick(random, 4) === 0 ? "/" : ""}${some(segments, 7)}`, some(names, 7)];
      const expected = ignore().add(pattern).ignores(path);
      const parents = [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index + 1));
      const verdicts = [...parents, path].map((at) => first(pattern).verdict(at));
      expect([pattern, path, verdicts.includes("ignored")]).toEqual([pattern, path, expected]);
      if (expected) ignored++;
    }
    expect(ignored).toBeGreaterThan(200);
  });
});
