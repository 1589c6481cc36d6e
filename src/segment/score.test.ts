import fc from "fast-check";
import { expect, test } from "vitest";
import { SegmentBuilder } from "./build.ts";
import { openSegment, type Segment } from "./read.ts";
import { documentFrequency, score } from "./score.ts";
import { isUnder, TextView } from "./view.ts";

interface Doc {
  readonly path: string;
  readonly language: string;
  readonly chunks: readonly string[][];
}

function segmentOf(docs: readonly Doc[]): Segment {
  const builder = new SegmentBuilder();
  for (const doc of docs) {
    builder.beginFile();
    for (const chunk of doc.chunks) {
      builder.beginChunk();
      for (const term of chunk) builder.term(term);
    }
  }
  return openSegment(builder.finish());
}

const word = fc.constantFrom("a", "b", "c", "d", "e", "f");
const docs = fc
  .array(
    fc.record({
      language: fc.constantFrom("rust", "go"),
      chunks: fc.array(fc.array(word, { maxLength: 9 }), { maxLength: 4 }),
    }),
  )
  .map((list) => list.map((doc, at) => ({ ...doc, path: `src/${at % 3}/${at}.x` })));
const query = fc.array(fc.record({ term: word, weight: fc.constantFrom(0, 1, 2.5) }), { maxLength: 5 });

test("a view cut out of several segments scores exactly as a rebuild of what it shows", () => {
  fc.assert(
    fc.property(docs, query, fc.infiniteStream(fc.boolean()), fc.nat(3), (all, terms, shown, cut) => {
      const visible = all.filter(() => shown.next().value);
      const pieces = [all.slice(0, cut), all.slice(cut)];
      const overlay = new TextView(
        pieces.map((piece) => ({
          segment: segmentOf(piece),
          files: piece.map((doc) => (visible.includes(doc) ? doc : undefined)),
        })),
      );
      const rebuilt = new TextView([{ segment: segmentOf(visible), files: visible }]);
      expect(score(overlay, { terms, limit: 7 })).toEqual(score(rebuilt, { terms, limit: 7 }));
      expect(documentFrequency(overlay, "a")).toBe(documentFrequency(rebuilt, "a"));
    }),
  );
});

test("parts sum to the score, and a query leaves nothing behind for the next", () => {
  const files = [{ path: "a.x", language: "go", chunks: [["a", "b"], ["b"]] }];
  const view = new TextView([{ segment: segmentOf(files), files }]);
  const terms = [
    { term: "a", weight: 1 },
    { term: "b", weight: 2 },
  ];
  const first = score(view, { terms, limit: 10 });
  for (const hit of first.candidates) expect(hit.parts.reduce((sum, part) => sum + part, 0)).toBe(hit.score);
  expect(score(view, { terms, limit: 10 })).toEqual(first);
  expect(first).toMatchObject({ matched: 2, completeness: "complete" });
});

test("a query that is stopped says so", () => {
  const files = [{ path: "a.x", language: "go", chunks: [["a", "b"]] }];
  const view = new TextView([{ segment: segmentOf(files), files }]);
  const terms = ["a", "b"].map((term) => ({ term, weight: 1 }));
  const page = score(view, { terms, limit: 10 }, () => true);
  expect(page.completeness).toBe("partial");
  expect(page.candidates[0]!.parts[1]).toBe(0);
});

test.each([
  ["src/a.ts", "src", true],
  ["src/a.ts", "src/", true],
  ["src/a.ts", "./src", true],
  ["src/a.ts", "src/a.ts", true],
  ["src2/a.ts", "src", false],
  ["src/a.ts", "", true],
  ["src/a.ts", ".", true],
  [".github/a.ts", ".github", true],
])("%s under %s: %s", (path, under, expected) => expect(isUnder(path, under)).toBe(expected));
