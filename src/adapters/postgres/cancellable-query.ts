/** A question that its caller may give up, or that has to be answered within a time: the server is told to stop, too. */
import type { PoolClient } from "pg";
import type { Limits } from "../../ports/limits.ts";
import type { Address } from "./address.ts";
import { cancelRunning } from "./cancel.ts";
import { Aborted } from "./failures.ts";

const LOOK_MS = 20;

export interface Asked {
  readonly address: Address;
  readonly client: PoolClient;
  readonly limits: Limits | undefined;
}

export async function stoppable<T>({ address, client, limits }: Asked, run: () => Promise<T>): Promise<T> {
  const { signal, deadlineMs } = limits ?? {};
  if (signal?.aborted) throw new Aborted(signal.reason);
  const until = deadlineMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + deadlineMs;
  let cancelling: Promise<void> | undefined;
  // Looked at and not listened to: the signal of a reader thread is a cell of shared memory, and fires no event.
  const look = () => {
    if (signal?.aborted || performance.now() > until) cancelling ??= cancelRunning(address, client as object);
  };
  const timer = limits && setInterval(look, LOOK_MS);
  try {
    return await run();
  } catch (error) {
    throw signal?.aborted ? new Aborted(signal.reason) : error;
  } finally {
    clearInterval(timer);
    // A request to stop that is still on its way would meet the connection's next question.
    await cancelling;
  }
}
