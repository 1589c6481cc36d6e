/** What the server is and can do, for `doctor` and `health_check`. Extensions that are absent are done without. */
import type { StoreDescription } from "../../ports/stores.ts";
import { PRINCIPAL_ROLE } from "./access-tables.ts";
import { isUsable as isNewTextsearch, textsearchOf } from "./bm25-selection.ts";
import type { Db } from "./db.ts";
import { EXTENSIONS, requireNewEnough, requireReadable, uninstalled } from "./migrate.ts";
import { MIGRATIONS } from "./migrations.ts";
import { newestStep } from "./schema-presence.ts";
import { isUsable, pgvectorOf } from "./vector-selection.ts";

/** Others that rank in the engine. Somebody may expect them to be used: `docs/decisions/0010` says why not. */
const OTHER_BM25 = ["pg_search", "vchord_bm25"];

type Described = Pick<Db, "rows" | "address"> & { readonly isGuarded?: boolean };

export async function describeServer(db: Described): Promise<StoreDescription> {
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
      `ranking: exact BM25 by codecompass${await chosen(db, extensions)}`,
      `vectors: compared one by one; ${await nearest(db)}`,
      ...EXTENSIONS.map((name) => `${name}: ${extensions.get(name) ?? "made with the first index"}`),
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
async function primary(db: Described, isMade: boolean): Promise<Role> {
  if (isMade && db.isGuarded !== true && (await seesNothing(db))) {
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
async function seesNothing(db: Described): Promise<boolean> {
  const sql = `SELECT pg_has_role(oid, 'USAGE') AND row_security_active('codecompass.repository') AS nothing
    FROM pg_roles WHERE rolname = $1`;
  return (await db.rows<{ nothing: boolean }>(sql, [PRINCIPAL_ROLE]))[0]?.nothing === true;
}

/** What else knows the words of many repositories. */
async function chosen(db: Described, extensions: ReadonlyMap<string, string>): Promise<string> {
  const textsearch = await textsearchOf(db);
  if (textsearch === undefined) {
    const other = OTHER_BM25.find((name) => extensions.has(name));
    return other === undefined ? "" : `; ${other} ${extensions.get(other)} is there and not used`;
  }
  const named = `; pg_textsearch ${textsearch.version}`;
  if (!isNewTextsearch(textsearch)) return `${named} is too old to be used, 1.4 is not`;
  if (textsearch.index === null) return `${named} has no index yet (docs/scale.md says how to make it)`;
  return `${named} finds who of many repositories speaks most of the words${await lacking(db, "spoken", "file_version")}`;
}

/** Repositories that were stored before the extension was there, and are not found by it. */
async function lacking(db: Described, table: "near" | "spoken", of: "vectors" | "file_version"): Promise<string> {
  if (db.isGuarded) return "";
  const sql = `SELECT count(*)::integer AS count FROM codecompass.repository r WHERE r.name IS NOT NULL
    AND EXISTS (SELECT 1 FROM codecompass.${of} o WHERE o.repo = r.id)
    AND NOT EXISTS (SELECT 1 FROM codecompass.${table} t WHERE t.repo = r.id)`;
  const count = (await db.rows<{ count: number }>(sql))[0]?.count ?? 0;
  if (count === 0) return "";
  return `, of all but ${count}, which the next \`codecompass index\` adds`;
}

/** How the repositories are found that come nearest to a question to many of them. */
async function nearest(db: Described): Promise<string> {
  const pgvector = await pgvectorOf(db);
  if (pgvector === undefined) {
    const [file] = await db.rows("SELECT 1 FROM pg_available_extensions WHERE name = 'vector'");
    const how =
      file === undefined ? "no pgvector" : "pgvector is installed and not made here (CREATE EXTENSION vector)";
    return `${how}, so many repositories are asked by their words`;
  }
  const named = `pgvector ${pgvector.version}`;
  if (!isUsable(pgvector)) return `${named} is too old to be used, 0.8 is not`;
  const [index] = await db.rows(
    `SELECT 1 FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam
      WHERE i.indrelid = to_regclass('codecompass.near') AND a.amname = 'hnsw' AND i.indisvalid`,
  );
  const how = index === undefined ? "without an index (docs/scale.md says how to make it)" : "by its index";
  const but = pgvector.isPrepared ? await lacking(db, "near", "vectors") : "";
  return `${named} finds the nearest of many repositories, ${how}${but}`;
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
