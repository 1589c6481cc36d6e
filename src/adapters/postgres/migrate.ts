/** Brings the tables up to date, once, however many processes start at the same moment; looks at them for readers. */
import type { CompassError } from "../../model/errors.ts";
import { addressOf } from "./address.ts";
import { Db } from "./db.ts";
import { codeOf, refused, refusing } from "./failures.ts";
import { MIGRATIONS, type Migration } from "./migrations.ts";
import type { Transaction } from "./query-interface.ts";
import { grantAll } from "./roles.ts";
import { type Applied, NEWEST, newestStep } from "./schema-presence.ts";

const OLDEST_SERVER = 150_000;
export const EXTENSIONS = ["pg_trgm", "btree_gin"] as const;
/** Any number that nobody else uses. */
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
    const [newest] = await tx.rows<Applied>(NEWEST);
    if (newest !== undefined) requireUsable(newest, db.address.shown);
    if (newest === undefined) await createExtensions(tx, db.address.shown);
    // Wherever the extensions were made, and whatever the user's own path is.
    await tx.rows(`SELECT set_config('search_path', string_agg(DISTINCT quote_ident(n.nspname), ', '), true)
      FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace`);
    for (const step of MIGRATIONS) if (step.version > (newest?.version ?? 0)) await apply(tx, step);
    await grantAll(tx);
  });
}

/** For the owner of the tables. Returns the newest step. */
export async function migrateStore(url: string): Promise<number> {
  const db = new Db({ address: addressOf(url), connections: 1 });
  try {
    return await refusing("preparing the store", db.address, async () => {
      await migrate(db);
      return MIGRATIONS.at(-1)!.version;
    });
  } finally {
    await db.close();
  }
}

async function apply(tx: Transaction, { version, compatibleFrom, sql }: Migration): Promise<void> {
  await tx.run(sql);
  await tx.run("INSERT INTO codecompass.migration (version, compatible_from) VALUES ($1, $2)", [
    version,
    compatibleFrom,
  ]);
}

function requireUsable({ compatible_from: from }: Applied, shown: string): void {
  requireReadable(from, shown);
}

/** `least`: the step from which on releases can live with the tables as they are now. */
export function requireReadable(least: number, shown: string): void {
  if (least <= MIGRATIONS.at(-1)!.version) return;
  throw refused(`${shown} was prepared by a newer release (step ${least}); upgrade codecompass here`);
}

async function requireServer(db: Db): Promise<void> {
  const [server] = await db.rows<{ number: number; said: string; replica: boolean }>(
    "SELECT current_setting('server_version_num')::integer AS number, current_setting('server_version') AS said, pg_is_in_recovery() AS replica",
  );
  const { number, said, replica } = server!;
  requireNewEnough(number, said, db.address.shown);
  if (replica) {
    const reason = `${db.address.shown} is a read-only replica; the first index is written to the primary: give its address as --store`;
    throw refused(reason);
  }
}

/** `number`: as `server_version_num` says it. */
export function requireNewEnough(number: number, said: string, shown: string): void {
  if (number >= OLDEST_SERVER) return;
  throw refused(`${shown} is PostgreSQL ${said}; 15 or newer is needed: upgrade it, or give another one as --store`);
}

async function createExtensions(tx: Transaction, shown: string): Promise<void> {
  for (const name of EXTENSIONS) {
    await tx.run("SAVEPOINT extension");
    try {
      await tx.run(`CREATE EXTENSION IF NOT EXISTS ${name}`);
    } catch (error) {
      await tx.run("ROLLBACK TO extension");
      throw missing(name, shown, error);
    }
  }
}

function missing(name: string, shown: string, cause: unknown): CompassError {
  if (codeOf(cause) !== "42501") return uninstalled(name, shown, cause);
  return lacking(name, shown, `let a superuser run CREATE EXTENSION ${name} in this database`, cause);
}

/** The server's machine has no files of it: nobody can make it. */
export function uninstalled(name: string, shown: string, cause?: unknown): CompassError {
  const how = "install PostgreSQL's contrib package on that server (Debian: it is part of postgresql-15)";
  return lacking(name, shown, how, cause);
}

function lacking(name: string, shown: string, how: string, cause: unknown): CompassError {
  return refused(`${shown} lacks the extension ${name}; ${how}, then try again`, cause);
}
