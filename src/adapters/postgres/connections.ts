/**
 * The connections to a store, opened with the first query, and what happens when one is lost: the client waits for a server
 * that restarts, and gives up on a server or data node that does not answer.
 */
import { connect } from "node:net";
import type { Pool, PoolClient } from "pg";
import { withAnswerTimeout } from "../../engine/limits.ts";
import { Outages, PartUnavailable } from "../../engine/outages.ts";
import { Reconnector } from "../../engine/reconnect.ts";
import { count } from "../../model/counters.ts";
import type { Address } from "./address.ts";
import { nodeAnswers, nodeName } from "./data-nodes.ts";
import { failedNode, isUnreachable } from "./failures.ts";
import { clientOf, openPool, STATEMENT_MS } from "./pool.ts";

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
export type ConnectionPurpose = "queries" | "transactions";

export class Connections {
  readonly nodes = new Outages({
    probe: (node) => nodeAnswers(this.#address, node),
    isOutage: (error) => failedNode(error) !== undefined,
  });
  readonly #address: Address;
  readonly #most: number;
  readonly #patience: Reconnector;
  readonly #answerMs: number;
  readonly #pools = new Map<ConnectionPurpose, Promise<Pool>>();

  constructor({ address, connections, patienceMs = TIMEOUT_MS, answerMs = ANSWER_MS }: ConnectionsOptions) {
    this.#address = address;
    this.#most = connections;
    this.#patience = new Reconnector(patienceMs, isUnreachable);
    this.#answerMs = answerMs;
  }

  /** Runs it again when the server is back. */
  retryWhenLost<T>(signal: AbortSignal | undefined, run: () => Promise<T>): Promise<T> {
    return this.#patience.retry(signal, run);
  }

  /** A query that neither a server nor a data node that does not answer keeps waiting. */
  query<T>(purpose: ConnectionPurpose, node: number, use: (client: PoolClient) => Promise<T>): Promise<T> {
    return this.withClient(purpose, (client) =>
      this.nodes
        .run(nodeName(node), () => withAnswerTimeout(use(client), this.#answerMs))
        .catch((error: unknown) => {
          if (error instanceof PartUnavailable) void cancelRunning(this.#address, client as object);
          throw error;
        }),
    );
  }

  async withClient<T>(purpose: ConnectionPurpose, use: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.takeClient(purpose);
    let lost = false;
    try {
      return await use(client);
    } catch (error) {
      lost = isUnreachable(error) || error instanceof PartUnavailable;
      throw error;
    } finally {
      client.release(lost);
    }
  }

  /** The caller releases it. */
  async takeClient(purpose: ConnectionPurpose): Promise<PoolClient> {
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
  #pool(purpose: ConnectionPurpose): Promise<Pool> {
    const pipeline = purpose === "queries";
    const connections = pipeline ? this.#most : Math.max(2, Math.ceil(this.#most / 2));
    const pool = this.#pools.get(purpose) ?? openPool(this.#address, { connections, pipeline });
    this.#pools.set(purpose, pool);
    return pool;
  }
}

/** What the server told the connection when it was opened. */
type BackendKey = { readonly processID?: number | null; readonly secretKey?: number | null };

const CANCEL_CODE = 80_877_102;

/** Resolves when the server has taken note or cannot be reached; the caller's own question then ends by itself. */
export function cancelRunning(address: Address, backend: BackendKey): Promise<void> {
  const { processID, secretKey } = backend;
  if (typeof processID !== "number" || typeof secretKey !== "number") return Promise.resolve();
  const request = Buffer.from(Int32Array.of(16, CANCEL_CODE, processID, secretKey).buffer).swap32();
  return new Promise((resolve) => {
    const { host, port } = address;
    const socket = host.startsWith("/") ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    socket.once("connect", () => socket.end(request));
    socket.once("close", () => resolve());
    socket.once("error", () => resolve());
  });
}
