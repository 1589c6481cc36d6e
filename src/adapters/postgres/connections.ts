/**
 * The connections to a store, opened with the first query, and what happens when one is lost: the client waits for a server
 * that restarts, and gives up on a server or data node that does not answer.
 */
import { connect } from "node:net";
import type { Pool, PoolClient, PoolConfig } from "pg";
import { withAnswerTimeout } from "../../engine/cancellation.ts";
import { Outages, PartUnavailable, Reconnector } from "../../engine/outages.ts";
import { count } from "../../model/counters.ts";
import { CompassError } from "../../model/errors.ts";
import type { Address } from "./address.ts";
import { nodeAnswers, nodeName } from "./data-nodes.ts";
import { loadDriver } from "./driver.ts";
import { failedNode, isUnreachable } from "./failures.ts";

export interface ConnectionsOptions {
  readonly address: Address;
  /** Most connections of this pool. */
  readonly connections: number;
  /** How long a server that went away is waited for; 0 where another can be asked instead. */
  readonly reconnectMs?: number;
  /** How long an answer is waited for. */
  readonly answerMs?: number;
}

const TIMEOUT_MS = 15_000;
/** No question of ours takes this long; one that does is cut by the server. */
const STATEMENT_MS = 60_000;
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
  readonly #reconnector: Reconnector;
  readonly #answerMs: number;
  readonly #pools = new Map<ConnectionPurpose, Promise<Pool>>();

  constructor({ address, connections, reconnectMs = TIMEOUT_MS, answerMs = ANSWER_MS }: ConnectionsOptions) {
    this.#address = address;
    this.#most = connections;
    this.#reconnector = new Reconnector(reconnectMs, isUnreachable);
    this.#answerMs = answerMs;
  }

  /** Runs it again when the server is back. */
  retryWhenLost<T>(signal: AbortSignal | undefined, run: () => Promise<T>): Promise<T> {
    return this.#reconnector.retry(signal, run);
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
    this.#reconnector.noteAnswer();
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

/** What the server reported when the connection was opened. */
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

/** The driver's pool of connections. The driver is loaded with the first query. */
const CONNECT_MS = 5_000;
/** A machine that lost its power, or the way to it, says nothing: asked after this long, it is given up ten seconds later. */
const KEEP_ALIVE_MS = 10_000;
const IDLE_MS = 30_000;
const PLAN_ONCE = "SET plan_cache_mode = force_generic_plan";
/** A question takes a few milliseconds: those that wait behind so many others wait too long, and are refused at once. */
const WAITING_PER_CONNECTION = 64;

/**
 * `pipeline`: statements are sent without waiting for the answers to those before, so that a query in a transaction of its
 * own is one round trip. Such a connection takes no COPY.
 */
async function openPool(
  address: Address,
  { connections, pipeline }: { readonly connections: number; readonly pipeline: boolean },
): Promise<Pool> {
  const pg = await loadDriver();
  const config: PoolConfig = {
    connectionString: address.url,
    max: connections,
    connectionTimeoutMillis: CONNECT_MS,
    idleTimeoutMillis: IDLE_MS,
    statement_timeout: STATEMENT_MS,
    pipeline,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    // A command that is done must not wait for idle connections.
    allowExitOnIdle: true,
    application_name: "codecompass",
    types: { getTypeParser: (oid: number, format?: "text" | "binary") => parserOf(pg.types, oid, format) },
  };
  const pool = new pg.Pool(config);
  // An idle connection that the server closed is replaced by the next question.
  pool.on("error", () => {});
  // One that is lost between two statements of a transaction says so by an event; the next statement fails by itself.
  pool.on("connect", (client) => client.on("error", () => {}));
  // Left to choose, the engine would plan for the values each time: it cannot tell beforehand that other partitions hold none
  // of them. Planning a read of five records over 32 partitions takes 0.5 ms, running it 0.15.
  if (pipeline) pool.on("connect", (client) => void client.query(PLAN_ONCE).catch(() => {}));
  pool.on("connect", () => count("connectionsOpen"));
  pool.on("remove", () => count("connectionsOpen", -1));
  pool.on("acquire", () => count("connectionsInUse"));
  pool.on("release", () => count("connectionsInUse", -1));
  return pool;
}

/** A connection of its own until it is released. Refuses where too many wait already. */
async function clientOf(pool: Pool, address: Address): Promise<PoolClient> {
  if (pool.waitingCount >= pool.options.max * WAITING_PER_CONNECTION) throw busy(pool, address);
  return pool.connect().catch((error: Error) => {
    // The driver's words for having waited in vain for its own connections, not for the server.
    throw error.message === "timeout exceeded when trying to connect" ? busy(pool, address) : error;
  });
}

function busy({ options, waitingCount }: Pool, { shown }: Address): CompassError {
  const crowd = `all ${options.max} connections to ${shown} are in use and ${waitingCount} questions wait`;
  count("connectionsRefused");
  const reason = `${crowd}; ask again in a moment, or raise server.connections`;
  return new CompassError("internal_error", { reason, cause: "busy" });
}

const INT8 = 20;

type Types = typeof import("pg").types;

/** Our numbers are counts and milliseconds: they fit a double. */
function parserOf(types: Types, oid: number, format: "text" | "binary" = "text"): (value: never) => unknown {
  if (oid === INT8) return (digits: string) => Number(digits);
  return types.getTypeParser(oid, format as "text") as (value: never) => unknown;
}
