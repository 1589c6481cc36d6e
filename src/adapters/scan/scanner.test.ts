import { expect, test } from "vitest";
import { prng } from "../../../test/kit/prng.ts";
import type { ScanRequest } from "../../ports/scanner.ts";
import { Pattern } from "../../regex/pattern.ts";
import { trigramPlan } from "../../regex/plan.ts";
import { TextScanner } from "./scanner.ts";

const TEXT = Array.from({ length: 200 }, (_, i) => `${"ab".repeat(i % 23)} x${i} class Broken${i}Error y`).join("\n");

function scanOf(scanner: TextScanner, pattern: string, ignoreCase = false, text = TEXT) {
  const options = { ignoreCase, literal: false, wholeWords: false };
  const plan = trigramPlan(new Pattern(pattern, options).node);
  const request: ScanRequest = { pattern, options, plan, keys: [text], offset: 0, limit: 1_000 };
  return scanner.scan(request, async () => [text]);
}

test("one pattern after another, and the first again: each finds its own lines", async () => {
  const scanner = new TextScanner({ cacheChars: 1 << 20, sliceMs: 1_000 });
  const counts: number[] = [];
  for (const pattern of ["class \\w+1Error\\b", "x1\\d$|x19 ", "class \\w+1Error\\b"]) {
    counts.push((await scanOf(scanner, pattern)).counts[0]!);
  }
  counts.push((await scanOf(scanner, "CLASS \\w+1ERROR\\b")).counts[0]!);
  counts.push((await scanOf(scanner, "CLASS \\w+1ERROR\\b", true)).counts[0]!);
  expect(counts).toEqual([20, 1, 20, 0, 20]);
});

test("a pattern may be looked for as often as one likes: every search has all its work", async () => {
  const random = prng(7);
  const texts = Array.from({ length: 12 }, () =>
    Array.from({ length: 400 }, () => "ab"[Math.floor(random() * 2)]).join(""),
  );
  const scanner = (mostWork: number) => new TextScanner({ cacheChars: 1 << 20, sliceMs: 1_000, mostWork });
  const isComplete = async (by: TextScanner, text: string) => (await scanOf(by, "a.{9}c", false, text)).complete;
  let enough = 64;
  while (!(await isComplete(scanner(enough), texts[0]!))) enough *= 2;
  const one = scanner(enough);
  for (const text of texts) expect(await isComplete(one, text)).toBe(true);
  expect(await isComplete(scanner(8), texts[0]!)).toBe(false);
});
