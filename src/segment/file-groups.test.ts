import fc from "fast-check";
import { expect, test } from "vitest";
import type { TrigramPlan } from "../model/grep.ts";
import { groupFiles, MASK_SLOTS, maskBytes, maskSlot, matchMasks, NONE, planMaskQuery } from "./file-groups.ts";

const chunksOf = (counts: readonly number[]) => {
  const fileChunks = Uint32Array.from([0, ...counts.map((_, at) => counts.slice(0, at + 1).reduce((a, b) => a + b))]);
  return { fileChunks };
};

test("a group has up to 64 adjacent files of limited size with adjacent versions", () => {
  const cut = (versions: readonly number[], counts: readonly number[] = versions.map(() => 1)) =>
    groupFiles(Uint32Array.from(versions), chunksOf(counts));
  const many = Array.from({ length: 150 }, (_, at) => at + 5);
  const run = { first: 5, files: 150 };
  expect(cut(many).list).toEqual([
    { first: 5, files: 64, run },
    { first: 69, files: 64, run },
    { first: 133, files: 22, run },
  ]);
  expect(cut([1, 2, 3], [1_000, 400, 200]).list.map(({ files }) => files)).toEqual([1, 2]);
  const { list, of } = cut([1, 0, 2, 7, 0]);
  expect(list).toEqual([
    { first: 1, files: 2, run: { first: 1, files: 2 } },
    { first: 7, files: 1, run: { first: 7, files: 1 } },
  ]);
  expect([...of]).toEqual([0, NONE, 0, 1, NONE]);
});

/** By place: a bit for each file that holds a trigram there. */
function masksOf(files: readonly (readonly number[])[]): Uint8Array {
  const width = maskBytes({ files: files.length });
  const bits = new Uint8Array(MASK_SLOTS * width);
  for (const [at, own] of files.entries())
    for (const trigram of own) bits[maskSlot(trigram) * width + (at >> 3)]! |= 1 << (at & 7);
  return bits;
}

function found(plan: TrigramPlan, files: readonly (readonly number[])[], bits = masksOf(files)): number[] {
  const look = planMaskQuery(plan);
  const width = maskBytes({ files: files.length });
  const masks = look.places.flatMap((place) => [...bits.subarray(place * width, (place + 1) * width)]);
  const passed = matchMasks(look, width, Uint8Array.from(masks));
  return files.flatMap((_, at) => ((passed[at >> 3]! >> (at & 7)) & 1 ? [at] : []));
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
    fc.property(fc.array(fc.uniqueArray(trigrams), { minLength: 1, maxLength: 40 }), plans, (files, plan) => {
      const expected = files.flatMap((own, at) => (holds(plan, new Set(own)) ? [at] : []));
      expect(found(plan, files)).toEqual(expect.arrayContaining(expected));
    }),
  );
});

test("few are let through in vain", () => {
  const files = Array.from({ length: 100 }, (_, file) =>
    Array.from({ length: 900 }, (_, at) => Math.imul(at * 97 + file * at, 2_654_435) >>> 14),
  );
  const bits = masksOf(files);
  let [asked, vain] = [0, 0];
  for (let at = 10; at < 890; at += 4) {
    const own = files[7]!.slice(at, at + 4).map((trigram) => ({ op: "has", trigram }) as const);
    const right = files.filter((held) => own.every(({ trigram }) => held.includes(trigram))).length;
    asked += files.length - right;
    vain += found({ op: "and", parts: own }, files, bits).length - right;
  }
  expect(asked).toBeGreaterThan(1_000);
  expect(vain / asked).toBeLessThan(0.01);
});

test("a look is short: some of many neighbours, and nothing where there would be too much", () => {
  const has = (trigram: number) => ({ op: "has", trigram }) as const;
  const neighbours = Array.from({ length: 40 }, (_, at) => has(at));
  expect(planMaskQuery({ op: "and", parts: neighbours }).places.length).toBe(12);
  expect(planMaskQuery({ op: "or", parts: neighbours }).places).toEqual(
    neighbours.map(({ trigram }) => maskSlot(trigram)),
  );
  const wide = Array.from({ length: 90 }, (_, at) => has(at));
  expect(planMaskQuery({ op: "or", parts: wide })).toEqual({ plan: { op: "any" }, places: [] });
});
