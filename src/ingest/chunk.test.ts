import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CodeSymbol } from "../model/code.ts";
import { lineStarts, sliceLines } from "../text/lines.ts";
import { CHUNK_SIZE, chunk, LONG_LINE } from "./chunk.ts";

const symbol = (name: string, lineStart: number, lineEnd: number, parent?: number): CodeSymbol => ({
  kind: "fn",
  name,
  qualifiedName: name,
  span: { start: 0, end: 0, lineStart, lineEnd },
  ordinal: 0,
  ...(parent !== undefined && { parent }),
});
const ranges = (text: string, symbols: CodeSymbol[] = []) =>
  chunk(text, symbols).map(({ lineStart, lineEnd, symbol: at }) =>
    at === undefined ? `${lineStart}-${lineEnd}` : `${lineStart}-${lineEnd} ${symbols[at]!.name}`,
  );
const check = (name: string, text: string, symbols: CodeSymbol[], expected: string[]) =>
  test(name, () => expect(ranges(text, symbols)).toEqual(expected));

const wide = "x".repeat(99);
const lines = (count: number, text = wide) => `${text}\n`.repeat(count);

check("nothing", "", [], []);
check("blank lines only", "\n \n\t\r\n", [], []);
check("one short text, blank lines around it left out", "\n\na\nb\n\n", [], ["3-4"]);
check("full chunks", lines(16), [], ["1-7", "8-14", "15-16"]);
check("at a blank line rather than in the middle", `${lines(5)}\n${lines(5)}`, [], ["1-5", "7-11"]);
check(
  "at a definition, its comment and attribute with it",
  `${lines(4)}// about b\n@once\n${lines(4)}`,
  [symbol("a", 1, 4), symbol("b", 7, 10)],
  ["1-4 a", "5-10 b"],
);
check(
  "small definitions share a chunk",
  "a\nb\nc\n",
  [symbol("a", 1, 1), symbol("b", 2, 2), symbol("c", 3, 3)],
  ["1-3 a"],
);
check("the inside of a long definition knows its name", lines(10), [symbol("a", 1, 10)], ["1-7 a", "8-10 a"]);
check("the innermost symbol counts", `${lines(2)}\n`, [symbol("outer", 1, 2), symbol("inner", 1, 2, 0)], ["1-2 inner"]);
check("a comment chunk belongs to what encloses it", "// a\n// b\n", [symbol("outer", 1, 9)], ["1-2 outer"]);
check("a long line stands alone", `a\n${"y".repeat(LONG_LINE)}\nb\n`, [], ["1-1", "2-2", "3-3"]);
check("no newline at the end", "a\nb", [], ["1-2"]);

describe("law", () => {
  const line = fc.oneof(
    fc.constant(""),
    fc.string({ maxLength: 120 }),
    fc.constant("  // note"),
    fc.nat(3_000).map((n) => "z".repeat(n)),
  );
  const file = fc.array(line, { maxLength: 80 }).chain((all) => {
    const text = all.join("\n").replaceAll("\0", "");
    const count = Math.max(1, lineStarts(text).length);
    const span = fc
      .tuple(fc.integer({ min: 1, max: count }), fc.nat(20))
      .map(([from, more]) => symbol("s", from, Math.min(count, from + more)));
    return fc
      .array(span, { maxLength: 20 })
      .map((symbols) => ({ text, symbols: symbols.sort((a, b) => a.span.lineStart - b.span.lineStart) }));
  });

  test("every line that is not blank is in exactly one chunk, within the file and the size", () => {
    fc.assert(
      fc.property(file, ({ text, symbols }) => {
        const starts = lineStarts(text);
        const covered = new Uint8Array(starts.length + 1);
        for (const { lineStart, lineEnd, symbol: about } of chunk(text, symbols)) {
          expect(1 <= lineStart && lineStart <= lineEnd && lineEnd <= starts.length).toBe(true);
          if (lineEnd > lineStart) expect(sliceLines(text, lineStart, lineEnd).length).toBeLessThanOrEqual(CHUNK_SIZE);
          if (about !== undefined) expect(symbols[about]!.span.lineStart).toBeLessThanOrEqual(lineEnd);
          for (let at = lineStart; at <= lineEnd; at++) covered[at]!++;
        }
        for (let at = 1; at <= starts.length; at++) {
          expect(covered[at]).toBeLessThanOrEqual(1);
          if (/[^\s]/.test(sliceLines(text, at, at))) expect(covered[at]).toBe(1);
        }
      }),
    );
  });
});
