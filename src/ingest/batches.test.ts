import fc from "fast-check";
import { expect, test } from "vitest";
import { cutBatches } from "./batches.ts";

const tasks = fc
  .array(fc.nat(1 << 20), { maxLength: 2_000 })
  .map((sizes) => sizes.map((size, i) => ({ path: `${i}`, size })));

test("every task comes once, in order, in batches that are bounded and never empty", () => {
  fc.assert(
    fc.property(tasks, fc.integer({ min: 1, max: 64 }), (all, capacity) => {
      const batches = cutBatches(all, capacity);
      expect(batches.flat()).toEqual(all);
      for (const batch of batches) {
        expect(batch.length).toBeGreaterThan(0);
        expect(batch.length).toBeLessThanOrEqual(500);
        const bytes = batch.reduce((sum, task) => sum + task.size, 0);
        expect(batch.length === 1 || bytes <= 3_000_000).toBe(true);
      }
    }),
    { numRuns: 30 },
  );
});

test("a small tree is one request", () => {
  expect(
    cutBatches(
      [
        { path: "a", size: 10 },
        { path: "b", size: 10 },
      ],
      4,
    ),
  ).toHaveLength(1);
  expect(cutBatches([], 4)).toEqual([]);
});
