import { expect, test } from "vitest";
import { testEnv } from "../../../test/kit/store.ts";
import { IdleRelease } from "./open-trees.ts";

/** Time passes when the test says so. */
function resting(work: () => Promise<void> = async () => {}) {
  const sleeping: (() => void)[] = [];
  let rests = 0;
  const env = { ...testEnv(), sleep: () => new Promise<void>((resolve) => sleeping.push(resolve)) };
  const rest = new IdleRelease(env, () => {
    rests++;
    return work();
  });
  const pass = async () => {
    for (const wake of sleeping.splice(0)) wake();
    await new Promise(setImmediate);
  };
  return { used: () => rest.used(), pass, rests: () => rests, sleeping };
}

test("releases its memory once after an idle time", async () => {
  const { used, pass, rests, sleeping } = resting();
  used();
  await pass();
  expect(rests()).toBe(1);
  await pass();
  expect([rests(), sleeping.length]).toEqual([1, 0]);
});

test("stays in memory while requests arrive", async () => {
  const { used, pass, rests } = resting();
  used();
  for (let i = 0; i < 3; i++) {
    used();
    await pass();
    used();
    await pass();
    expect(rests()).toBe(0);
  }
  await pass();
  expect(rests()).toBe(1);
});

test("releases again after a new request, also where the last release failed", async () => {
  const { used, pass, rests } = resting(() => Promise.reject(new Error("no")));
  for (const round of [1, 2]) {
    used();
    await pass();
    expect(rests()).toBe(round);
  }
});
