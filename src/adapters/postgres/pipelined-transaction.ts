/** A question inside a transaction of its own, sent together with what begins and what ends it: one round trip, not three. */
import type { PoolClient, QueryConfig } from "pg";

export type Statement = string | QueryConfig;

/**
 * `ask` makes its one query before it first waits. Where a statement of `begin` fails, the engine refuses what follows it
 * until the end of the transaction: nothing is ever asked without what `begin` says.
 */
export async function inOneFlight<T>(
  client: PoolClient,
  begin: readonly Statement[],
  ask: () => Promise<T>,
): Promise<T> {
  return inPipeline(client, async () => {
    const flight = [...begin.map((one) => sent(client, one)), ask(), sent(client, "COMMIT")];
    const answers = await allOf(flight);
    return answers[begin.length] as T;
  });
}

/** Statements in one round trip. Where one fails, the first failure is thrown when all have been answered. */
export async function pipelined(client: PoolClient, statements: readonly Statement[]): Promise<void> {
  if (statements.length === 1) await sent(client, statements[0]!);
  else await inPipeline(client, () => allOf(statements.map((one) => sent(client, one))));
}

/** The driver's own switch; not for good, since it takes no COPY while it is on. */
async function inPipeline<T>(client: PoolClient, work: () => Promise<T>): Promise<T> {
  const piped = client as unknown as { pipeline: boolean };
  piped.pipeline = true;
  try {
    return await work();
  } finally {
    piped.pipeline = false;
  }
}

async function allOf(answers: readonly Promise<unknown>[]): Promise<unknown[]> {
  const settled = await Promise.allSettled(answers);
  return settled.map((one) => {
    if (one.status === "rejected") throw one.reason;
    return one.value;
  });
}

function sent(client: PoolClient, statement: Statement): Promise<unknown> {
  return typeof statement === "string" ? client.query(statement) : client.query(statement);
}
