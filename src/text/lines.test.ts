import { expect, test } from "vitest";
import { lineAt, lineCount, lineStarts, sliceLines } from "./lines.ts";

const starts = (text: string, expected: number[]) =>
  test(`starts of ${JSON.stringify(text)}`, () => expect(lineStarts(text)).toEqual(expected));
starts("", []);
starts("a", [0]);
starts("a\n", [0]);
starts("a\nb", [0, 2]);
starts("\n\n", [0, 1]);
starts("a\r\nb\rc\u2028d\n", [0, 3]);

const slice = (text: string, first: number, last: number, expected: string) =>
  test(`lines ${first}..${last} of ${JSON.stringify(text)}`, () =>
    expect(sliceLines(text, first, last)).toBe(expected));
slice("a\nb\nc\n", 1, 2, "a\nb");
slice("a\nb\nc", 3, 3, "c");
slice("a\r\nb\r\n", 1, 1, "a\r");
slice("a\nb", 0, 9, "a\nb");
slice("a\nb", 3, 4, "");
slice("", 1, 1, "");

test("the line of an offset", () => {
  const text = "ab\ncd\n\nef";
  expect([0, 2, 3, 5, 6, 7, 99].map((offset) => lineAt(lineStarts(text), offset))).toEqual([1, 1, 2, 2, 3, 4, 4]);
  expect(lineCount(text)).toBe(4);
});
