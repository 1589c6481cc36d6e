import { expect, test } from "vitest";
import { LineCounter, Pattern } from "./pattern.ts";

const ALL = { offset: 0, limit: 0 };

test("places are counted through all texts", () => {
  const tally = new LineCounter(new Pattern("b"), 3, { offset: 1, limit: 2 });
  for (const [number, text] of ["a\nb\n", "c\n", "b\na\nb\nb"].entries()) tally.add(number, text);
  expect([...tally.counts]).toEqual([1, 0, 3]);
  expect(tally.places).toEqual([
    { text: 2, line: 1 },
    { text: 2, line: 3 },
  ]);
});

// Comparing the two at every line took half a minute for two generated files of two megabytes. The test's time-out tells.
test("equal texts cost no more than others", () => {
  const text = "e\n".repeat(1_000_000);
  const tally = new LineCounter(new Pattern("e"), 2, ALL);
  tally.add(0, text);
  tally.add(1, Buffer.from(text).toString("latin1"));
  expect([...tally.counts]).toEqual([1_000_000, 1_000_000]);
});
