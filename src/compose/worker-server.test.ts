import { expect, test } from "vitest";
import { sharedSignal } from "./worker-server.ts";

test("a signal in shared memory says why: a store throws its reason when it gives a request up", () => {
  const stop = new SharedArrayBuffer(4);
  const signal = sharedSignal(new AbortController(), stop);
  expect([signal.aborted, signal.reason]).toEqual([false, undefined]);
  signal.throwIfAborted();
  Atomics.store(new Int32Array(stop), 0, 1);
  expect(signal.aborted).toBe(true);
  expect(signal.reason).toMatchObject({ name: "AbortError" });
  expect(() => signal.throwIfAborted()).toThrow("The request was cancelled.");
});

test("its listeners hear a cancellation", () => {
  const controller = new AbortController();
  let heard = 0;
  sharedSignal(controller, new SharedArrayBuffer(4)).addEventListener("abort", () => heard++);
  controller.abort();
  expect(heard).toBe(1);
});
