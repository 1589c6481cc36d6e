import fc from "fast-check";
import { expect, test } from "vitest";
import type { TrigramPlan } from "../model/grep.ts";
import { trigramSign } from "../text/trigrams.ts";
import { parse } from "./parse.ts";
import { Pattern } from "./pattern.ts";
import { trigramPlan } from "./plan.ts";

const trigram = (text: string) => [...text].reduce((sum, char) => (sum << 6) | trigramSign(char.charCodeAt(0)), 0);

/** A plan in words: `and(abc,bcd)`. */
function spelt(plan: TrigramPlan): string {
  if (plan.op === "any") return "any";
  if (plan.op === "has") return String(plan.trigram);
  return `${plan.op}(${plan.parts.map(spelt).join()})`;
}
const words = (text: string) => text.replace(/'(...)'/g, (_, three: string) => String(trigram(three)));

const check = (pattern: string, plan: string, ignoreCase = false) =>
  test(pattern, () => expect(spelt(trigramPlan(parse(pattern, { ignoreCase })))).toBe(words(plan)));

check("abcd", "and('abc','bcd')");
check("ABCD", "and('abc','bcd')");
check("bell", "and('bel','ell')", true);
check("ab", "any");
check(".*", "any");
check("abc.*def", "and('abc','def')");
check("abc|def", "or('abc','def')");
check("ab[cd]", "or('abc','abd')");
check("(abc)+", "'abc'");
check("(abc)?", "any");
check("(abc)*def", "'def'");
check("x(abc|def)y", "or(and('xab','abc','bcy'),and('xde','def','efy'))");
check("\\bfoo\\b", "'foo'");
check("foo\\w+bar", "and('foo','bar')");
check("a\\d{3}", "any");
check("(foo|.)bar", "'bar'");

function admits(plan: TrigramPlan, has: ReadonlySet<number>): boolean {
  if (plan.op === "any") return true;
  if (plan.op === "has") return has.has(plan.trigram);
  return plan.op === "and"
    ? plan.parts.every((part) => admits(part, has))
    : plan.parts.some((part) => admits(part, has));
}

const piece = fc.constantFrom(
  "a",
  "B",
  "abc",
  "foo",
  "[ab]",
  "(?:ab|cd)",
  "(?:abc|de|f)",
  ".",
  "\\w",
  "é",
  "k",
  "😀",
  "(?i:k)",
);
const times = fc.constantFrom("", "", "", "", "+", "?", "*", "{2}", "{0,3}");
const pattern = fc
  .array(fc.tuple(piece, times), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.map(([one, many]) => (many === "" ? one : `(?:${one})${many}`)).join(""));
const source = fc.oneof(
  pattern,
  fc.tuple(pattern, pattern).map(([one, other]) => `(?:${one}|${other})`),
  fc.tuple(pattern, pattern, pattern).map(([a, b, c]) => `${a}(?:${b}|${c})${a}`),
);
const text = fc.array(
  fc.constantFrom("a", "b", "c", "d", "e", "f", "o", "B", "é", "K", "K", "😀", "abc", "foo", "\n"),
  { maxLength: 25 },
);

test("a plan never keeps out a file in which the pattern matches", () => {
  let matched = 0;
  fc.assert(
    fc.property(source, text, fc.boolean(), (written, parts, ignoreCase) => {
      const all = parts.join("");
      const found = new Pattern(written, { ignoreCase });
      if (found.first(all) < 0) return;
      matched++;
      const has = new Set<number>();
      for (const line of all.split("\n")) {
        for (let i = 0; i + 3 <= line.length; i++) {
          has.add(
            (trigramSign(line.charCodeAt(i)) << 12) |
              (trigramSign(line.charCodeAt(i + 1)) << 6) |
              trigramSign(line.charCodeAt(i + 2)),
          );
        }
      }
      expect(admits(trigramPlan(found.node), has)).toBe(true);
    }),
    { numRuns: 3_000 },
  );
  expect(matched).toBeGreaterThan(300);
});
