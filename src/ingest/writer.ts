/** Holds the right to write while `work` runs: takes the lease, renews it by a timer, gives it back whatever happens. */
import { CompassError } from "../model/errors.ts";
import type { Env, Failpoint } from "../ports/env.ts";
import type { Lease } from "../ports/lease.ts";
import type { Store } from "../ports/store.ts";

/** A writer that has not been heard of for this long is taken for dead. */
const LEASE_MS = 30_000;
const RENEW_MS = 5_000;

interface WriterPorts {
  readonly store: Store;
  readonly env: Env;
  readonly failpoint?: Failpoint;
}

/** The signal fires when the caller cancels or somebody else took the lease over. */
export async function withLease<T>(
  { store, env, failpoint }: WriterPorts,
  signal: AbortSignal,
  work: (lease: Lease, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const answer = await store.lease(env.self, LEASE_MS);
  if ("held" in answer) throw new CompassError("index_in_progress", { held_by_pid: answer.by.pid });
  const { lease } = answer;
  const lost = new AbortController();
  const timer = setInterval(() => lease.renew().catch((error: unknown) => lost.abort(error)), RENEW_MS);
  try {
    return await work(lease, AbortSignal.any([signal, lost.signal]));
  } finally {
    clearInterval(timer);
    // A lease that was lost, or a store that failed, cannot be given back; its time runs out by itself.
    failpoint?.("release:before");
    await lease.release().catch(() => {});
    failpoint?.("release:after");
  }
}
