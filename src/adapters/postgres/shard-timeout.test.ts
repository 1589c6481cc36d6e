import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { firstLate, unlessLate } from "./shard-timeout.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
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

const NEVER = Number.POSITIVE_INFINITY;

test.each([
  ["all answer", [20, 900], undefined],
  ["one does not", [20, NEVER], 1],
  ["the first does not", [NEVER, 20, 30], 0],
  ["one takes too long", [20, 1_700], 1],
  ["where all take long, nobody is late", [400, 3_000], undefined],
  ["where none answers, nobody is late", [NEVER, NEVER], undefined],
])("%s", async (_, times, late) => {
  const looks = times.map((ms) => new Promise<void>((resolve) => void (ms < NEVER && setTimeout(resolve, ms))));
  const found = firstLate(looks);
  await vi.runAllTimersAsync();
  expect(await found).toBe(late);
});
