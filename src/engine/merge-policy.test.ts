import { expect, test } from "vitest";
import { dueForMerge, dueForSettling, type SegmentSize, SMALL_CHUNKS } from "./merging.ts";

const sized = (...chunks: number[]): SegmentSize[] => chunks.map((count, at) => ({ id: at + 1, chunks: count }));

test("few segments are left alone", () => expect(dueForMerge(sized(...Array(7).fill(5)), SMALL_CHUNKS)).toEqual([]));

test("eight of one tier are merged, never a large one with small ones", () => {
  const due = dueForMerge(sized(...Array(10).fill(90_000), 1, 70, ...Array(8).fill(9)), SMALL_CHUNKS);
  expect(due.map((it) => it.chunks)).toEqual(Array(8).fill(9));
});

test("large segments wait for a merge that can afford them", () => {
  expect(dueForMerge(sized(...Array(20).fill(90_000)), SMALL_CHUNKS)).toEqual([]);
  expect(dueForMerge(sized(...Array(20).fill(90_000)), Number.POSITIVE_INFINITY)).toHaveLength(16);
});

test("settling puts the small ones together when there are many", () => {
  expect(dueForSettling(sized(1, 2, 90_000))).toEqual([]);
  expect(dueForSettling(sized(90_000, ...Array(9).fill(20)))).toHaveLength(9);
});

test("10,000 one-file syncs without a gc keep few segments and write each chunk a few times", () => {
  let segments = sized(100_000);
  let written = 0;
  let most = 0;
  for (let id = 2; id < 10_002; id++) {
    segments.push({ id, chunks: 2 });
    const due = new Set(dueForMerge(segments, SMALL_CHUNKS));
    const chunks = [...due].reduce((sum, it) => sum + it.chunks, 0);
    written += chunks;
    if (due.size > 0) segments = [...segments.filter((it) => !due.has(it)), { id: 20_000 + id, chunks }];
    most = Math.max(most, segments.length);
  }
  expect(most).toBeLessThan(48);
  expect(written / 20_000).toBeLessThan(8);
});
