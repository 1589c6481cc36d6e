import fc from "fast-check";
import { expect, test } from "vitest";
import type { TrigramPlan } from "../model/trigram-plan.ts";
import { bunchesOf, hashOf, lookFor, Masks, maskBytes, NONE, passing } from "./bunch.ts";

const chunksOf = (counts: readonly number[]) => {
  const fileChunks = Uint32Array.from([0, ...counts.map((_, at) => counts.slice(0, at + 1).reduce((a, b) => a + b))]);
  return { fileChunks };
};

test("files follow each other into a bunch: up to 32, not too large, with versions that follow each other, too", () => {
  const cut = (versions: readonly number[], counts: readonly number[] = versions.map(() => 1)) =>
    bunchesOf(Uint32Array.from(versions), chunksOf(counts));
  const many = Array.from({ length: 70 }, (_, at) => at + 5);
  expect(cut(many).list).toEqual([
    { first: 5, files: 32 },
    { first: 37, files: 32 },
    { first: 69, files: 6 },
  ]);
  expect(cut([1, 2, 3], [500, 200, 100]).list).toEqual([
    { first: 1, files: 1 },
    { first: 2, files: 2 },
  ]);
  const { list, of } = cut([1, 0, 2, 7, 0]);
  expect(list).toEqual([
    { first: 1, files: 2 },
    { first: 7, files: 1 },
  ]);
  expect([...of]).toEqual([0, NONE, 0, 1, NONE]);
});

/** What an engine hands over: the masks at the places of the look. */
function readBy(hashes: readonly number[], files: number, placed: Uint8Array): Uint8Array {
  const width = maskBytes(files);
  const places = placed.length / width;
  const at = (hash: number) => (hash & (places - 1)) * width;
  return Uint8Array.from(hashes.flatMap((hash) => [...placed.subarray(at(hash), at(hash) + width)]));
}

function holds(plan: TrigramPlan, trigrams: ReadonlySet<number>): boolean {
  if (plan.op === "any") return true;
  if (plan.op === "has") return trigrams.has(plan.trigram);
  const all = plan.parts.map((part) => holds(part, trigrams));
  return plan.op === "and" ? all.every(Boolean) : all.some(Boolean);
}

const trigrams = fc.nat({ max: 40 }).map((small) => small * 6_007);
const { plan: plans } = fc.letrec<{ plan: TrigramPlan }>((tie) => ({
  plan: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    trigrams.map((trigram) => ({ op: "has", trigram }) as const),
    fc.record({ op: fc.constantFrom("and", "or"), parts: fc.array(tie("plan"), { maxLength: 9 }) }),
    fc.constant({ op: "any" } as const),
  ),
}));

test("no file that holds what the plan asks for is passed over", () => {
  fc.assert(
    fc.property(fc.array(fc.uniqueArray(trigrams), { minLength: 1, maxLength: 32 }), plans, (files, plan) => {
      const masks = new Masks(files.length);
      for (const trigram of new Set(files.flat().sort((a, b) => a - b)))
        masks.add(
          trigram,
          files.reduce((mask, own, at) => (own.includes(trigram) ? mask | (1 << at) : mask), 0),
        );
      const look = lookFor(plan);
      const bunch = { first: 100, files: files.length };
      const found = passing(look, bunch, readBy(look.hashes, files.length, masks.placed()));
      const expected = files.flatMap((own, at) => (holds(plan, new Set(own)) ? [100 + at] : []));
      expect(found).toEqual(expect.arrayContaining(expected));
    }),
  );
});

test("few are let through in vain", () => {
  const files = Array.from({ length: 32 }, (_, file) =>
    Array.from({ length: 900 }, (_, at) => (at * 97 + file * at) >>> 1),
  );
  const masks = new Masks(32);
  const byTrigram = new Map<number, number>();
  for (const [at, own] of files.entries())
    for (const trigram of own) byTrigram.set(trigram, (byTrigram.get(trigram) ?? 0) | (1 << at));
  for (const [trigram, mask] of byTrigram) masks.add(trigram, mask);
  const placed = masks.placed();
  let [asked, vain] = [0, 0];
  for (let at = 10; at < 890; at += 4) {
    const own = files[7]!.slice(at, at + 4).map((trigram) => ({ op: "has", trigram }) as const);
    const look = lookFor({ op: "and", parts: own });
    const found = passing(look, { first: 0, files: 32 }, readBy(look.hashes, 32, placed));
    const right = files.filter((held) => own.every(({ trigram }) => held.includes(trigram))).length;
    asked += 32 - right;
    vain += found.length - right;
  }
  expect(vain / asked).toBeLessThan(0.01);
});

test("a look is short: some of many neighbours, and nothing where there would be too much", () => {
  const has = (trigram: number) => ({ op: "has", trigram }) as const;
  const neighbours = Array.from({ length: 40 }, (_, at) => has(at));
  expect(lookFor({ op: "and", parts: neighbours }).hashes.length).toBe(6);
  expect(lookFor({ op: "or", parts: neighbours }).hashes).toEqual(neighbours.map(({ trigram }) => hashOf(trigram)));
  const wide = Array.from({ length: 90 }, (_, at) => has(at));
  expect(lookFor({ op: "or", parts: wide })).toEqual({ plan: { op: "any" }, hashes: [] });
});
