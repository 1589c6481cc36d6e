import { expect, test } from "vitest";
import { newStop, setStop, sharedSignal } from "./read-protocol.ts";

test("a signal of another thread says why: a store throws its reason when it gives a question up", () => {
  const stop = newStop();
  const signal = sharedSignal(stop);
  expect([signal.aborted, signal.reason]).toEqual([false, undefined]);
  signal.throwIfAborted();
  setStop(stop);
  expect(signal.aborted).toBe(true);
  expect(signal.reason).toMatchObject({ name: "AbortError" });
  expect(() => signal.throwIfAborted()).toThrow("The request was cancelled.");
});
