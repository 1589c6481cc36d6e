import fc from "fast-check";
import { expect, test } from "vitest";
import { charSet, difference, has, intersect, negate, setSize, subtract, union } from "./char-set.ts";

const set = fc
  .array(fc.tuple(fc.nat(60), fc.nat(8)), { maxLength: 6 })
  .map((ranges) => charSet(ranges.map(([first, more]) => [first, first + more])));

test("sets obey the laws of sets, point by point", () => {
  fc.assert(
    fc.property(set, set, (one, other) => {
      for (let at = 0; at < 80; at++) {
        const [a, b] = [has(one, at), has(other, at)];
        const found = [union, intersect, subtract, difference].map((operate) => has(operate(one, other), at));
        expect(found).toEqual([a || b, a && b, a && !b, a !== b]);
        expect(has(negate(one), at)).toBe(!a);
      }
      expect(setSize(one) + setSize(negate(one))).toBe(0x110000 - 0x800);
    }),
  );
});
