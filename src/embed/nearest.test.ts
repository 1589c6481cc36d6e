import fc from "fast-check";
import { expect, test } from "vitest";
import { nearest } from "./kernel.ts";

const tie = (a: number, b: number) => b - a;

test("the best, in order, by any limit, as sorting everything gives them", () => {
  const heights = fc.array(fc.constantFrom(-0.5, 0, 0.1, 0.2, 0.35, 0.5, 0.9), { maxLength: 40 });
  fc.assert(
    fc.property(heights, fc.nat(12), fc.constantFrom(-1, 0.1, 0.35, 2), (values, limit, least) => {
      const similarity = Float64Array.from(values);
      const all = values.map((_, row) => row).filter((row) => values[row]! >= least);
      all.sort((a, b) => values[b]! - values[a]! || tie(a, b));
      expect(nearest(similarity, { limit, least, tie })).toEqual({ rows: all.slice(0, limit), matched: all.length });
      const many = nearest(similarity, { limit: limit + 1000, least, tie });
      expect(many).toEqual({ rows: all, matched: all.length });
    }),
  );
});
