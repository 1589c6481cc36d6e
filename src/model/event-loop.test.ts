import { stat } from "node:fs";
import { expect, test } from "vitest";
import { isLongTurn, nextTurn } from "./event-loop.ts";

function work(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

test("a turn is long after some work, and the next one is new", async () => {
  await nextTurn();
  expect(isLongTurn()).toBe(false);
  work(5);
  expect(isLongTurn()).toBe(true);
  await nextTurn();
  expect(isLongTurn()).toBe(false);
});

/** In which turns of the event loop tasks of these durations continue. */
async function turnsOf(ms: readonly number[]): Promise<number[]> {
  let turn = 0;
  let goesOn = true;
  const count = () => {
    turn++;
    if (goesOn) setImmediate(count);
  };
  setImmediate(count);
  const went: number[] = [];
  const all = ms.map(async (own, who) => {
    await nextTurn();
    went[who] = turn;
    work(own);
  });
  await Promise.all(all);
  goesOn = false;
  return went;
}

test("waiting tasks resume in order of arrival, one long task per turn", async () => {
  const [a, b, c] = await turnsOf([5, 5, 5]);
  expect([b, c]).toEqual([a! + 1, a! + 2]);
});

test("those with little to do share a turn", async () => {
  const turns: number[] = [];
  // A busy machine may take the core away in the middle of a turn, which then is long; not every time.
  for (let time = 0; time < 20; time++) turns.push(new Set(await turnsOf([0, 0, 0])).size);
  expect(Math.min(...turns)).toBe(1);
});

test("a task that starts to wait meanwhile is resumed as well", async () => {
  const went: string[] = [];
  const twice = async (who: string) => {
    for (const time of [1, 2]) {
      await nextTurn();
      went.push(`${who}${time}`);
    }
  };
  await Promise.all([twice("a"), twice("b")]);
  expect(went).toEqual(["a1", "b1", "a2", "b2"]);
});

test("what is due meanwhile comes before the next turn, also where the event loop has just heard of something", async () => {
  const came: string[] = [];
  await new Promise<void>((done) => {
    stat(".", async () => {
      setTimeout(() => came.push("timer"), 1);
      work(5);
      await nextTurn();
      came.push("turn");
      done();
    });
  });
  expect(came).toEqual(["timer", "turn"]);
});
