import { expect, test } from "vitest";
import { calibrated, cosineAt } from "./semantic.ts";

test("the cut of a model is a score of 0.6", () => {
  expect(calibrated(0.35, 0.35)).toBeCloseTo(0.6);
  expect(calibrated(0.72, 0.72)).toBeCloseTo(0.6);
});

test.each([0.2, 0.35, 0.8, undefined])("grows strictly between 0 and 1, and back (cut %s)", (cut) => {
  let before = -1;
  for (let similarity = -1; similarity <= 1.0001; similarity += 0.01) {
    const score = calibrated(Math.min(1, similarity), cut);
    expect(score).toBeGreaterThan(before);
    expect(cosineAt(score, cut)).toBeCloseTo(Math.min(1, similarity), 6);
    before = score;
  }
  expect(before).toBeCloseTo(1);
});

test("thresholds at the ends take everything and nothing but the same", () => {
  expect(cosineAt(0, 0.35)).toBe(-1);
  expect(cosineAt(1, 0.35)).toBe(1);
});
