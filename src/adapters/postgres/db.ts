/** Queries and transactions: with whose rights they run, and how a statement is named. `connections.ts` keeps the connections. */
import { hash } from "node:crypto";
import type { PoolClient, QueryConfig } from "pg";
import { runLimited } from "../../engine/cancellation.ts";
import type { Limits } from "../../ports/snapshot.ts";
import { PRINCIPAL_ROLE } from "./access-tables.ts";
import type { Address } from "./address.ts";
import { type ConnectionPurpose, Connections, type ConnectionsOptions, cancelRunning } from "./connections.ts";
import { copyIn, copyOut, type Field } from "./copy.ts";
import { isCollision, isLostStatement } from "./failures.ts";
import type { Queryable, QueryOptions, RepositoryScope, SqlValue, Transaction } from "./queryable.ts";

export interface DbOptions extends ConnectionsOptions {
  /** The secret of the principal whose request runs now, empty where there is none: every statement runs with its rights. */
  readonly principal?: (() => string) | undefined;
}

type Statement = string | QueryConfig;

/** Collecting the garbage of a large repository takes long, and no request waits for it. */
const WRITING_MS = 15 * 60_000;
/** A writer whose machine lost its power keeps its lease until the server notices, by default after two hours. */
const SILENT_MS = 2 * 60_000;
/** GIN's pending list is sorted in as far as it fits here. With the engine's 4 MB, 3.5 million lines took 5 % more CPU and log. */
const SORTING = "32MB";
/** Statements that a connection plans once. Patterns come in few shapes; a client that makes up more has them planned each time. */
const MAX_PREPARED = 256;
/** Two writers that store the same content at once; each round one of them comes through. */
const MOST_COLLISIONS = 20;

/** Runs a read on this database, or on another in its place. */
export type Route = <T>(read: (db: Db) => Promise<T>) => Promise<T>;

/** What a database has in common with itself as it is read elsewhere, or narrowed to one repository. */
interface Parts {
  readonly connections: Connections;
  /** Whether statements are planned once: not behind a pooler that loses them, like PgBouncer before 1.21. */
  readonly statements: { prepares: boolean; readonly names: Set<string> };
  readonly route: Route;
  readonly scope?: RepositoryScope;
}

export class Db implements Queryable {
  readonly #options: DbOptions;
  readonly #parts: Parts;

  constructor(options: DbOptions, parts?: Parts) {
    this.#options = options;
    this.#parts = parts ?? {
      connections: new Connections(options),
      statements: { prepares: true, names: new Set() },
      route: (read) => read(this),
    };
  }

  get address(): Address {
    return this.#options.address;
  }

  /** The same database, whose reads go where `route` sends them. */
  routed(route: Route): Db {
    return new Db(this.#options, { ...this.#parts, route });
  }

  /** Every statement is narrowed to that repository. */
  ofRepository(key: string): Db {
    return new Db(this.#options, { ...this.#parts, scope: key });
  }

  /** Whether every statement runs with the rights of a principal. */
  get isGuarded(): boolean {
    return this.#options.principal !== undefined;
  }

  principalKey(): string {
    return this.#options.principal?.() ?? "";
  }

  /** Names of data nodes that do not answer. */
  get missingNodes(): readonly string[] {
    return this.#parts.connections.nodes.missing;
  }

  rows<Row>(sql: string, values: readonly SqlValue[] = [], options: QueryOptions = {}): Promise<Row[]> {
    const ask = (client: PoolClient, db: Db) => db.#ask<Row>(client, sql, values, options);
    return options.prepared === undefined
      ? this.#read("transactions", options, ask, within)
      : this.#read("queries", options, ask, inOneRoundTrip);
  }

  bytes(sql: string, options: QueryOptions = {}): Promise<Field[][]> {
    const ask = (client: PoolClient, db: Db) => db.#limited(client, options.limits, () => copyOut(client, sql));
    return this.#read("transactions", options, ask, within);
  }

  /** `transact`: runs it in a transaction, where it has to say whose rights it has, or how it is to be planned. */
  #read<T>(
    purpose: ConnectionPurpose,
    { limits, node = 0, settings = [], scope = this.#parts.scope }: QueryOptions,
    ask: (client: PoolClient, db: Db) => Promise<T>,
    transact: typeof within,
  ): Promise<T> {
    const isPlain = !this.isGuarded && settings.length === 0;
    return this.#parts.route((db) =>
      db.#patiently(limits?.signal, () =>
        db.#parts.connections.query(purpose, node, (client) => {
          const begin = `BEGIN${settings.map((setting) => `; SET LOCAL ${setting}`).join("")}`;
          return isPlain ? ask(client, db) : transact(client, db.#begun(begin, scope), () => ask(client, db));
        }),
      ),
    );
  }

  /**
   * All of it or nothing. `work` may run again after a lost connection or a collision: it must read before it writes.
   * `signal`: ends the wait for a server that went away.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#patiently(signal, async () => {
      for (let attempt = 1; ; attempt++) {
        try {
          return await this.#parts.connections.withClient("transactions", (client) => this.#transaction(client, work));
        } catch (error) {
          if (!isCollision(error) || attempt === MOST_COLLISIONS) throw error;
        }
      }
    });
  }

  /** One state of the database for as long as the reader holds it. */
  held(): Promise<{ readonly queryable: Queryable; release(): Promise<void> }> {
    return this.#parts.route((db) => db.#held(this.#parts.scope));
  }

  async #held(scope: RepositoryScope | undefined): ReturnType<Db["held"]> {
    const client = await this.#patiently(undefined, () => this.#parts.connections.takeClient("transactions"));
    try {
      const limits = limited(WRITING_MS, WRITING_MS);
      await sendAll(client, this.#begun(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${limits}`, scope));
    } catch (error) {
      client.release(true);
      throw error;
    }
    return {
      queryable: this.#queryable(client),
      release: async () => {
        await client.query("COMMIT").then(
          () => client.release(),
          () => client.release(true),
        );
      },
    };
  }

  close(): Promise<void> {
    return this.#parts.connections.close();
  }

  #transaction<T>(client: PoolClient, work: (tx: Transaction) => Promise<T>): Promise<T> {
    const limits = limited(WRITING_MS, SILENT_MS);
    const begin = this.#begun(`BEGIN; ${limits}; SET LOCAL work_mem = '${SORTING}'`, this.#parts.scope);
    return within(client, begin, () =>
      work({
        ...this.#queryable(client),
        run: async (sql, values = [], options = {}) =>
          (await client.query(this.#named(sql, values, options))).rowCount ?? 0,
        copy: (table, columns, rows) => copyIn(client, table, columns, rows),
      }),
    );
  }

  /**
   * What begins a transaction, with the rights of the present principal for this transaction only: the next may be
   * another's, also behind a pooler. The repositories that a query is about narrow what the principal sees, and never add
   * to it (`access-tables.ts`). Secret and names are parameters because other sessions of the same login can read the text
   * of a statement in pg_stat_activity.
   */
  #begun(begin: string, scope: RepositoryScope = ""): readonly Statement[] {
    if (this.#options.principal === undefined) return [begin];
    const narrowed = typeof scope === "string" ? [scope, ""] : ["", `{${scope.map(Math.trunc).join(",")}}`];
    const identity = this.#named(IDENTITY, [this.#options.principal(), ...narrowed], { prepared: "principal" });
    return [`${begin}; SET LOCAL ROLE ${PRINCIPAL_ROLE}`, identity];
  }

  #queryable(client: PoolClient): Queryable {
    return {
      isGuarded: this.isGuarded,
      rows: (sql, values = [], options = {}) =>
        set(client, options.settings ?? [], () => this.#ask(client, sql, values, options)),
      bytes: (sql, { limits } = {}) => this.#limited(client, limits, () => copyOut(client, sql)),
    };
  }

  #ask<Row>(client: PoolClient, text: string, values: readonly SqlValue[], options: QueryOptions): Promise<Row[]> {
    const query = this.#named(text, values, options);
    return this.#limited(client, options.limits, async () => (await client.query(query)).rows as Row[]);
  }

  #limited<T>(client: PoolClient, limits: Limits | undefined, run: () => Promise<T>): Promise<T> {
    return runLimited(limits, () => cancelRunning(this.address, client as object), run);
  }

  #named(text: string, values: readonly SqlValue[], { prepared }: Pick<QueryOptions, "prepared">): QueryConfig {
    const query = { text, values: [...values] };
    if (prepared === undefined || !this.#parts.statements.prepares) return query;
    const name = statementName(prepared, text);
    if (!this.#parts.statements.names.has(name) && this.#parts.statements.names.size >= MAX_PREPARED) return query;
    this.#parts.statements.names.add(name);
    return { ...query, name };
  }

  #patiently<T>(signal: AbortSignal | undefined, run: () => Promise<T>): Promise<T> {
    const { connections, statements } = this.#parts;
    const again = (error: unknown) => {
      if (!statements.prepares || !isLostStatement(error)) throw error;
      statements.prepares = false;
      return run();
    };
    return connections.retryWhenLost(signal, () => run().catch(again));
  }
}

function send(client: PoolClient, statement: Statement): Promise<unknown> {
  return typeof statement === "string" ? client.query(statement) : client.query(statement);
}

async function within<T>(client: PoolClient, begin: readonly Statement[], work: () => Promise<T>): Promise<T> {
  try {
    await sendAll(client, begin);
    const result = await work();
    await client.query("COMMIT");
    return result;
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {});
    throw error;
  }
}

async function sendAll(client: PoolClient, statements: readonly Statement[]): Promise<void> {
  for (const statement of statements) await send(client, statement);
}

/**
 * A query in a transaction of its own, over a pipelined connection. `ask` sends its one query before it first waits. Where
 * a statement of `begin` fails, the engine refuses what follows it: no query runs without what `begin` says.
 */
export async function inOneRoundTrip<T>(
  client: PoolClient,
  begin: readonly Statement[],
  ask: () => Promise<T>,
): Promise<T> {
  const sent = [...begin.map((statement) => send(client, statement)), ask(), client.query("COMMIT")];
  const answers = (await Promise.allSettled(sent)).map((answer) => {
    if (answer.status === "rejected") throw answer.reason;
    return answer.value;
  });
  return answers[begin.length] as T;
}

const IDENTITY = `SELECT set_config('codecompass.principal', $1, true), set_config('codecompass.repository', $2, true),
  set_config('codecompass.repositories', $3, true)`;

/** Within a transaction. Where the work fails, so does the transaction, and its settings with it. */
async function set<T>(client: PoolClient, settings: readonly string[], work: () => Promise<T>): Promise<T> {
  if (settings.length === 0) return work();
  await client.query(settings.map((setting) => `SET LOCAL ${setting}`).join("; "));
  const result = await work();
  await client.query(settings.map((setting) => `SET LOCAL ${setting.split(" = ")[0]} TO DEFAULT`).join("; "));
  return result;
}

/** By what it says: a pooler may hand a connection on to another release, which means something else by the same word. */
function statementName(word: string, text: string): string {
  return `${word}_${hash("sha1", text).slice(0, 16)}`;
}

/** Said to the transaction and not when connecting: a pooler does not pass that on. */
function limited(statementMs: number, silentMs: number): string {
  return `SET LOCAL statement_timeout = ${statementMs}; SET LOCAL idle_in_transaction_session_timeout = ${silentMs}`;
}
