/** What the server is and can do, for `doctor` and `health_check`. */
import type { StoreDescription } from "../../ports/store.ts";
import { PRINCIPAL_ROLE } from "./access-tables.ts";
import type { Db } from "./db.ts";
import { EXTENSIONS, lacksExtension, newestStep, readServer, requireReadable } from "./migrate.ts";
import { MIGRATIONS } from "./migrations.ts";

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
