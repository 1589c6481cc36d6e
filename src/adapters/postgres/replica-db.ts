/** A replica that is read in place of the store, and positions in the log that both share. */
import { ReplicaReader } from "../../engine/replica-reader.ts";
import type { ReadHorizon } from "../../ports/store.ts";
import { Db, type DbOptions } from "./db.ts";
import { codeOf, isUnreachable } from "./failures.ts";
import type { Queryable } from "./queryable.ts";

export interface ReplicaDbOptions extends DbOptions {
  readonly primary: Db;
  readonly horizon: ReadHorizon;
}

export function replicaDb({ primary, horizon, ...options }: ReplicaDbOptions): Db {
  const replica = new Db({ ...options, reconnectMs: 0 });
  const reader = new ReplicaReader({
    replica,
    primary,
    horizon,
    replayed: async () =>
      (await replica.rows<{ at: number | null }>(REPLAYED, [], { prepared: "replayed" }))[0]!.at ?? 0,
    raise: () => raiseHorizon(horizon, primary),
    // Its log goes before its readers (40001), or it is away.
    isReplicas: (error) => isUnreachable(error) || codeOf(error) === "40001",
  });
  return replica.routed((read) => reader.read(read));
}

/** Up to where a replica shows the log; one that was promoted shows all of its own. */
const REPLAYED = `SELECT (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()
  ELSE pg_current_wal_insert_lsn() END - '0/0')::bigint AS at`;

/**
 * Everything that the primary shows now counts as seen, including what is committed and not yet flushed. At the end of a page
 * the primary names the place behind the next page's header of up to 40 bytes, a replica the one before it.
 */
export async function raiseHorizon(horizon: ReadHorizon, primary: Queryable): Promise<void> {
  const sql = `SELECT at - CASE WHEN at % 8192 <= 40 THEN at % 8192 ELSE 0 END AS at
    FROM (SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint AS at) AS written`;
  const [row] = await primary.rows<{ at: number }>(sql, [], { prepared: "written" });
  horizon.at = Math.max(horizon.at, row!.at);
}
