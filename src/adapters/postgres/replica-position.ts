/**
 * How far this process has seen the database, as a position in its log. What is read from a replica must not lie behind it:
 * whoever has seen a publication never sees the state before it again.
 */
import type { Queryable } from "./queryable.ts";

export class Horizon {
  #at = 0;

  /** A byte of the log; numbers stay whole up to 9 million gigabytes. */
  get at(): number {
    return this.#at;
  }

  raise(to: number): void {
    this.#at = Math.max(this.#at, to);
  }

  /** Everything that the primary shows now is seen from now on. */
  async look(primary: Queryable): Promise<void> {
    this.raise(await written(primary));
  }
}

/** Also what is committed and not yet flushed: it is seen. */
async function written(primary: Queryable): Promise<number> {
  const sql = "SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint AS at";
  const [row] = await primary.rows<{ at: number }>(sql, [], { prepared: "written" });
  return withoutHeader(row!.at);
}

const PAGE_BYTES = 8192;
const LONGEST_HEADER_BYTES = 40;

/** At the end of a page the primary names the place behind the next page's header, a replica the one before it. */
function withoutHeader(at: number): number {
  const inPage = at % PAGE_BYTES;
  return inPage <= LONGEST_HEADER_BYTES ? at - inPage : at;
}

/** Up to where a replica shows the log; one that was promoted shows all of its own. */
export async function replayed(replica: Queryable): Promise<number> {
  const sql = `SELECT (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()
    ELSE pg_current_wal_insert_lsn() END - '0/0')::bigint AS at`;
  const [row] = await replica.rows<{ at: number | null }>(sql, [], { prepared: "replayed" });
  return row!.at ?? 0;
}
