import fc from "fast-check";
import { expect, test } from "vitest";
import { trigramSign } from "../text/trigrams.ts";
import { mergeTrigrams, TrigramCollector, type TrigramSections, Trigrams } from "./trigrams.ts";

const open = (fileCount: number, sections: TrigramSections) =>
  new Trigrams(fileCount, {
    words: () => sections.trigramBlocks,
    octets: () => sections.trigramBytes,
  } as never);

function collected(texts: readonly string[]): Trigrams {
  const collector = new TrigramCollector();
  for (const text of texts) {
    collector.beginFile();
    collector.text(text);
  }
  return open(texts.length, collector.finish());
}

const trigram = (text: string) => [...text].reduce((sum, char) => (sum << 6) | trigramSign(char.charCodeAt(0)), 0);
const holding = (index: Trigrams, text: string) => [...index.candidates({ op: "has", trigram: trigram(text) })];

test("a file is found by three of its characters, whatever their case, and not across lines", () => {
  const index = collected(["Hello", "help\nlo", "ab\ncd", "x{}y é"]);
  expect(holding(index, "hel")).toEqual([1, 1, 0, 0]);
  expect(holding(index, "LLO")).toEqual([1, 0, 0, 0]);
  expect(holding(index, "bcd")).toEqual([0, 0, 0, 0]);
  expect(holding(index, "x{}")).toEqual([0, 0, 0, 1]);
  expect(holding(index, "zzz")).toEqual([0, 0, 0, 0]);
});

test("plans combine", () => {
  const index = collected(["abc def", "abc", "def"]);
  const [abc, def] = ["abc", "def"].map((text) => ({ op: "has", trigram: trigram(text) }) as const);
  expect([...index.candidates({ op: "and", parts: [abc!, def!] })]).toEqual([1, 0, 0]);
  expect([...index.candidates({ op: "or", parts: [abc!, def!] })]).toEqual([1, 1, 1]);
  expect([...index.candidates({ op: "any" })]).toEqual([1, 1, 1]);
  expect([...index.candidates({ op: "or", parts: [] })]).toEqual([0, 0, 0]);
});

function trigramsOf(text: string): Set<number> {
  const windows = text
    .split("\n")
    .flatMap((line) => Array.from({ length: Math.max(0, line.length - 2) }, (_, i) => line.slice(i, i + 3)));
  return new Set(windows.map(trigram));
}

const texts = fc.array(fc.string({ unit: fc.constantFrom(..."abcdeABC(){}01 \néx"), maxLength: 60 }), {
  minLength: 1,
  maxLength: 40,
});

test("files with several trigrams are those that have each", () => {
  const wanted = fc.array(fc.string({ unit: fc.constantFrom(..."abc("), minLength: 3, maxLength: 3 }), {
    minLength: 1,
  });
  fc.assert(
    fc.property(texts, wanted, (some, parts) => {
      // An index without any trigram rules nothing out.
      const all = ["abc", ...some];
      const plan = { op: "and", parts: parts.map((part) => ({ op: "has", trigram: trigram(part) }) as const) } as const;
      const held = all.map(trigramsOf);
      expect([...collected(all).candidates(plan)]).toEqual(
        held.map((set) => Number(parts.every((part) => set.has(trigram(part))))),
      );
    }),
  );
});

test("every list is what the texts say, also after merging and dropping", () => {
  fc.assert(
    fc.property(texts, texts, fc.nat(4), (one, other, every) => {
      const keep = (file: number) => every === 0 || file % every !== 0;
      const kept = [...one.filter((_, i) => keep(i)), ...other.filter((_, i) => keep(i))];
      let next = 0;
      const maps = [one, other].map((all) => Uint32Array.from(all, (_, i) => (keep(i) ? next++ : 0xffffffff)));
      const inputs = [one, other].map((all, i) => ({ trigrams: collected(all), map: maps[i]! }));
      const merged = open(kept.length, mergeTrigrams(inputs, kept.length, 0xffffffff));
      const expected = kept.map(trigramsOf);
      for (const found of new Set(expected.flatMap((set) => [...set]))) {
        expect([...merged.candidates({ op: "has", trigram: found })]).toEqual(
          expected.map((set) => Number(set.has(found))),
        );
      }
      const walked: number[] = [];
      for (const walk = merged.walk(); walk.trigram !== Number.POSITIVE_INFINITY; walk.next())
        walked.push(walk.trigram);
      expect(walked).toEqual([...new Set(expected.flatMap((set) => [...set]))].sort((a, b) => a - b));
    }),
    { numRuns: 40 },
  );
});
