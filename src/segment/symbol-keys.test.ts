import fc from "fast-check";
import { expect, test } from "vitest";
import { sortOrder } from "./symbol-keys.ts";

const halves = fc.oneof(fc.nat({ max: 3 }), fc.constant(0xffff_ffff), fc.nat({ max: 0xffff_ffff }));

test("hashes are put in order by both halves, and equal ones by their places", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(halves, halves), { maxLength: 60 }), (hashes) => {
      const [highs, lows] = [0, 1].map((half) => Uint32Array.from(hashes, (hash) => hash[half]!));
      const expected = hashes
        .map((hash, at) => [...hash, at] as const)
        .sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
      expect([...sortOrder(highs!, lows!)]).toEqual(expected.map(([, , at]) => at));
    }),
  );
});

test("more keys than fit a double together with their positions", () => {
  const highs = Uint32Array.from({ length: 2 ** 22 }, (_, at) => Math.imul(at ^ 0x55, 0x9e3779b1) >>> 0);
  const lows = new Uint32Array(highs.length);
  const order = sortOrder(highs, lows);
  for (let i = 1; i < order.length; i++) if (highs[order[i - 1]!]! > highs[order[i]!]!) expect.fail(`at ${i}`);
});
