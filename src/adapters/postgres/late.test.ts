import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { unlessLate } from "./late.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A question that takes so long, where a look finds these shards late, one after the other. */
async function asked(ms: number, ...late: (string | undefined)[]) {
  let looks = 0;
  const answer = new Promise<string>((resolve) => setTimeout(() => resolve("an answer"), ms));
  const outcome = unlessLate(answer, async () => late[looks++]).catch((error: Error) => error.message);
  await vi.runAllTimersAsync();
  return { outcome: await outcome, looks };
}

test.each([
  ["an answer in time is not looked at", 1_000, [], "an answer", 0],
  ["a question that takes long is waited for while all shards answer", 4_000, [], "an answer", 2],
  ["a late shard ends the wait", 60_000, ["shard1"], "shard1 answers late", 1],
  ["also one that becomes late", 60_000, [undefined, undefined, "shard0"], "shard0 answers late", 3],
])("%s", async (_, ms, late, outcome, looks) => {
  expect(await asked(ms, ...late)).toEqual({ outcome, looks });
});
