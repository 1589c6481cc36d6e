import { expect, test } from "vitest";
import { parseKindFilter } from "./kinds.ts";

test.each([
  ["function", ["fn"]],
  [" Method ", ["method", "constructor"]],
  // Words that every object of the language has.
  ["constructor", ["constructor"]],
  ["toString", []],
  ["__proto__", []],
  ["nonsense", []],
])("%j means %j", (word, kinds) => expect(parseKindFilter(word)).toEqual(kinds));
