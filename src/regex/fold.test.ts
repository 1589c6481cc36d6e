import { expect, test } from "vitest";
import { caseOrbit, foldCase } from "./char-set.ts";

/** Letters that change with case, and as many that look as if they might. */
const LETTERS = [..."AaÉéßẞıİKkSsſΣσςµμÅåǅÆΘϴθЯяაᏸꭰⅷⓐａ𐐀𐐨ﬅﬆΐΰ", ..."ͅΙιι0_-中あ"].map((char) => char.codePointAt(0)!);

test("a letter folds with exactly those that the language's own folding makes equal", () => {
  for (const one of LETTERS) {
    const alike = new RegExp(`^\\u{${one.toString(16)}}$`, "iu");
    const orbit = caseOrbit(one);
    for (const other of LETTERS) {
      const expected = alike.test(String.fromCodePoint(other));
      expect([one.toString(16), other.toString(16), orbit.includes(other)]).toEqual([
        one.toString(16),
        other.toString(16),
        expected,
      ]);
    }
  }
});

test("a range gets the other case of its members", () => {
  expect(foldCase([0x61, 0x63])).toEqual([0x41, 0x43, 0x61, 0x63]);
  expect(foldCase([0x6b, 0x6b])).toEqual([0x4b, 0x4b, 0x6b, 0x6b, 0x212a, 0x212a]);
  expect(foldCase([0x30, 0x39])).toEqual([0x30, 0x39]);
});
