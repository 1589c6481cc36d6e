/**
 * Reads from a replica that never go back in time: a replica that is behind what this process has seen gets a moment to
 * catch up, then the primary is read. So it is while the replica is unavailable, or cancels a query in favour of its log.
 */
import type { ReadHorizon } from "../../ports/stores.ts";
import { Db, type DbOptions } from "./db.ts";
import { codeOf, isUnreachable } from "./failures.ts";
import type { Queryable } from "./queryable.ts";

/** Streaming replicas are a few milliseconds behind. */
const TIMEOUT_MS = 50;
const LOOK_MS = 5;
/** How often the position of the primary is read: what others publish is seen even where the replica stands still. */
const RAISED_MS = 1_000;
/** One that was away, or too far behind, is not waited for again at once. */
const AVOIDED_MS = 1_000;

export interface ReplicaOptions extends DbOptions {
  readonly primary: Db;
  readonly horizon: ReadHorizon;
}

export function replicaDb({ primary, horizon, ...options }: ReplicaOptions): Db {
  const replica = new Db({ ...options, patienceMs: 0 });
  const reader = new ReplicaReader(replica, primary, horizon);
  return replica.routed((read) => reader.read(read));
}

class ReplicaReader {
  readonly #replica: Db;
  readonly #primary: Db;
  readonly #horizon: ReadHorizon;
  /** How far the replica was when it was last asked; it never goes back. */
  #replayed = 0;
  #avoidedUntil = Number.NEGATIVE_INFINITY;
  #catchingUp: Promise<boolean> | undefined;
  #raisedAt = Number.NEGATIVE_INFINITY;

  constructor(replica: Db, primary: Db, horizon: ReadHorizon) {
    this.#replica = replica;
    this.#primary = primary;
    this.#horizon = horizon;
  }

  async read<T>(read: (db: Db) => Promise<T>): Promise<T> {
    this.#raiseSoon();
    if (await this.#isCurrent()) {
      try {
        return await read(this.#replica);
      } catch (error) {
        if (!isReplicas(error)) throw error;
        this.#avoid();
      }
    }
    const answer = await read(this.#primary);
    await raiseHorizon(this.#horizon, this.#primary);
    return answer;
  }

  /** In the background: a primary that is down delays no query. */
  #raiseSoon(): void {
    if (performance.now() < this.#raisedAt + RAISED_MS) return;
    this.#raisedAt = Number.POSITIVE_INFINITY;
    void raiseHorizon(this.#horizon, this.#primary)
      .catch(() => {})
      .finally(() => {
        this.#raisedAt = performance.now();
      });
  }

  async #isCurrent(): Promise<boolean> {
    const wanted = this.#horizon.at;
    if (this.#replayed > 0 && this.#replayed >= wanted) return performance.now() >= this.#avoidedUntil;
    this.#catchingUp ??= this.#catchUp().finally(() => {
      this.#catchingUp = undefined;
    });
    // Others may have begun to wait for less.
    return (await this.#catchingUp) && this.#replayed >= wanted;
  }

  async #catchUp(): Promise<boolean> {
    const wanted = this.#horizon.at;
    const start = performance.now();
    const until = start < this.#avoidedUntil ? start : start + TIMEOUT_MS;
    try {
      for (;;) {
        const [row] = await this.#replica.rows<{ at: number | null }>(REPLAYED, [], { prepared: "replayed" });
        this.#replayed = row!.at ?? 0;
        if (this.#replayed >= wanted) {
          this.#avoidedUntil = Number.NEGATIVE_INFINITY;
          return true;
        }
        if (performance.now() >= until) break;
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      }
    } catch (error) {
      if (!isReplicas(error)) throw error;
    }
    this.#avoid();
    return false;
  }

  #avoid(): void {
    this.#avoidedUntil = performance.now() + AVOIDED_MS;
  }
}

/** The replica, and not the question, is to blame: its log goes before its readers (40001), or it is away. */
function isReplicas(error: unknown): boolean {
  return isUnreachable(error) || codeOf(error) === "40001";
}

/** Up to where a replica shows the log; one that was promoted shows all of its own. */
const REPLAYED = `SELECT (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()
  ELSE pg_current_wal_insert_lsn() END - '0/0')::bigint AS at`;

/** Everything that the primary shows now counts as seen, including what is committed and not yet flushed. */
export async function raiseHorizon(horizon: ReadHorizon, primary: Queryable): Promise<void> {
  const sql = "SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint AS at";
  const [row] = await primary.rows<{ at: number }>(sql, [], { prepared: "written" });
  horizon.at = Math.max(horizon.at, withoutHeader(row!.at));
}

const PAGE_BYTES = 8192;
const LONGEST_HEADER_BYTES = 40;

/** At the end of a page the primary names the place behind the next page's header, a replica the one before it. */
function withoutHeader(at: number): number {
  const inPage = at % PAGE_BYTES;
  return inPage <= LONGEST_HEADER_BYTES ? at - inPage : at;
}
