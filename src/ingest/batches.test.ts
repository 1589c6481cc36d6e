import fc from "fast-check";
import { expect, test } from "vitest";
import { chooseBatchLimits, cutBatches as cut } from "./batches.ts";

const cutBatches = (tasks: Parameters<typeof cut>[0], capacity: number) => cut(tasks, capacity, chooseBatchLimits({}));

const tasks = fc
  .array(fc.nat(1 << 20), { maxLength: 2_000 })
  .map((sizes) => sizes.map((size, i) => ({ path: `${i}`, size })));

test("every task comes once, in batches of neighbours that are bounded and never empty", () => {
  fc.assert(
    fc.property(tasks, fc.integer({ min: 1, max: 64 }), (all, capacity) => {
      const batches = cutBatches(all, capacity);
      const inOrder = batches.toSorted((a, b) => Number(a[0]!.path) - Number(b[0]!.path));
      expect(inOrder.flat()).toEqual(all);
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

test("where there is memory to spare requests are twice as large, and together larger by half", () => {
  const all = Array.from({ length: 6_000 }, (_, i) => ({ path: `${i}`, size: 8_000 }));
  const most = (isRoomy: boolean, capacity: number) =>
    Math.max(...cut(all, capacity, chooseBatchLimits({ isRoomy })).map((batch) => batch.length * 8_000));
  expect([most(false, 4), most(true, 4)]).toEqual([3_000_000, 6_000_000]);
  expect([most(false, 16), most(true, 16)]).toEqual([1_000_000, 1_496_000]);
});

test("what fits into memory begins with its largest request, more than that with its first path", () => {
  const of = (sizes: readonly number[]) => sizes.map((size, i) => ({ path: `${i}`, size }));
  const order = (sizes: readonly number[]) => cutBatches(of(sizes), 4).map((batch) => batch[0]!.path);
  expect(order([300_000, 600_000, 250_000, 600_000])).toEqual(["1", "3", "0", "2"]);
  expect(order([2_500_000, ...Array<number>(9).fill(2_900_000)])[0]).toBe("0");
});

test("what is parsed comes before as much text", () => {
  const tasks = ["a.txt", "b.c", "c.txt", "d.c"].map((path, i) => ({ path, size: 300_000 - i }));
  expect(cutBatches(tasks, 4).map((batch) => batch[0]!.path)).toEqual(["b.c", "d.c", "a.txt", "c.txt"]);
});

test("a tree that fits into memory is cut into few, ever smaller requests", () => {
  const batches = cutBatches(
    Array.from({ length: 300 }, (_, i) => ({ path: `${i}`, size: 20_000 })),
    4,
  );
  const sizes = batches.map((batch) => batch.reduce((sum, task) => sum + task.size, 0));
  expect(sizes.length).toBeLessThan(8);
  expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
  expect(sizes.at(-1)).toBeLessThan(sizes[0]! / 2);
});

test("the last requests of a large tree are small", () => {
  const all = Array.from({ length: 6_000 }, (_, i) => ({ path: `${i}`, size: 10_000 }));
  const sizes = cut(all, 4, chooseBatchLimits({ isRoomy: true })).map((batch) => batch.length * 10_000);
  expect(sizes[0]).toBe(6_000_000);
  expect(Math.max(...sizes.slice(-2))).toBeLessThanOrEqual(1_000_000);
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
