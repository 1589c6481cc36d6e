/** A question inside a transaction of its own, sent together with what begins and what ends it: one round trip, not three. */
import type { PoolClient } from "pg";

/**
 * `ask` makes its one query before it first waits. Where `begin` fails, the engine refuses what follows it until the end of
 * the transaction: nothing is ever asked without what `begin` says.
 */
export async function inOneFlight<T>(client: PoolClient, begin: string, ask: () => Promise<T>): Promise<T> {
  // The driver's own switch; not for good, since it takes no COPY while it is on.
  const piped = client as unknown as { pipeline: boolean };
  piped.pipeline = true;
  try {
    const flight = [client.query(begin), ask(), client.query("COMMIT")] as const;
    const [begun, answer, ended] = await Promise.allSettled(flight);
    for (const one of [begun, answer, ended]) if (one.status === "rejected") throw one.reason;
    return (answer as PromiseFulfilledResult<T>).value;
  } finally {
    piped.pipeline = false;
  }
}
