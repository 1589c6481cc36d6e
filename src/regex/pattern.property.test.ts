/** Small random patterns find the same lines as the language's own engine, which reads the same syntax where they agree. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { Pattern } from "./pattern.ts";

const atom = fc.constantFrom(
  "a",
  "b",
  "c",
  "→",
  ".",
  "[ab]",
  "[^a]",
  "\\d",
  "\\w",
  "\\s",
  "\\b",
  "\\B",
  "^",
  "$",
  "[b-d→]",
);
const quantifier = fc.constantFrom("", "", "", "*", "+", "?", "{2}", "{1,2}", "{0,}", "*?", "+?");
// An assertion may not be repeated in both languages.
const piece = fc.tuple(atom, quantifier).map(([one, times]) => (/^(\\[bB]|\^|\$)$/.test(one) ? one : one + times));
const pattern = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.array(piece, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("")),
    fc.tuple(tie("node"), tie("node")).map(([one, other]) => `${one}|${other}`),
    fc.tuple(tie("node"), quantifier).map(([one, times]) => `(?:${one})${times}`),
    fc.tuple(tie("node"), tie("node")).map(([one, other]) => `(${one})${other}`),
  ),
})).node;
const line = fc.array(fc.constantFrom("a", "b", "c", "d", "1", "_", " ", "-", "→", "A"), { maxLength: 8 });
const lines = fc.array(line, { minLength: 1, maxLength: 5 }).map((all) => all.map((one) => one.join("")));

test("the lines are those of RegExp", () => {
  fc.assert(
    fc.property(pattern, lines, fc.boolean(), (source, all, ignoreCase) => {
      const expected = new RegExp(source, ignoreCase ? "iu" : "u");
      const found = new Pattern(source, { ignoreCase });
      for (const one of all) expect([one, found.first(`${one}\n`) === 0]).toEqual([one, expected.test(one)]);
    }),
    { numRuns: 1_000 },
  );
});

// Without repeated groups: what an empty round of a loop means differs between the two.
const simple = fc.array(fc.array(piece, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 });
const alternatives = simple.map((all) => all.map((parts) => parts.join("")).join("|"));

test("the first span is that of RegExp", () => {
  fc.assert(
    fc.property(alternatives, line, (source, units) => {
      const text = units.join("");
      const expected = new RegExp(source, "u").exec(text);
      const [first] = new Pattern(source).spans(text);
      if (expected !== null && expected[0] !== "")
        expect(first).toEqual({ start: expected.index, end: expected.index + expected[0].length });
    }),
    { numRuns: 1_000 },
  );
});
