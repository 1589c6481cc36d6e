import { expect, test } from "vitest";
import { Quota } from "./quota.ts";

const counting = () => {
  let running = 0;
  let most = 0;
  const gates: (() => void)[] = [];
  const work = async () => {
    most = Math.max(most, ++running);
    await new Promise<void>((resolve) => gates.push(resolve));
    running--;
    return true;
  };
  return { work, open: () => gates.shift()?.(), waiting: () => gates.length, most: () => most };
};

test("four at a time, each in its turn, and another principal does not wait for them", async () => {
  const quota = new Quota(() => 0);
  const one = counting();
  const asked = Array.from({ length: 10 }, () => quota.use("one", one.work));
  expect(await quota.use("two", async () => "at once")).toBe("at once");
  for (let done = 0; done < 10; done++) {
    await expect.poll(one.waiting, { timeout: 30_000 }).toBeGreaterThan(0);
    one.open();
  }
  expect(await Promise.all(asked)).toEqual(Array(10).fill(true));
  expect(one.most()).toBe(4);
});

test("a burst, then as many as the time that went by has brought", async () => {
  let now = 0;
  const quota = new Quota(() => now);
  const ask = async (count: number) => {
    const answers = [];
    for (let at = 0; at < count; at++) answers.push(await quota.use("one", async () => true));
    return answers.filter((answer) => answer === true).length;
  };
  expect(await ask(60)).toBe(40);
  now += 500;
  expect(await ask(60)).toBe(10);
  now += 60_000;
  expect(await ask(60)).toBe(40);
});

test("too many that wait are sent away, and work that fails gives its place back", async () => {
  const quota = new Quota(() => 0);
  const one = counting();
  const asked = Array.from({ length: 37 }, () => quota.use("one", one.work));
  expect(await asked[36]).toBeUndefined();
  for (let done = 0; done < 36; done++) {
    await expect.poll(one.waiting, { timeout: 30_000 }).toBeGreaterThan(0);
    one.open();
  }
  await Promise.all(asked);
  await expect(quota.use("two", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await quota.use("two", async () => "still")).toBe("still");
});
