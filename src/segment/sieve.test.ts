import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TrigramPlan } from "../model/trigram-plan.ts";
import { TRIGRAMS } from "../text/trigrams.ts";
import { type Sieve, SLICES, samplePlan, sieved, sieveOf, sliceFor, slicesOf, thinned, widthOf } from "./sieve.ts";
import { TrigramCollector, Trigrams } from "./trigrams.ts";

function collected(texts: readonly string[]): Trigrams {
  const collector = new TrigramCollector();
  for (const text of texts) {
    collector.beginFile();
    collector.text(text);
  }
  const { trigramBlocks, trigramBytes } = collector.finish();
  return new Trigrams(texts.length, { words: () => trigramBlocks, octets: () => trigramBytes } as never);
}

function through({ columns, bits }: Sieve, plan: TrigramPlan): number[] {
  const width = widthOf(columns);
  return [...sieved(plan, columns, (slice) => bits.subarray(slice * width, (slice + 1) * width))];
}

/** Texts of very different lengths: some have no trigram, some several columns of them. */
const texts = fc.array(
  fc.tuple(fc.nat(2000), fc.integer({ min: 2, max: 40 })).map(([length, signs]) => noise(length, signs)),
  { minLength: 1, maxLength: 20 },
);

function noise(length: number, signs: number): string {
  const alphabet = "abcdefghijklmnopqrstuvwxyz0123456789_.,;";
  let state = length + signs;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return alphabet[(state >>> 8) % signs];
  }).join("");
}

const trigram = fc.nat(TRIGRAMS - 1);
const plans: fc.Arbitrary<TrigramPlan> = fc.letrec<{ plan: TrigramPlan }>((tie) => ({
  plan: fc.oneof(
    { depthSize: "small" },
    trigram.map((it): TrigramPlan => ({ op: "has", trigram: it })),
    fc.constant<TrigramPlan>({ op: "any" }),
    fc.record({ op: fc.constantFrom("and" as const, "or" as const), parts: fc.array(tie("plan"), { maxLength: 12 }) }),
  ),
})).plan;

/** A plan that the first of the files fulfils, at least in part. */
function planOf(index: Trigrams, from: number): TrigramPlan {
  const all: TrigramPlan[] = [];
  for (const walk = index.walk(); walk.trigram !== Number.POSITIVE_INFINITY; walk.next())
    walk.files((file) => {
      if (file === 0) all.push({ op: "has", trigram: walk.trigram });
    });
  return { op: "and", parts: all.slice(from, from + 20) };
}

describe("a sieve", () => {
  test("never keeps out what may match, nor do a plan with fewer slices and the sample", () => {
    fc.assert(
      fc.property(texts, plans, fc.nat(50), (some, random, from) => {
        const index = collected(some);
        const sieve = sieveOf(index);
        for (const plan of [random, planOf(index, from)]) {
          const files = [...index.candidates(plan)];
          const wide = through(sieve, thinned(plan));
          const fine = through(sieve, plan);
          for (const [file, may] of files.entries()) if (may === 1) expect([fine[file], wide[file]]).toEqual([1, 1]);
          if (files.includes(1)) expect(fulfils(samplePlan(plan), new Set(sieve.sample))).toBe(true);
        }
      }),
    );
  });

  test("keeps out nearly everything that does not match", () => {
    const index = collected(Array.from({ length: 100 }, (_, at) => noise(120 * at, 40)));
    const sieve = sieveOf(index);
    const plan = planOf(collected([noise(100_001, 39)]), 100);
    const [may, passed] = [index.candidates(plan), through(sieve, thinned(plan))];
    const vain = passed.filter((flag, file) => flag === 1 && may[file] === 0).length;
    expect(vain).toBeLessThanOrEqual(1);
    expect(sieve.bits.length).toBe(SLICES * widthOf(sieve.columns));
    const set = sieve.bits.reduce((sum, byte) => sum + byte.toString(2).replaceAll("0", "").length, 0);
    expect(set / (8 * sieve.bits.length)).toBeLessThan(1 / 13);
  });

  test("files without trigrams have no column, and one with very many no more than fit a byte", () => {
    const index = collected(["", "ab", "abc", noise(400_000, 40)]);
    const { columns } = sieveOf(index);
    expect([...columns]).toEqual([0, 0, 1, 255]);
    expect(through(sieveOf(collected(["", "ab"])), { op: "has", trigram: 1 })).toEqual([0, 0]);
  });
});

function fulfils(plan: TrigramPlan, held: ReadonlySet<number>): boolean {
  if (plan.op === "any") return true;
  if (plan.op === "has") return held.has(plan.trigram);
  return plan.op === "and"
    ? plan.parts.every((part) => fulfils(part, held))
    : plan.parts.some((part) => fulfils(part, held));
}

describe("a plan with fewer slices", () => {
  const has = (from: number, count: number): TrigramPlan[] =>
    Array.from({ length: count }, (_, i) => ({ op: "has", trigram: (from + i) * 37 }));

  test("asks for eight neighbours of many, from one end to the other", () => {
    const plan = thinned({ op: "and", parts: has(0, 100) });
    expect(plan).toMatchObject({ op: "and", parts: { length: 8 } });
    expect(slicesOf(plan)).toContain(sliceFor(0));
    expect(slicesOf(plan)).toContain(sliceFor(87 * 37));
  });

  test("asks for fewer of each where there are many choices, and for nothing where there are too many", () => {
    const choices = (count: number): TrigramPlan => ({
      op: "or",
      parts: Array.from({ length: count }, (_, at) => ({ op: "and", parts: has(at * 50, 40) })),
    });
    expect(slicesOf(thinned(choices(150))).length).toBeLessThanOrEqual(256);
    expect(thinned(choices(150)).op).toBe("or");
    expect(thinned(choices(2_000))).toEqual({ op: "any" });
  });
});
