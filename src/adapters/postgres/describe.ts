/** What the server is and can do, for `doctor` and `health_check`. Extensions that are absent are done without. */
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
  const extensions = new Map(
    (
      await db.rows<{ name: string; version: string }>(
        "SELECT extname AS name, extversion AS version FROM pg_extension",
      )
    ).map(({ name, version }) => [name, version]),
  );
  const made = await tables(db);
  if (made === undefined) await requireMakeable(db, extensions);
  const { says, canWrite } = server!.replica ? REPLICA : await primary(db, made !== undefined);
  return {
    engine: "PostgreSQL",
    version: server!.version,
    address: db.address.shown,
    capabilities: [
      says,
      made ?? (await unmade(db)),
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

/** Whoever is only shown what others publish must not be told to index, nor that he can be asked what he does not see. */
async function primary(db: DescribedDb, isMade: boolean): Promise<Role> {
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

/** Undefined where nobody has made them yet. Throws where a newer release has made them so that this one cannot use them. */
async function tables(db: Pick<Db, "rows" | "address">): Promise<string | undefined> {
  const ours = MIGRATIONS.at(-1)!.version;
  const newest = await newestStep(db);
  if (newest === undefined) return undefined;
  requireReadable(newest.compatible_from, db.address.shown);
  const step = newest.version;
  return step > ours
    ? `tables: step ${step}, of a newer release; this one can use them`
    : `tables: step ${step} of ${ours}`;
}

async function unmade(db: Pick<Db, "rows">): Promise<string> {
  const [may] = await db.rows<{ create: boolean }>(
    "SELECT has_database_privilege(current_database(), 'CREATE') AS create",
  );
  if (may!.create) return "tables: made with the first index";
  return "tables: made with the first index, by the database's owner: this user may not make them";
}

/** The first index would fail by it. */
async function requireMakeable(
  db: Pick<Db, "rows" | "address">,
  extensions: ReadonlyMap<string, string>,
): Promise<void> {
  const rows = await db.rows<{ name: string }>(
    "SELECT name FROM pg_available_extensions WHERE name = ANY($1::text[])",
    [EXTENSIONS],
  );
  const available = new Set(rows.map(({ name }) => name));
  const lacks = EXTENSIONS.find((name) => !extensions.has(name) && !available.has(name));
  if (lacks !== undefined) throw uninstalled(lacks, db.address.shown);
}
