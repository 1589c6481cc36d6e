/** A database as one repository of it is read and written: every statement is narrowed to that repository. */
import { Db } from "./db.ts";
import type { QueryOptions, RepositoryScope, SqlValue, Transaction } from "./queryable.ts";

export class RepositoryDb extends Db {
  readonly #whole: Db;
  readonly #key: string;

  constructor(whole: Db, key: string) {
    super({ address: whole.address, connections: 0, principal: () => whole.principalKey() });
    this.#whole = whole;
    this.#key = key;
  }

  override rows<Row>(sql: string, values: readonly SqlValue[] = [], options: QueryOptions = {}): Promise<Row[]> {
    return this.#whole.rows<Row>(sql, values, { ...options, scope: this.#key });
  }

  override bytes(sql: string, options: QueryOptions = {}): ReturnType<Db["bytes"]> {
    return this.#whole.bytes(sql, { ...options, scope: this.#key });
  }

  override transaction<T>(
    work: (tx: Transaction) => Promise<T>,
    _?: RepositoryScope,
    signal?: AbortSignal,
  ): Promise<T> {
    return this.#whole.transaction(work, this.#key, signal);
  }

  override held(): ReturnType<Db["held"]> {
    return this.#whole.held(this.#key);
  }
}
