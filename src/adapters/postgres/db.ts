/**
 * Questions and transactions over a pool of connections; the one file that talks to the driver, which is loaded with the
 * first of them. A server that went away is waited for; what was asked meanwhile is asked again.
 */
import type { Pool, PoolClient, PoolConfig } from "pg";
import type { Limits } from "../../ports/store.ts";
import type { Address } from "./address.ts";
import { cancelRunning } from "./cancel.ts";
import { decodeRows, encodeRows, type Field } from "./copy.ts";
import { Aborted, isCollision, isUnreachable } from "./failures.ts";

export type Value = string | number | boolean | Uint8Array | null | readonly (string | number | Uint8Array | null)[];

export interface AskOptions {
  /** Its signal stops the question on the server, too. */
  readonly limits?: Limits | undefined;
  /** The statement's own name: a connection plans it once. Planning over partitions takes longer than reading ten rows. */
  readonly prepared?: string;
}

/** Whoever can be asked: the pool, or a transaction. */
export interface Asking {
  rows<Row>(sql: string, values?: readonly Value[], options?: AskOptions): Promise<Row[]>;
  /** Rows as the engine sends them in binary. The statement can have no parameters: nothing but numbers may stand in it. */
  bytes(sql: string, options?: AskOptions): Promise<Field[][]>;
}

export interface Transaction extends Asking {
  /** Number of rows that the statement touched. */
  run(sql: string, values?: readonly Value[]): Promise<number>;
  copy(table: string, columns: string, rows: Iterable<readonly Field[]>): Promise<void>;
}

export interface DbOptions {
  readonly address: Address;
  /** Most connections of this pool. */
  readonly connections: number;
}

/** A server that restarts after a crash answers again within a few seconds. */
const PATIENCE_MS = 15_000;
const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 400;
const CONNECT_MS = 5_000;
/** No question of ours takes this long; one that does is cut by the server. */
const STATEMENT_MS = 60_000;
/** Collecting the garbage of a large repository may; nobody waits for it. */
const WRITING_MS = 15 * 60_000;
const IDLE_MS = 30_000;
const ABORT_LOOK_MS = 20;
/** Two writers that store the same content at once; each round one of them comes through. */
const MOST_COLLISIONS = 20;

export class Db implements Asking {
  readonly address: Address;
  readonly #connections: number;
  #pool: Promise<Pool> | undefined;
  /** Whether the server ever answered: one that never did is not waited for. */
  #reached = false;

  constructor({ address, connections }: DbOptions) {
    this.address = address;
    this.#connections = connections;
  }

  rows<Row>(sql: string, values: readonly Value[] = [], options: AskOptions = {}): Promise<Row[]> {
    return this.#patiently(options.limits?.signal, () =>
      this.#withClient((client) => this.#ask<Row>(client, sql, values, options)),
    );
  }

  bytes(sql: string, options: AskOptions = {}): Promise<Field[][]> {
    return this.#patiently(options.limits?.signal, () =>
      this.#withClient((client) => this.#stoppable(client, options, () => copyOut(client, sql))),
    );
  }

  /** All of it or nothing. `work` may run again after a lost connection or a collision: it must read before it writes. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#patiently(undefined, async () => {
      for (let attempt = 1; ; attempt++) {
        try {
          return await this.#withClient((client) => this.#transaction(client, work));
        } catch (error) {
          if (!isCollision(error) || attempt === MOST_COLLISIONS) throw error;
        }
      }
    });
  }

  /** One state of the database for as long as the reader holds it. */
  async held(): Promise<{ readonly asking: Asking; release(): Promise<void> }> {
    const client = await this.#patiently(undefined, () => this.#client());
    try {
      await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    } catch (error) {
      client.release(true);
      throw error;
    }
    return {
      asking: this.#asking(client),
      release: async () => {
        await client.query("COMMIT").then(
          () => client.release(),
          () => client.release(true),
        );
      },
    };
  }

  async close(): Promise<void> {
    const pool = this.#pool;
    this.#pool = undefined;
    await (await pool?.catch(() => undefined))?.end();
  }

  async #transaction<T>(client: PoolClient, work: (tx: Transaction) => Promise<T>): Promise<T> {
    await client.query(`BEGIN; SET LOCAL statement_timeout = ${WRITING_MS}`);
    try {
      const result = await work({
        ...this.#asking(client),
        run: async (sql, values = []) => (await client.query(sql, [...values])).rowCount ?? 0,
        copy: (table, columns, rows) => copy(client, table, columns, rows),
      });
      await client.query("COMMIT");
      return result;
    } catch (error) {
      await client.query("ROLLBACK").catch(() => {});
      throw error;
    }
  }

  #asking(client: PoolClient): Asking {
    return {
      rows: (sql, values = [], options = {}) => this.#ask(client, sql, values, options),
      bytes: (sql, options = {}) => this.#stoppable(client, options, () => copyOut(client, sql)),
    };
  }

  #ask<Row>(client: PoolClient, text: string, values: readonly Value[], options: AskOptions): Promise<Row[]> {
    const named = options.prepared === undefined ? {} : { name: options.prepared };
    return this.#stoppable(client, options, async () => {
      return (await client.query({ text, values: [...values], ...named })).rows as Row[];
    });
  }

  async #stoppable<T>(client: PoolClient, { limits }: AskOptions, run: () => Promise<T>): Promise<T> {
    const signal = limits?.signal;
    if (signal?.aborted) throw new Aborted(signal.reason);
    let cancelling: Promise<void> | undefined;
    // Looked at and not listened to: the signal of a reader thread is a cell of shared memory, and fires no event.
    const look = () => {
      if (signal?.aborted) cancelling ??= cancelRunning(this.address, client as object);
    };
    const timer = signal && setInterval(look, ABORT_LOOK_MS);
    try {
      return await run();
    } catch (error) {
      throw signal?.aborted ? new Aborted(signal.reason) : error;
    } finally {
      clearInterval(timer);
      // A request to stop that is still on its way would meet the connection's next question.
      await cancelling;
    }
  }

  async #withClient<T>(use: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#client();
    let lost = false;
    try {
      return await use(client);
    } catch (error) {
      lost = isUnreachable(error);
      throw error;
    } finally {
      client.release(lost);
    }
  }

  async #client(): Promise<PoolClient> {
    this.#pool ??= openPool(this.address, this.#connections);
    const client = await (await this.#pool).connect();
    this.#reached = true;
    return client;
  }

  async #patiently<T>(signal: AbortSignal | undefined, run: () => Promise<T>): Promise<T> {
    const until = performance.now() + PATIENCE_MS;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        return await run();
      } catch (error) {
        if (!isUnreachable(error) || !this.#reached || performance.now() > until) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
      if (signal?.aborted) throw new Aborted(signal.reason);
    }
  }
}

async function openPool(address: Address, connections: number): Promise<Pool> {
  const { default: pg } = await import("pg");
  const config: PoolConfig = {
    connectionString: address.url,
    max: connections,
    connectionTimeoutMillis: CONNECT_MS,
    idleTimeoutMillis: IDLE_MS,
    statement_timeout: STATEMENT_MS,
    keepAlive: true,
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
  return pool;
}

const INT8 = 20;

type Types = typeof import("pg").types;

/** Our numbers are counts and milliseconds: they fit a double. */
function parserOf(types: Types, oid: number, format: "text" | "binary" = "text"): (value: never) => unknown {
  if (oid === INT8) return (digits: string) => Number(digits);
  return types.getTypeParser(oid, format as "text") as (value: never) => unknown;
}

async function copy(
  client: PoolClient,
  table: string,
  columns: string,
  rows: Iterable<readonly Field[]>,
): Promise<void> {
  const [{ from }, { Readable }, { pipeline }] = await Promise.all([
    import("pg-copy-streams"),
    import("node:stream"),
    import("node:stream/promises"),
  ]);
  const into = client.query(from(`COPY ${table} (${columns}) FROM STDIN (FORMAT binary)`));
  await pipeline(Readable.from(encodeRows(rows), { objectMode: true }), into);
}

async function copyOut(client: PoolClient, sql: string): Promise<Field[][]> {
  const { to } = await import("pg-copy-streams");
  const parts: Buffer[] = [];
  for await (const part of client.query(to(`COPY (${sql}) TO STDOUT (FORMAT binary)`))) parts.push(part as Buffer);
  return decodeRows(Buffer.concat(parts));
}
