/**
 * The roles of a shared database, and what each may do. They are created with the first principal, or by the operator of
 * the database (`deploy/postgres/init.sh`, or what `codecompass principals sql` prints). Where they are there before the
 * tables, creating the tables grants their rights. Running it again changes nothing.
 */
import { GUARDED, OF_A_REPOSITORY, PRINCIPAL_ROLE } from "./access-tables.ts";
import type { Db } from "./db.ts";
import { codeOf, storeRefusal } from "./failures.ts";
import type { Queryable, Transaction } from "./queryable.ts";

/** `admin` says who may see what, `ingest` writes indexes, `read` reads all of them. The user that migrates owns the tables. */
const ROLES = ["codecompass_admin", "codecompass_ingest", "codecompass_read", PRINCIPAL_ROLE] as const;
const OF_ADMINS = ["principal", "principal_glob", "access"];
const READERS = `codecompass_admin, codecompass_ingest, codecompass_read, ${PRINCIPAL_ROLE}`;

const DATA = GUARDED.map((table) => `codecompass.${table}`).join(", ");
/** Principals read these through functions and views (`access-tables.ts`). */
const INDIRECT: ReadonlySet<string> = new Set(["findable", "blob", "segment_part"]);
const READABLE = [...GUARDED.filter((table) => !INDIRECT.has(table)), "readable_blob", "readable_segment_part"].map(
  (table) => `codecompass.${table}`,
);

/** A policy is replaced, never changed: what it lets through is always all of this or all of that. */
function policy(table: string, condition: string): string {
  return `DROP POLICY IF EXISTS principal ON codecompass.${table};
CREATE POLICY principal ON codecompass.${table} AS RESTRICTIVE TO ${PRINCIPAL_ROLE} USING (${condition});`;
}

/** Needs nothing but to own the tables. */
const GRANTS_SQL = `GRANT USAGE ON SCHEMA codecompass TO ${READERS};
GRANT SELECT ON codecompass.migration TO ${READERS};
GRANT SELECT ON ${DATA} TO codecompass_read;
GRANT SELECT, INSERT, UPDATE, DELETE ON ${DATA} TO codecompass_ingest, codecompass_admin;
GRANT SELECT, INSERT, UPDATE, DELETE ON ${OF_ADMINS.map((table) => `codecompass.${table}`).join(", ")} TO codecompass_admin;
GRANT SELECT ON ${READABLE.join(", ")} TO ${PRINCIPAL_ROLE};
REVOKE SELECT ON ${[...INDIRECT].map((table) => `codecompass.${table}`).join(", ")} FROM ${PRINCIPAL_ROLE};
GRANT SELECT ON codecompass.ingest, codecompass.node TO codecompass_read, codecompass_ingest, codecompass_admin;
GRANT SELECT, INSERT, UPDATE, DELETE ON codecompass.former_repository TO codecompass_ingest, codecompass_admin;
GRANT UPDATE ON codecompass.node TO codecompass_ingest, codecompass_admin;
GRANT EXECUTE ON FUNCTION codecompass.clean_pending_lists() TO codecompass_ingest, codecompass_admin;
-- When a view was last asked for: unused views are removed.
GRANT INSERT, UPDATE ON codecompass.use TO codecompass_read, ${PRINCIPAL_ROLE};
${policy("repository", "id IN (SELECT codecompass.seen())")}
${policy("blob", "EXISTS (SELECT 1 FROM codecompass.holding h WHERE h.key = blob.key)")}
${OF_A_REPOSITORY.map((table) => policy(table, "repo IN (SELECT codecompass.seen())")).join("\n")}
`;

export const ROLES_SQL = `-- Run as the owner of the schema codecompass. An owner that may not create roles needs them created first.
DO $$ DECLARE one text; BEGIN
  FOREACH one IN ARRAY ARRAY[${ROLES.map((role) => `'${role}'`).join(", ")}] LOOP
    IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = one) THEN
      BEGIN
        EXECUTE format('CREATE ROLE %I NOLOGIN', one);
      EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
      END;
    END IF;
  END LOOP;
END $$;
${GRANTS_SQL}
-- A server that connects as its own user needs: GRANT ${PRINCIPAL_ROLE} TO that_user;
-- (and is best a member of nothing else: members see nothing but what a principal may see).
DO $$ BEGIN
  IF NOT pg_has_role(current_user, '${PRINCIPAL_ROLE}', 'MEMBER') THEN
    EXECUTE format('GRANT ${PRINCIPAL_ROLE} TO %I', current_user);
  END IF;
EXCEPTION WHEN insufficient_privilege THEN NULL;
END $$;
`;

/** Where the roles are there already, they may use new tables from the moment these are there. */
export async function grantAll(tx: Transaction): Promise<void> {
  const sql = "SELECT count(*) AS count FROM pg_roles WHERE rolname = ANY($1::text[])";
  const [row] = await tx.rows<{ count: number }>(sql, [ROLES]);
  if (row!.count === ROLES.length) await tx.run(GRANTS_SQL);
}

export async function ensureRoles(db: Db): Promise<void> {
  if (await hasRoles(db)) return;
  try {
    await db.transaction(async (tx) => void (await tx.run(ROLES_SQL)));
  } catch (error) {
    if (codeOf(error) !== "42501") throw error;
    const way = "let its owner, who may create roles, run what `codecompass principals sql` prints";
    throw storeRefusal(`${db.address.shown} does not let this user make roles; ${way}`, error);
  }
}

/** Whether every table that principals may read has its policy. */
async function hasRoles(queryable: Queryable): Promise<boolean> {
  const sql = `SELECT count(*) AS count FROM pg_class c
    WHERE c.relnamespace = to_regnamespace('codecompass') AND c.relname = ANY($1::text[])
      AND EXISTS (SELECT 1 FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = 'principal')`;
  const [row] = await queryable.rows<{ count: number }>(sql, [GUARDED]);
  return row!.count === GUARDED.length;
}

/** Whether this connection can ask as a principal. Throws `invalid_input` where it cannot. */
export async function requireRole(queryable: Queryable, shown: string): Promise<void> {
  const sql = `SELECT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = $1) AS made,
    (SELECT pg_has_role(current_user, oid, 'MEMBER') FROM pg_roles WHERE rolname = $1) AS member`;
  const [row] = await queryable.rows<{ made: boolean; member: boolean | null }>(sql, [PRINCIPAL_ROLE]);
  if (!row!.made || !(await hasRoles(queryable)))
    throw storeRefusal(`${shown} knows no principals yet; make the first with \`codecompass principals add\``);
  if (row!.member !== true)
    throw storeRefusal(
      `${shown} does not let this user ask for principals; log in as a member of ${PRINCIPAL_ROLE}, and of nothing else`,
    );
}
