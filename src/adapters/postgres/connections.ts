/**
 * The connections to a store, opened with the first query, and what happens when one is lost: the client waits for a server
 * that restarts, and gives up on a server or data node that does not answer.
 */
import type { Pool, PoolClient } from "pg";
import { Aborted } from "../../engine/segments.ts";
import { count } from "../../model/counters.ts";
import type { Address } from "./address.ts";
import { DataNodes, nodeAnswers } from "./data-nodes.ts";
import { isUnreachable, NodeUnavailable } from "./failures.ts";
import { clientOf, openPool, STATEMENT_MS } from "./pool.ts";
import { cancelRunning, withAnswerTimeout } from "./query-limits.ts";

export interface ConnectionsOptions {
  readonly address: Address;
  /** Most connections of this pool. */
  readonly connections: number;
  /** How long a server that went away is waited for; 0 where another can be asked instead. */
  readonly patienceMs?: number;
  /** How long an answer is waited for. */
  readonly answerMs?: number;
}

const TIMEOUT_MS = 15_000;
/** The server says after `STATEMENT_MS` that the time for a question is over; its word may take a while to come here. */
const ANSWER_MS = STATEMENT_MS + 5_000;

/** Queries are pipelined and planned once; transactions, COPY and queries that are planned for their values are not. */
export type Purpose = "queries" | "transactions";

export class Connections {
  readonly nodes = new DataNodes((node) => nodeAnswers(this.#address, node));
  readonly #address: Address;
  readonly #most: number;
  readonly #patience: Reconnector;
  readonly #answerMs: number;
  readonly #pools = new Map<Purpose, Promise<Pool>>();

  constructor({ address, connections, patienceMs = TIMEOUT_MS, answerMs = ANSWER_MS }: ConnectionsOptions) {
    this.#address = address;
    this.#most = connections;
    this.#patience = new Reconnector(patienceMs);
    this.#answerMs = answerMs;
  }

  /** Runs it again when the server is back. */
  retryWhenLost<T>(signal: AbortSignal | undefined, run: () => Promise<T>): Promise<T> {
    return this.#patience.retry(signal, run);
  }

  /** A query that neither a server nor a data node that does not answer keeps waiting. */
  query<T>(purpose: Purpose, node: number, use: (client: PoolClient) => Promise<T>): Promise<T> {
    return this.withClient(purpose, (client) =>
      this.nodes
        .run(node, () => withAnswerTimeout(use(client), this.#answerMs))
        .catch((error: unknown) => {
          if (error instanceof NodeUnavailable) void cancelRunning(this.#address, client as object);
          throw error;
        }),
    );
  }

  async withClient<T>(purpose: Purpose, use: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.takeClient(purpose);
    let lost = false;
    try {
      return await use(client);
    } catch (error) {
      lost = isUnreachable(error) || error instanceof NodeUnavailable;
      throw error;
    } finally {
      client.release(lost);
    }
  }

  /** The caller releases it. */
  async takeClient(purpose: Purpose): Promise<PoolClient> {
    const client = await clientOf(await this.#pool(purpose), this.#address);
    count("statements");
    this.#patience.noteAnswer();
    return client;
  }

  async close(): Promise<void> {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(pools.map(async (pool) => (await pool.catch(() => undefined))?.end()));
  }

  /** Transactions are few where many read: they have half as many connections, and two since one may be held for long. */
  #pool(purpose: Purpose): Promise<Pool> {
    const known = this.#pools.get(purpose);
    if (known !== undefined) return known;
    const pipeline = purpose === "queries";
    const connections = pipeline ? this.#most : Math.max(2, Math.ceil(this.#most / 2));
    const opened = openPool(this.#address, { connections, pipeline });
    this.#pools.set(purpose, opened);
    return opened;
  }
}

const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 400;

export class Reconnector {
  readonly #mostMs: number;
  /** Whether it is worth waiting for: it has answered, and was not waited for in vain since. */
  #expected = false;

  constructor(mostMs: number) {
    this.#mostMs = mostMs;
  }

  noteAnswer(): void {
    this.#expected = true;
  }

  async retry<T>(signal: AbortSignal | undefined, run: () => Promise<T>): Promise<T> {
    const end = performance.now() + this.#mostMs;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        return await run();
      } catch (error) {
        if (!isUnreachable(error) || !this.#expected) throw error;
        if (performance.now() > end) {
          // The end of a failed job writes more rows, and each write would wait again.
          this.#expected = false;
          throw error;
        }
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
      if (signal?.aborted) throw new Aborted(signal.reason);
    }
  }
}
