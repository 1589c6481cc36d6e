/**
 * The connections of a pool, opened with the first question, and what becomes of those that are lost: a server that went
 * away is waited for, one without a word is given up, a shard that is late is done without.
 */
import type { Pool, PoolClient } from "pg";
import type { Address } from "./address.ts";
import { cancelRunning } from "./cancel.ts";
import { unlessSilent } from "./connection-timeout.ts";
import { isUnreachable, ShardLate } from "./failures.ts";
import { clientOf, openPool, STATEMENT_MS } from "./pool.ts";
import { Patience } from "./reconnect.ts";
import { Away } from "./shard-outage.ts";
import { lateShard, unlessLate } from "./shard-timeout.ts";

export interface ConnectionsOptions {
  readonly address: Address;
  /** Most connections of this pool. */
  readonly connections: number;
  /** How long a server that went away is waited for; 0 where another can be asked instead. */
  readonly patienceMs?: number;
  /** How long an answer is waited for. */
  readonly answerMs?: number;
}

const PATIENCE_MS = 15_000;
/** The server says after `STATEMENT_MS` that the time for a question is over; its word may take a while to come here. */
const ANSWER_MS = STATEMENT_MS + 5_000;

/** Queries are pipelined; transactions and COPY are not. */
type Purpose = "queries" | "transactions";

export class Connections {
  /** Shards that could not be reached a moment ago. */
  readonly away = new Away(() => this.#look());
  readonly #address: Address;
  readonly #most: number;
  readonly #patience: Patience;
  readonly #answerMs: number;
  readonly #pools = new Map<Purpose, Promise<Pool>>();
  /** Whether it may have shards; found out when something takes long. */
  #sharded = true;

  constructor({ address, connections, patienceMs = PATIENCE_MS, answerMs = ANSWER_MS }: ConnectionsOptions) {
    this.#address = address;
    this.#most = connections;
    this.#patience = new Patience(patienceMs);
    this.#answerMs = answerMs;
  }

  /** Runs it again when the server is back, or without the shard that is away. */
  patiently<T>(signal: AbortSignal | undefined, run: () => Promise<T>): Promise<T> {
    return this.#patience.until(signal, () => this.away.without(run));
  }

  /** A question, that neither a late shard nor a server without a word keeps waiting. */
  asked<T>(purpose: Purpose, use: (client: PoolClient) => Promise<T>): Promise<T> {
    return this.using(purpose, (client) => {
      const asked = unlessSilent(use(client), this.#answerMs);
      if (!this.#sharded || this.away.shard !== undefined) return asked;
      return unlessLate(asked, () => this.#late()).catch((error: unknown) => {
        if (error instanceof ShardLate) void cancelRunning(this.#address, client as object);
        throw error;
      });
    });
  }

  async using<T>(purpose: Purpose, use: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.one(purpose);
    let lost = false;
    try {
      return await use(client);
    } catch (error) {
      lost = isUnreachable(error) || error instanceof ShardLate;
      throw error;
    } finally {
      client.release(lost);
    }
  }

  /** Whoever takes it gives it back. */
  async one(purpose: Purpose): Promise<PoolClient> {
    const client = await clientOf(await this.#pool(purpose), this.#address);
    this.#patience.answered();
    return client;
  }

  async close(): Promise<void> {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(pools.map(async (pool) => (await pool.catch(() => undefined))?.end()));
  }

  /** Transactions are few where many read: they have half as many connections. */
  #pool(purpose: Purpose): Promise<Pool> {
    const known = this.#pools.get(purpose);
    if (known !== undefined) return known;
    const pipeline = purpose === "queries";
    const connections = pipeline ? this.#most : Math.ceil(this.#most / 2);
    const opened = openPool(this.#address, { connections, pipeline });
    this.#pools.set(purpose, opened);
    return opened;
  }

  async #late(): Promise<string | undefined> {
    return this.#sharded ? (this.away.shard ?? (await this.#look())) : undefined;
  }

  async #look(): Promise<string | undefined> {
    const shard = await lateShard(this.#address);
    this.#sharded &&= shard !== "none";
    return shard === "none" ? undefined : shard;
  }
}
