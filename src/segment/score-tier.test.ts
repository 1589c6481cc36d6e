import { expect, test } from "vitest";
import { halfSaturation, scoreTier, TIERS, tierShare } from "./score.ts";

const tier = (count: number, length: number) => scoreTier(count / (count + halfSaturation(length)));

test("the more often, and the shorter the chunk, the higher", () => {
  expect([1, 2, 3, 5, 9, 30].map((count) => tier(count, 137))).toEqual([3, 5, 5, 6, 7, 7]);
  expect([3, 40, 137, 400, 5_000].map((length) => tier(1, length))).toEqual([6, 5, 3, 2, 0]);
  expect(tier(1_000_000, 1)).toBe(TIERS - 1);
});

test("the value of a tier lies inside it", () => {
  for (let one = 0; one < TIERS; one++) expect(scoreTier(tierShare(one))).toBe(one);
});
