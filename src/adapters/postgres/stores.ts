/** Opens repositories in one shared PostgreSQL database, over connections that close soon after the last store. */
import { basename } from "node:path";
import { createKernel, type Kernel } from "../../embed/kernel.ts";
import { Aborted } from "../../engine/segments.ts";
import { engineStore } from "../../engine/store.ts";
import type { Env, Failpoint } from "../../ports/env.ts";
import type { ReadHorizon, SharedStores, StoreDescription, StoreOpener } from "../../ports/store.ts";
import { PRINCIPAL_ROLE } from "./access-tables.ts";
import { type Address, addressOf } from "./address.ts";
import { PostgresBackend } from "./backend.ts";
import { createCatalog } from "./catalog.ts";
import { removeRepository } from "./collection.ts";
import { Db } from "./db.ts";
import { isUnreachable, mapErrors, toCompassError } from "./failures.ts";
import { type Clock, databaseClock, requireUnheld } from "./lease.ts";
import {
  EXTENSIONS,
  isMigrated,
  lacksExtension,
  newestStep,
  readServer,
  requireReadable,
  unlessUnprepared,
} from "./migrate.ts";
import { MIGRATIONS } from "./migrations.ts";
import type { Transaction } from "./queryable.ts";
import { raiseHorizon, replicaDb } from "./replica-db.ts";
import type { RepositoryName } from "./repository.ts";

export interface PostgresOptions {
  /** The connection string. */
  readonly url: string;
  readonly env: Env;
  /** Called before and after each I/O step: `put:before`, `put:after`, … */
  readonly failpoint?: Failpoint;
  /** Compiles what compares vectors. */
  readonly kernelOf?: () => Kernel;
  /** Less than 1 where several threads read the same stores. */
  readonly cacheShare?: number;
  /** A replica to read from, and how far it must be; absent: the store itself is read. */
  readonly replica?: { readonly url: string; readonly horizon: ReadHorizon };
  /** Most connections at once. */
  readonly connections?: number;
  /** The secret of the principal whose request runs now; with it, every statement runs with that principal's rights. */
  readonly principal?: (() => string) | undefined;
  /** What a location means to everybody who shares the store. Default: its last name, known to this machine only. */
  readonly nameOf?: (location: string) => RepositoryName;
  /** Absent: the database's. */
  readonly clock?: Clock;
}

const CONNECTIONS = 10;
/** Connections outlive the last open store by this: to connect again for each job takes as long as a small repository. */
const LINGER_MS = 1_000;
/** How long a primary that went away is waited for where a replica is read. */
const PRIMARY_MS = 2_000;

export function postgresStores(options: PostgresOptions): StoreOpener {
  const { env, failpoint = () => {}, kernelOf = () => createKernel(), cacheShare = 1 } = options;
  const { nameOf = (location) => ({ key: basename(location) }), clock = databaseClock } = options;
  const { connections = CONNECTIONS, principal } = options;
  const addressed = (url: string, parameter?: string): Address => {
    const address = addressOf(url, parameter);
    // Address and user are for the operator of the server, not for its callers.
    return principal === undefined ? address : { ...address, shown: "postgres://…" };
  };
  const address = addressed(options.url);
  const db = new Db({ address, connections, principal });
  const { replica } = options;
  const from = replica && { address: addressed(replica.url, "--read-store"), connections, principal };
  const reads = replica && from ? replicaDb({ ...from, horizon: replica.horizon, primary: db }) : db;
  let open = 0;
  let lingering: NodeJS.Timeout | undefined;
  const close = async () => {
    clearTimeout(lingering);
    await Promise.all([db.close(), reads.close()]);
  };
  const onClose = () => {
    if (--open === 0) lingering = setTimeout(() => void close(), LINGER_MS).unref();
  };
  const withStore = <T>(doing: string, ask: () => Promise<T>) => mapErrors(doing, address, ask);
  const asking = <T>(ask: () => Promise<T>) => withStore("asking the store", ask);
  const shared: SharedStores = {
    ...createCatalog(reads, (key) => `shared:/${key}`),
    describe: () => asking(() => described(db, reads)),
    look: () =>
      asking(async () => {
        if (replica !== undefined) await raiseHorizon(replica.horizon, db);
        const isPrepared = await isMigrated(db);
        return { isPrepared, ingestLagMs: isPrepared ? await ingestLagMs(db) : undefined };
      }),
    sees: (locations) => asking(() => areThere(reads, locations.map(nameOf))),
    withdraw: (name) => withStore("taking a repository out", () => withdrawn(db, name, { env, clock })),
    complete: () => withStore("completing the store", () => cleanPendingLists(db)),
  };
  return {
    shared,
    open: async (location, { create, project }) => {
      open++;
      clearTimeout(lingering);
      const repository = { ...nameOf(location), project };
      const own = (whole: Db) => (principal === undefined ? whole : whole.ofRepository(repository.key));
      const readFrom = own(reads);
      return engineStore({
        backend: new PostgresBackend({ env, clock, failpoint, db: own(db), reads: readFrom, repository, onClose }),
        caps: { engine: "postgres", bm25: "native", sharedReaders: true, multiWriter: true },
        env,
        create,
        kernelOf,
        cacheShare,
        principal: () => readFrom.principalKey(),
        isEmbedded: false,
        refusal: (doing, error) =>
          toCompassError(doing, doing.startsWith("reading") ? readFrom.address : address, error),
      });
    },
    remove: (location) => withStore("removing an index", () => removed(db, nameOf(location))),
    close,
  };
}

async function ingestLagMs(db: Db): Promise<number | undefined> {
  const sql = "SELECT (extract(epoch FROM clock_timestamp() - ended_at) * 1000)::bigint AS lag FROM codecompass.ingest";
  return (await db.rows<{ lag: number }>(sql, [], { prepared: "lag" }))[0]?.lag;
}

/** What was published is complete without it: a login that may only read, or a lost connection, is no failure. */
async function cleanPendingLists(db: Db): Promise<void> {
  await db.transaction((tx) => tx.rows("SELECT codecompass.clean_pending_lists()")).catch(() => {});
}

/** Where a replica is read, the primary may be down: then the server still answers, and writes nothing. */
async function described(db: Db, reads: Db): Promise<StoreDescription> {
  if (reads === db) return describeServer(db);
  const limits = { signal: AbortSignal.timeout(PRIMARY_MS) };
  const primary: typeof db.rows = (sql, values, options) => db.rows(sql, values, { ...options, limits });
  const { address, isGuarded } = db;
  const from = isGuarded ? [] : [`reads: from ${reads.address.shown}`];
  try {
    const store = await describeServer({ rows: primary, address, isGuarded });
    return { ...store, capabilities: [...from, ...store.capabilities] };
  } catch (error) {
    if (!isUnreachable(error) && !(error instanceof Aborted)) throw error;
    const store = await describeServer(reads);
    const down = `writes: not now, ${address.shown} cannot be reached`;
    return { ...store, canWrite: false, capabilities: [...from, down, ...store.capabilities] };
  }
}

async function areThere(db: Db, names: readonly RepositoryName[]): Promise<boolean[]> {
  if (names.length === 0) return [];
  const sql = "SELECT key FROM codecompass.repository WHERE key = ANY($1::text[])";
  const rows = await db.rows<{ key: string }>(sql, [names.map(({ key }) => key)], { prepared: "sees" });
  const keys = new Set(rows.map(({ key }) => key));
  return names.map(({ key }) => keys.has(key));
}

/** Waits for the current writer, which would publish into what is gone. */
async function withdrawn(db: Db, name: string, { env, clock }: { env: Env; clock: Clock }): Promise<void> {
  await db.transaction(async (tx) => {
    const sql = "SELECT id FROM codecompass.repository WHERE name = $1 FOR UPDATE";
    for (const { id } of await tx.rows<{ id: number }>(sql, [name])) {
      await requireUnheld(tx, id, await clock(tx), env);
      await removeRepository(tx, id);
    }
  });
}

/** An index that has a name is everybody's: that one machine needs it no more removes nothing. */
async function removed(db: Db, { key, name }: RepositoryName): Promise<void> {
  if (name !== undefined) return;
  const removing = async (tx: Transaction) => {
    const sql = "SELECT id FROM codecompass.repository WHERE key = $1 AND name IS NULL FOR UPDATE";
    const [row] = await tx.rows<{ id: number }>(sql, [key]);
    if (row !== undefined) await removeRepository(tx, row.id);
  };
  await unlessUnprepared(db, undefined, () => db.transaction(removing));
}

/** Extensions that rank or compare vectors. An operator may expect them to be used: `docs/decisions/0010` says why not. */
const UNUSED = ["pg_search", "pg_textsearch", "vchord_bm25", "vector"];

type DescribedDb = Pick<Db, "rows" | "address"> & { readonly isGuarded?: boolean };

export async function describeServer(db: DescribedDb): Promise<StoreDescription> {
  const { version, replica } = await readServer(db);
  const sql = "SELECT name, installed_version AS version FROM pg_available_extensions WHERE name = ANY($1::text[])";
  const found = await db.rows<{ name: string; version: string | null }>(sql, [[...EXTENSIONS, ...UNUSED]]);
  const extensions = new Map(found.map((one) => [one.name, one.version ?? undefined]));
  const step = await newestStep(db);
  const lacks = EXTENSIONS.find((name) => !extensions.has(name));
  if (step !== undefined) requireReadable(step.compatible_from, db.address.shown);
  // The first index would fail without it.
  else if (lacks !== undefined) throw lacksExtension(lacks, db.address.shown);
  const role = replica ? "replica" : await readRole(db, step !== undefined);
  return {
    engine: "PostgreSQL",
    version,
    address: db.address.shown,
    capabilities: [
      ROLES[role],
      describeTables(step?.version, role === "writer"),
      "ranking: exact BM25 by codecompass",
      "vectors: compared exactly by codecompass",
      ...EXTENSIONS.map((name) => `${name}: ${extensions.get(name) ?? "made with the first index"}`),
      ...UNUSED.filter((name) => extensions.get(name)).map((name) => `${name}: ${extensions.get(name)}, not used`),
    ],
    canWrite: role === "writer",
  };
}

const ROLES = {
  replica: "read-only replica: answers, and takes no index",
  guests: "primary: shows this user nothing by itself; it is for servers with --access principals",
  reader: "primary: answers; this user may only read it, and indexes nothing",
  writer: "primary: answers and takes indexes",
};

function describeTables(step: number | undefined, canMake: boolean): string {
  const ours = MIGRATIONS.at(-1)!.version;
  const maker = canMake ? "" : ", by the database's owner: this user may not make them";
  if (step === undefined) return `tables: made with the first index${maker}`;
  return `tables: step ${step}${step > ours ? ", of a newer release; this one can use them" : ` of ${ours}`}`;
}

/** `guests`: rows are hidden from this user unless a principal asks. */
async function readRole(db: DescribedDb, isMade: boolean): Promise<keyof typeof ROLES> {
  const sql = isMade
    ? `SELECT has_table_privilege('codecompass.repository', 'INSERT') AS writes, EXISTS (SELECT 1 FROM pg_roles
        WHERE rolname = $1 AND pg_has_role(oid, 'USAGE') AND row_security_active('codecompass.repository')) AS hidden`
    : "SELECT has_database_privilege(current_database(), 'CREATE') AS writes, $1::text IS NULL AS hidden";
  const [may] = await db.rows<{ writes: boolean; hidden: boolean }>(sql, [PRINCIPAL_ROLE]);
  if (may?.hidden === true && db.isGuarded !== true) return "guests";
  return may?.writes === false ? "reader" : "writer";
}
