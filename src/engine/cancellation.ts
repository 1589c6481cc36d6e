/** Ends what a backend runs elsewhere: when the caller cancels it, when its time is over, or when no answer comes. */
import type { Limits } from "../ports/snapshot.ts";
import { Aborted } from "./segments.ts";

const LOOK_MS = 20;

/** `cancel` asks for the end of what `run` waits for. */
export async function runLimited<T>(
  limits: Limits | undefined,
  cancel: () => Promise<void>,
  run: () => Promise<T>,
): Promise<T> {
  const { signal, deadlineMs } = limits ?? {};
  if (signal?.aborted) throw new Aborted(signal.reason);
  const until = deadlineMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + deadlineMs;
  let cancelling: Promise<void> | undefined;
  // Looked at and not listened to: the signal of a reader thread is a cell of shared memory, and fires no event.
  const look = () => {
    if (signal?.aborted || performance.now() > until) cancelling ??= cancel();
  };
  const timer = limits && setInterval(look, LOOK_MS);
  try {
    return await run();
  } catch (error) {
    throw signal?.aborted ? new Aborted(signal.reason) : error;
  } finally {
    clearInterval(timer);
    // A request to stop that is still on its way would meet the connection's next query.
    await cancelling;
  }
}

/** No answer came in time, not even that the time for one is over. */
export class AnswerTimeout extends Error {
  constructor() {
    super("no answer, not even that the time for one is over");
  }
}

/** The answer, or `AnswerTimeout` where none came in time. The connection must not be used again. */
export function withAnswerTimeout<T>(asked: Promise<T>, mostMs: number): Promise<T> {
  const { promise: silent, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new AnswerTimeout()), mostMs);
  timer.unref();
  return Promise.race([asked, silent]).finally(() => clearTimeout(timer));
}
