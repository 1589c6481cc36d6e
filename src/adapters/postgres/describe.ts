/** What the server is and can do, for `doctor` and `health_check`. */
import type { StoreDescription } from "../../ports/stores.ts";
import { PRINCIPAL_ROLE } from "./access-tables.ts";
import type { Db } from "./db.ts";
import { EXTENSIONS, newestStep, requireNewEnough, requireReadable, uninstalled } from "./migrate.ts";
import { MIGRATIONS } from "./migrations.ts";

/** Extensions that rank or compare vectors. An operator may expect them to be used: `docs/decisions/0010` says why not. */
const UNUSED = ["pg_search", "pg_textsearch", "vchord_bm25", "vector"];

type DescribedDb = Pick<Db, "rows" | "address"> & { readonly isGuarded?: boolean };

export async function describeServer(db: DescribedDb): Promise<StoreDescription> {
  const [server] = await db.rows<{ version: string; number: number; replica: boolean }>(
    "SELECT current_setting('server_version') AS version, current_setting('server_version_num')::integer AS number, pg_is_in_recovery() AS replica",
  );
  requireNewEnough(server!.number, server!.version, db.address.shown);
  const sql = "SELECT extname AS name, extversion AS version FROM pg_extension";
  const installed = await db.rows<{ name: string; version: string }>(sql);
  const extensions = new Map(installed.map(({ name, version }) => [name, version]));
  const newest = await newestStep(db);
  if (newest === undefined) await requireMakeable(db, extensions);
  else requireReadable(newest.compatible_from, db.address.shown);
  const { says, canWrite } = server!.replica ? REPLICA : await describePrimary(db, newest !== undefined);
  return {
    engine: "PostgreSQL",
    version: server!.version,
    address: db.address.shown,
    capabilities: [
      says,
      newest === undefined ? await describeMissingTables(db) : describeTables(newest.version),
      "ranking: exact BM25 by codecompass",
      "vectors: compared exactly by codecompass",
      ...EXTENSIONS.map((name) => `${name}: ${extensions.get(name) ?? "made with the first index"}`),
      ...UNUSED.filter((name) => extensions.has(name)).map((name) => `${name}: ${extensions.get(name)}, not used`),
    ],
    canWrite,
  };
}

interface Role {
  readonly says: string;
  readonly canWrite: boolean;
}

const REPLICA: Role = { says: "read-only replica: answers, and takes no index", canWrite: false };

async function describePrimary(db: DescribedDb, isMade: boolean): Promise<Role> {
  if (isMade && db.isGuarded !== true && (await isOnlyForPrincipals(db))) {
    const says = "primary: shows this user nothing by itself; it is for servers with --access principals";
    return { says, canWrite: false };
  }
  const sql = isMade
    ? "SELECT has_table_privilege('codecompass.repository', 'INSERT') AS writes"
    : "SELECT has_database_privilege(current_database(), 'CREATE') AS writes";
  const [may] = await db.rows<{ writes: boolean }>(sql);
  if (may?.writes === false)
    return { says: "primary: answers; this user may only read it, and indexes nothing", canWrite: false };
  return { says: "primary: answers and takes indexes", canWrite: true };
}

/** Whether rows are hidden from this user unless a principal asks. */
async function isOnlyForPrincipals(db: DescribedDb): Promise<boolean> {
  const sql = `SELECT pg_has_role(oid, 'USAGE') AND row_security_active('codecompass.repository') AS nothing
    FROM pg_roles WHERE rolname = $1`;
  return (await db.rows<{ nothing: boolean }>(sql, [PRINCIPAL_ROLE]))[0]?.nothing === true;
}

function describeTables(step: number): string {
  const ours = MIGRATIONS.at(-1)!.version;
  return step > ours
    ? `tables: step ${step}, of a newer release; this one can use them`
    : `tables: step ${step} of ${ours}`;
}

async function describeMissingTables(db: DescribedDb): Promise<string> {
  const sql = "SELECT has_database_privilege(current_database(), 'CREATE') AS create";
  const [may] = await db.rows<{ create: boolean }>(sql);
  return `tables: made with the first index${may!.create ? "" : ", by the database's owner: this user may not make them"}`;
}

/** The first index would fail without the extensions. */
async function requireMakeable(db: DescribedDb, extensions: ReadonlyMap<string, string>): Promise<void> {
  const sql = "SELECT name FROM pg_available_extensions WHERE name = ANY($1::text[])";
  const available = new Set((await db.rows<{ name: string }>(sql, [EXTENSIONS])).map(({ name }) => name));
  const lacks = EXTENSIONS.find((name) => !extensions.has(name) && !available.has(name));
  if (lacks !== undefined) throw uninstalled(lacks, db.address.shown);
}
