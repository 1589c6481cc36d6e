/** A database as one repository of it is asked: by the connections of the whole, with that repository for a topic. */

import type { Field } from "./copy.ts";
import { Db } from "./db.ts";
import type { QueryOptions, RepositoryScope, SqlValue, Transaction } from "./queryable.ts";

export class RepositoryDb extends Db {
  readonly #whole: Db;
  readonly #key: string;

  constructor(whole: Db, key: string) {
    super({ address: whole.address, connections: 0 });
    this.#whole = whole;
    this.#key = key;
  }

  override get isGuarded(): boolean {
    return this.#whole.isGuarded;
  }

  override principalKey(): string {
    return this.#whole.principalKey();
  }

  override get missingNodes(): readonly string[] {
    return this.#whole.missingNodes;
  }

  override rows<Row>(sql: string, values: readonly SqlValue[] = [], options: QueryOptions = {}): Promise<Row[]> {
    return this.#whole.rows<Row>(sql, values, { ...options, scope: this.#key });
  }

  override bytes(sql: string, options: QueryOptions = {}): Promise<Field[][]> {
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
