/** The driver's pool of connections. The driver is loaded with the first query. */
import type { Pool, PoolClient, PoolConfig } from "pg";
import { count } from "../../model/counters.ts";
import { CompassError } from "../../model/errors.ts";
import type { Address } from "./address.ts";
import { loadDriver } from "./driver.ts";

const CONNECT_MS = 5_000;
/** No question of ours takes this long; one that does is cut by the server. */
export const STATEMENT_MS = 60_000;
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
export async function openPool(
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
export async function clientOf(pool: Pool, address: Address): Promise<PoolClient> {
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
