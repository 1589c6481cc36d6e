import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Quota } from "./quota.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const isHere = () => false;

/** Work that runs until it is released. */
const counting = () => {
  let running = 0;
  let most = 0;
  const gates: (() => void)[] = [];
  const work = async () => {
    most = Math.max(most, ++running);
    await new Promise<void>((resolve) => gates.push(resolve));
    running--;
  };
  return { work, open: () => gates.shift()?.(), running: () => running, most: () => most };
};

test("four at a time, each in its turn, and another principal does not wait for them", async () => {
  const quota = new Quota();
  const one = counting();
  const asked = Array.from({ length: 10 }, () => quota.use("one", one.work, isHere));
  const other = vi.fn(async () => {});
  expect(await quota.use("two", other, isHere)).toBe(true);
  expect(other).toHaveBeenCalledOnce();
  for (let done = 0; done < 10; done++) {
    await vi.advanceTimersByTimeAsync(0);
    one.open();
  }
  expect(await Promise.all(asked)).toEqual(Array(10).fill(true));
  expect(one.most()).toBe(4);
});

test("a burst at once, the rest at the pace that is allowed", async () => {
  const quota = new Quota();
  let done = 0;
  const ask = (count: number) => {
    for (let at = 0; at < count; at++) {
      void quota.use("one", async () => void done++, isHere);
    }
  };
  for (let at = 0; at < 4; at++) {
    ask(10);
    await vi.advanceTimersByTimeAsync(0);
  }
  expect(done).toBe(40);
  ask(30);
  await vi.advanceTimersByTimeAsync(500);
  expect(done).toBe(50);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(done).toBe(70);
  await vi.advanceTimersByTimeAsync(60_000);
  for (let at = 0; at < 6; at++) {
    ask(10);
    await vi.advanceTimersByTimeAsync(0);
  }
  expect(done).toBe(110);
});

test("a client with a full queue is refused, and not at once", async () => {
  const quota = new Quota();
  const one = counting();
  const asked = Array.from({ length: 36 }, () => quota.use("one", one.work, isHere));
  let refused: boolean | undefined;
  void quota.use("one", one.work, isHere).then((served) => {
    refused = !served;
  });
  await vi.advanceTimersByTimeAsync(900);
  expect(refused).toBeUndefined();
  await vi.advanceTimersByTimeAsync(200);
  expect(refused).toBe(true);
  for (let done = 0; done < 36; done++) {
    await vi.advanceTimersByTimeAsync(50);
    one.open();
  }
  expect(await Promise.all(asked)).toEqual(Array(36).fill(true));
});

test("a request that was cancelled while waiting takes no turn", async () => {
  const quota = new Quota();
  const one = counting();
  let isGone = false;
  for (let at = 0; at < 4; at++) void quota.use("one", one.work, isHere);
  const left = Array.from({ length: 32 }, () => quota.use("one", one.work, () => isGone));
  isGone = true;
  const last = quota.use("one", one.work, isHere);
  expect(await Promise.all(left)).toEqual(Array(32).fill(true));
  expect(one.running()).toBe(4);
  one.open();
  await vi.advanceTimersByTimeAsync(0);
  expect(one.running()).toBe(4);
  for (let at = 0; at < 4; at++) one.open();
  expect(await last).toBe(true);
});

test("work that fails gives its place back", async () => {
  const quota = new Quota();
  for (let at = 0; at < 5; at++) {
    await expect(quota.use("one", () => Promise.reject(new Error("no")), isHere)).rejects.toThrow("no");
  }
  const work = vi.fn(async () => {});
  await quota.use("one", work, isHere);
  expect(work).toHaveBeenCalledOnce();
});
