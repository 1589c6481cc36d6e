/**
 * What is added after a publication, outside of its transaction: an index of an extension over it takes a millisecond a row,
 * and nobody is kept waiting for it. What is missing is added by the next one.
 */

import type { Db } from "./db.ts";
import { isLocked } from "./failures.ts";
import type { Transaction } from "./query-interface.ts";

const LOCK_MS = 2_000;

export interface Addition {
  /** Any number that nobody else uses: two that add the same would add it twice. */
  readonly lock: number;
  /** Adds what comes behind `after`, and returns the last that it looked at; undefined: there is nothing more. */
  readonly addSome: (tx: Transaction, repo: number, after: number) => Promise<number | undefined>;
}

/** Until the table cannot be written to: somebody makes an index just now, and is not waited for. */
export async function addTo(
  db: Pick<Db, "transaction">,
  repositories: readonly number[],
  addition: Addition,
): Promise<void> {
  try {
    for (const repo of repositories) await addAll(db, repo, addition);
  } catch (error) {
    if (!isLocked(error)) throw error;
  }
}

async function addAll(db: Pick<Db, "transaction">, repo: number, { lock, addSome }: Addition): Promise<void> {
  for (let last: number | undefined = 0; last !== undefined; ) {
    const after: number = last;
    last = await db.transaction(async (tx) => {
      await tx.run(`SET LOCAL lock_timeout = ${LOCK_MS}`);
      const sql = "SELECT pg_try_advisory_xact_lock($1, $2) AS mine";
      const [row] = await tx.rows<{ mine: boolean }>(sql, [lock, repo], { prepared: "afterwards" });
      // Somebody else is adding them.
      return row!.mine ? addSome(tx, repo, after) : undefined;
    });
  }
}
