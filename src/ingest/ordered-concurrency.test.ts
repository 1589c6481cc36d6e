import { expect, test } from "vitest";
import { OrderedQueue } from "./batches.ts";

/** Work items that the test finishes. */
function workshop(count: number, { atOnce = 2, ahead = 0 } = {}) {
  const begun: number[] = [];
  const ends = new Map<number, { done: (result: number) => void; fail: (error: Error) => void }>();
  const work = (one: number) => {
    begun.push(one);
    return new Promise<number>((done, fail) => ends.set(one, { done, fail }));
  };
  const things = Array.from({ length: count }, (_, i) => i);
  const turns = new OrderedQueue(things, work, { atOnce: () => atOnce, ahead });
  const finish = async (one: number) => {
    ends.get(one)!.done(one * 10);
    await new Promise(setImmediate);
  };
  return { begun, turns, finish, fail: (one: number) => ends.get(one)!.fail(new Error("no")) };
}

test("results come in their order, and what follows is begun before they are taken", async () => {
  const { begun, turns, finish } = workshop(3);
  const first = turns.next();
  await finish(1);
  expect(begun).toEqual([0, 1]);
  await finish(0);
  expect(await first).toBe(0);
  expect(begun).toEqual([0, 1, 2]);
  expect(await turns.next()).toBe(10);
  await finish(2);
  expect(await turns.next()).toBe(20);
  expect(turns.isDone).toBe(true);
});

test("behind a slow task others continue, up to the window", async () => {
  const { begun, turns, finish } = workshop(9, { ahead: 2 });
  const first = turns.next();
  for (const one of [1, 2, 3]) await finish(one);
  expect(begun).toEqual([0, 1, 2, 3]);
  await finish(0);
  expect(await first).toBe(0);
  expect(begun).toEqual([0, 1, 2, 3, 4]);
});

test("what is added comes last", async () => {
  const { begun, turns, finish } = workshop(1);
  const first = turns.next();
  await finish(0);
  await first;
  expect(turns.isDone).toBe(true);
  turns.add([7]);
  expect(turns.isDone).toBe(false);
  const last = turns.next();
  await finish(7);
  expect([await last, begun]).toEqual([70, [0, 7]]);
});

test("a failure is reported in order, and nothing starts after a stop", async () => {
  const { begun, turns, finish, fail } = workshop(9, { ahead: 4 });
  const first = turns.next();
  fail(0);
  await expect(first).rejects.toThrow("no");
  turns.stop();
  const before = [...begun];
  await finish(1);
  expect(begun).toEqual(before);
});
