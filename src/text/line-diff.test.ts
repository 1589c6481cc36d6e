import fc from "fast-check";
import { expect, test } from "vitest";
import { lineDiff } from "./line-diff.ts";

const check = (before: string, after: string, expected: string) =>
  test(JSON.stringify([before, after]), () => expect(lineDiff(before, after)).toBe(expected));
check("a", "a", "");
check("a", "b", "-a\n+b");
check("a\nb", "a\nx\nb", " a\n+x\n b");
check("1\n2\n3\n4\n5\n6\n7\n8", "1\n2\n3\n4\n5\n6\n7\n9", "@@\n 6\n 7\n-8\n+9");
check("a\r\nb", "a\nb\nc", " a\n b\n+c");

/** The two texts of a complete diff. */
function sides(diff: string): { before: string[]; after: string[] } {
  const lines = diff.split("\n");
  const of = (sign: string) => lines.filter((line) => line[0] === " " || line[0] === sign).map((line) => line.slice(1));
  return { before: of("-"), after: of("+") };
}

test("both texts can be read from it, but for unchanged lines at the end", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 5 });
  fc.assert(
    fc.property(text, text, (a, b) => {
      const diff = lineDiff(a.join("\n"), b.join("\n"));
      if (diff === "" || diff.includes("@@")) return;
      const { before, after } = sides(diff);
      const [old, now] = [a.join("\n").split("\n"), b.join("\n").split("\n")];
      expect([before, after]).toEqual([old.slice(0, before.length), now.slice(0, after.length)]);
      expect(old.slice(before.length)).toEqual(now.slice(after.length));
    }),
  );
});

test("texts that have nothing in common are shown one after the other, in bounded time", () => {
  const many = (word: string) => Array.from({ length: 2_000 }, (_, i) => `${word} ${i}`).join("\n");
  const lines = lineDiff(many("a"), many("b")).split("\n");
  expect([lines.length, lines[0], lines.at(-1)]).toEqual([4_000, "-a 0", "+b 1999"]);
});
