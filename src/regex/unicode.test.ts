import { expect, test } from "vitest";
import { has, negate, setSize } from "./char-set.ts";
import { digit, namedClass, space, word } from "./unicode.ts";

const holds = (set: readonly number[] | undefined, chars: string) =>
  [...chars].every((char) => has(set!, char.codePointAt(0)!));

test("the shorthand classes", () => {
  expect(holds(word(), "azAZ09_éßяñ中あ\u0301\u200d٣𐐀")).toBe(true);
  expect(holds(negate(word()), " -.→😀\u00a0$")).toBe(true);
  expect(holds(digit(), "09٣๓")).toBe(true);
  expect(holds(negate(digit()), "a²½")).toBe(true);
  expect(holds(space(), " \t\r\v\f\u00a0\u2028\u3000")).toBe(true);
  expect(digit()).toEqual(namedClass("Nd"));
  // As ripgrep 15 counts them, whatever the runtime's Unicode version is.
  expect([setSize(word()), setSize(namedClass("Cn")!)]).toEqual([144_667, 819_533]);
});

test.each([
  ["Lu", "AÉЯ", "aé1"],
  ["uppercase letter", "AÉЯ", "aé1"],
  ["gc=Sc", "$€", "a"],
  ["Greek", "αΩ", "a"],
  ["script:Grek", "αΩ", "a"],
  ["scx=Arab", "ب", "a"],
  ["isalphabetic", "aя", "1"],
  ["White_Space", " \u3000", "a"],
  ["emoji", "😀", "a"],
  ["any", "a😀", ""],
  ["ascii", "aZ~", "é"],
])("\\p{%s}", (name, inside, outside) => {
  expect(holds(namedClass(name), inside)).toBe(true);
  expect(holds(negate(namedClass(name)!), outside)).toBe(true);
});

test.each(["foo", "", "gc=Greek", "sc=Lu", "age=3.0", "constructor", "L}|a{"])("\\p{%s} is none", (name) => {
  expect(namedClass(name)).toBeUndefined();
});
