/**
 * Reads from a replica that never go back in time: a replica that is behind what this process has seen gets a moment to
 * catch up, then the primary is asked. So is it where the replica is away, or cancels a question in favour of its log.
 */

import type { Field } from "./copy.ts";
import { Db, type DbOptions } from "./db.ts";
import { codeOf, isUnreachable } from "./failures.ts";
import type { QueryOptions, RepositoryScope, SqlValue, Transaction } from "./queryable.ts";
import { type Horizon, replayed } from "./replica-position.ts";

/** Streaming replicas are a few milliseconds behind. */
const TIMEOUT_MS = 50;
const LOOK_MS = 5;
/** One that was away, or too far behind, is not waited for again at once. */
const AVOIDED_MS = 1_000;

export interface ReplicaDbOptions extends DbOptions {
  readonly primary: Db;
  readonly horizon: Horizon;
}

export class ReplicaDb extends Db {
  readonly #primary: Db;
  readonly #horizon: Horizon;
  /** How far the replica was when it was last asked; it never goes back. */
  #replayed = 0;
  #avoidedUntil = Number.NEGATIVE_INFINITY;
  #catchingUp: Promise<boolean> | undefined;

  constructor({ primary, horizon, ...replica }: ReplicaDbOptions) {
    super({ ...replica, patienceMs: 0 });
    this.#primary = primary;
    this.#horizon = horizon;
  }

  override rows<Row>(sql: string, values: readonly SqlValue[] = [], options: QueryOptions = {}): Promise<Row[]> {
    return this.#read(
      () => super.rows<Row>(sql, values, options),
      () => this.#primary.rows<Row>(sql, values, options),
    );
  }

  override bytes(sql: string, options: QueryOptions = {}): Promise<Field[][]> {
    return this.#read(
      () => super.bytes(sql, options),
      () => this.#primary.bytes(sql, options),
    );
  }

  /** Of reads, that belong together: nothing is written here. */
  override transaction<T>(
    work: (tx: Transaction) => Promise<T>,
    scope?: RepositoryScope,
    signal?: AbortSignal,
  ): Promise<T> {
    return this.#read(
      () => super.transaction(work, scope, signal),
      () => this.#primary.transaction(work, scope, signal),
    );
  }

  override held(scope?: RepositoryScope): ReturnType<Db["held"]> {
    return this.#read(
      () => super.held(scope),
      () => this.#primary.held(scope),
    );
  }

  async #read<T>(here: () => Promise<T>, there: () => Promise<T>): Promise<T> {
    if (await this.#isCurrent()) {
      try {
        return await here();
      } catch (error) {
        if (!isReplicas(error)) throw error;
        this.#avoid();
      }
    }
    const answer = await there();
    await this.#horizon.look(this.#primary);
    return answer;
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
        this.#replayed = await replayed({ rows: (...ask) => super.rows(...ask), bytes: () => Promise.resolve([]) });
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
