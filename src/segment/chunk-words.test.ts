import fc from "fast-check";
import { expect, test } from "vitest";
import { segmentBuilder } from "./build.ts";
import { chunkWords, encodeTerm } from "./chunk-words.ts";
import { openSegment } from "./read.ts";

const chunk = fc.array(fc.constantFrom("a", "b_c", "3d", "é", "z"), { maxLength: 9 });
const files = fc.array(fc.record({ chunks: fc.array(chunk, { maxLength: 4 }), wanted: fc.boolean() }));

test("each chunk of a file that is wanted says its words, as often as they are there; a file without says nothing", () => {
  fc.assert(
    fc.property(files, (all) => {
      const builder = segmentBuilder();
      for (const { chunks } of all) {
        builder.beginFile();
        for (const terms of chunks) {
          builder.beginChunk();
          for (const term of terms) builder.term(term);
        }
      }
      const found = [...chunkWords(openSegment(builder.finish()), (file) => all[file]!.wanted)];
      const expected = all.flatMap(({ chunks, wanted }, file) => {
        if (!wanted) return [];
        return (chunks.length === 0 ? [[]] : chunks).map((terms) => ({ file, words: terms.map(encodeTerm).sort() }));
      });
      const sorted = found.map(({ file, words }) => ({ file, words: words.split(" ").filter(Boolean).sort() }));
      expect(sorted).toEqual(expected);
    }),
  );
});

test("a word is one for every parser", () => {
  expect(encodeTerm("replic")).toBe("replic");
  for (const term of ["foo_bar", "3d", "1e5", "É", "日本", "it's", "a/b", "x".repeat(65), "-5", ""])
    expect(encodeTerm(term)).toMatch(/^q[0-9a-f]{1,8}q[0-9a-f]{1,8}$/);
  expect(encodeTerm("foo_bar")).not.toBe(encodeTerm("foo_baz"));
});
