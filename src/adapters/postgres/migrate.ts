/**
 * Creates and upgrades the tables, once, however many processes start at the same moment. Readers check which step the
 * tables are at, and get empty answers from a database that has none.
 */
import type { CompassError } from "../../model/errors.ts";
import { type Address, addressOf } from "./address.ts";
import { Db } from "./db.ts";
import { codeOf, isMissingSchema, mapErrors, storeRefusal } from "./failures.ts";
import { MIGRATIONS } from "./migrations.ts";
import type { Transaction } from "./queryable.ts";
import { grantAll } from "./roles.ts";

const OLDEST_SERVER = 150_000;
export const EXTENSIONS = ["pg_trgm", "btree_gin"] as const;
/** An arbitrary number. */
const MIGRATION_LOCK = 0x43434958;
/** How long a step may wait for tables that others use. */
const LOCK_MS = 10_000;

/** Whether the tables are there. Throws `invalid_input` where this release cannot use them. */
export async function isMigrated(db: Db): Promise<boolean> {
  const newest = await newestStep(db);
  if (newest === undefined) return false;
  requireUsable(newest, db.address.shown);
  return newest.version >= MIGRATIONS.at(-1)!.version;
}

export async function migrate(db: Db): Promise<void> {
  if (await isMigrated(db)) return;
  await requireServer(db);
  await db.transaction(async (tx) => {
    await tx.rows(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    // Who waits for a table keeps those out who come later: rather the migration fails and is tried again.
    await tx.run(`SET LOCAL lock_timeout = ${LOCK_MS}`);
    await tx.run("CREATE SCHEMA IF NOT EXISTS codecompass");
    await tx.run(`CREATE TABLE IF NOT EXISTS codecompass.migration (
      version integer PRIMARY KEY, compatible_from integer NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`);
    const [newest] = await tx.rows<AppliedStep>(NEWEST);
    if (newest !== undefined) requireUsable(newest, db.address.shown);
    // Another process was faster. Its grants replace policies, which locks tables that are read by now.
    if ((newest?.version ?? 0) >= MIGRATIONS.at(-1)!.version) return;
    if (newest === undefined) await createExtensions(tx, db.address.shown);
    // Wherever the extensions were made, and whatever the user's own path is.
    await tx.rows(`SELECT set_config('search_path', string_agg(DISTINCT quote_ident(n.nspname), ', '), true)
      FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace`);
    for (const { version, compatibleFrom, sql } of MIGRATIONS) {
      if (version <= (newest?.version ?? 0)) continue;
      await tx.run(sql);
      const applied = "INSERT INTO codecompass.migration (version, compatible_from) VALUES ($1, $2)";
      await tx.run(applied, [version, compatibleFrom]);
    }
    await grantAll(tx);
  });
}

/** For the owner of the tables. Returns the newest step. */
export async function migrateStore(url: string): Promise<number> {
  const db = new Db({ address: addressOf(url), connections: 1 });
  try {
    return await mapErrors("preparing the store", db.address, async () => {
      await migrate(db);
      return MIGRATIONS.at(-1)!.version;
    });
  } finally {
    await db.close();
  }
}

function requireUsable({ version, compatible_from: from }: AppliedStep, shown: string): void {
  requireReadable(from, shown);
  if (version >= MIGRATIONS[0]!.version) return;
  throw storeRefusal(`${shown} was prepared before release 0.1.0; drop its schema codecompass and index again`);
}

/** `least`: the step from which on releases can live with the tables as they are now. */
export function requireReadable(least: number, shown: string): void {
  if (least <= MIGRATIONS.at(-1)!.version) return;
  throw storeRefusal(`${shown} was prepared by a newer release (step ${least}); upgrade codecompass here`);
}

async function requireServer(db: Db): Promise<void> {
  if (!(await readServer(db)).replica) return;
  const reason = `${db.address.shown} is a read-only replica; the first index is written to the primary: give its address as --store`;
  throw storeRefusal(reason);
}

/** Throws `invalid_input` where the server is too old. */
export async function readServer(db: Described): Promise<{ readonly version: string; readonly replica: boolean }> {
  const [server] = await db.rows<{ version: string; number: number; replica: boolean }>(
    "SELECT current_setting('server_version') AS version, current_setting('server_version_num')::integer AS number, pg_is_in_recovery() AS replica",
  );
  if (server!.number >= OLDEST_SERVER) return server!;
  const need = "15 or newer is needed: upgrade it, or give another one as --store";
  throw storeRefusal(`${db.address.shown} is PostgreSQL ${server!.version}; ${need}`);
}

async function createExtensions(tx: Transaction, shown: string): Promise<void> {
  for (const name of EXTENSIONS)
    await tx.run(`CREATE EXTENSION IF NOT EXISTS ${name}`).catch((error: unknown) => {
      throw lacksExtension(name, shown, error);
    });
}

/** Where the user may create it, the server's machine has no files of it, so no user can. */
export function lacksExtension(name: string, shown: string, cause?: unknown): CompassError {
  const how =
    codeOf(cause) === "42501"
      ? `let a superuser run CREATE EXTENSION ${name} in this database`
      : "install PostgreSQL's contrib package on that server (Debian: it is part of postgresql-15)";
  return storeRefusal(`${shown} lacks the extension ${name}; ${how}, then try again`, cause);
}

type Described = Pick<Db, "rows" | "address">;

/** A step of `migrations.ts` that was taken. */
export interface AppliedStep {
  readonly version: number;
  readonly compatible_from: number;
}

export const NEWEST = "SELECT version, compatible_from FROM codecompass.migration ORDER BY version DESC LIMIT 1";

/** Where there were tables: they are not looked for again before one is missing. */
const made = new WeakSet<Address>();

export function newestStep(db: Described): Promise<AppliedStep | undefined> {
  const ask = async () => (await db.rows<AppliedStep>(NEWEST, [], { prepared: "newest" }))[0];
  return unlessMissing(db, undefined, ask, async () => void made.delete(db.address));
}

/** `nothing`: the answer of a database without tables. */
export function unlessUnprepared<T>(db: Described, nothing: T, ask: () => Promise<T>): Promise<T> {
  return unlessMissing(db, nothing, ask, async () => {
    if ((await newestStep(db)) === undefined) return;
    const way = "run `codecompass index` of this one, which brings it up to date";
    throw storeRefusal(`${db.address.shown} was prepared by an older release; ${way}`);
  });
}

async function unlessMissing<T>(db: Described, nothing: T, ask: () => Promise<T>, onMissing: () => Promise<void>) {
  if (!(await hasTables(db))) return nothing;
  try {
    return await ask();
  } catch (error) {
    if (!isMissingSchema(error)) throw error;
    await onMissing();
    return nothing;
  }
}

/** Asked first: a table that is missing would be an error in the server's log, with every question. */
async function hasTables(db: Described): Promise<boolean> {
  if (made.has(db.address)) return true;
  const sql = "SELECT to_regclass('codecompass.migration') IS NOT NULL AS made";
  if ((await db.rows<{ made: boolean }>(sql))[0]?.made !== true) return false;
  made.add(db.address);
  return true;
}
