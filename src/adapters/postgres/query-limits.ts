/** Ends queries that the caller cancels, that pass their deadline, or whose server does not answer at all. */

import { connect } from "node:net";
import type { PoolClient } from "pg";
import { Aborted } from "../../engine/segments.ts";
import type { Limits } from "../../ports/limits.ts";
import type { Address } from "./address.ts";
import { AnswerTimeout } from "./failures.ts";

const LOOK_MS = 20;

export interface LimitedQuery {
  readonly address: Address;
  readonly client: PoolClient;
  readonly limits: Limits | undefined;
}

export async function runLimited<T>({ address, client, limits }: LimitedQuery, run: () => Promise<T>): Promise<T> {
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

/** What the server told the connection when it was opened. */
interface BackendKey {
  readonly processID?: number | null;
  readonly secretKey?: number | null;
}

const CANCEL_CODE = 80_877_102;

/** Resolves when the server has taken note or cannot be reached; the caller's own question then ends by itself. */
export function cancelRunning(address: Address, backend: BackendKey): Promise<void> {
  const { processID, secretKey } = backend;
  if (typeof processID !== "number" || typeof secretKey !== "number") return Promise.resolve();
  const request = Buffer.alloc(16);
  request.writeInt32BE(16, 0);
  request.writeInt32BE(CANCEL_CODE, 4);
  request.writeInt32BE(processID, 8);
  request.writeInt32BE(secretKey, 12);
  return new Promise((resolve) => {
    const { host, port } = address;
    const socket = host.startsWith("/") ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    socket.once("connect", () => socket.end(request));
    socket.once("close", () => resolve());
    socket.once("error", () => resolve());
  });
}

/** The answer, or `Silent` where none came in time. The connection is of no use any more. */
export function withAnswerTimeout<T>(asked: Promise<T>, mostMs: number): Promise<T> {
  const { promise: silent, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new AnswerTimeout()), mostMs);
  timer.unref();
  return Promise.race([asked, silent]).finally(() => clearTimeout(timer));
}
