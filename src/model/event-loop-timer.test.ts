import { expect, test } from "vitest";
import { afterAwake } from "./event-loop.ts";

test("a process that was stopped for longer has its time left", async () => {
  let fired = false;
  const done = new Promise<void>((resolve) => {
    afterAwake(100, () => {
      fired = true;
      resolve();
    });
  });
  // A thread that stands still is to its timers what a stopped process is.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(fired).toBe(false);
  await done;
  expect(fired).toBe(true);
});

test("it can be cancelled", async () => {
  const timer = afterAwake(10, () => expect.fail("it was cancelled"));
  clearInterval(timer);
  await new Promise<void>((resolve) => afterAwake(50, resolve));
});
