/**
 * Principals as rows. The server presents the hash of a token to the database, and the database keeps a hash of that:
 * neither what is stored nor what is presented opens anything over HTTP.
 */
import { hash, randomBytes } from "node:crypto";
import { CompassError } from "../../model/errors.ts";
import type { NewPrincipal, Principal, Principals, PrincipalTokens } from "../../ports/principals.ts";
import { addressOf } from "./address.ts";
import { Db } from "./db.ts";
import { isUnreachable, mapErrors } from "./failures.ts";
import { migrate, unlessUnprepared } from "./migrate.ts";
import type { Transaction } from "./queryable.ts";
import { ensureRoles, requireRole } from "./roles.ts";

export function postgresPrincipals(url: string): Principals {
  const db = new Db({ address: addressOf(url), connections: 1 });
  const withStore = <T>(run: () => Promise<T>) => mapErrors("asking for principals", db.address, run);
  return {
    add: (asked) =>
      withStore(async () => {
        await migrate(db);
        await ensureRoles(db);
        return addPrincipal(db, asked);
      }),
    setGlobs: (name, globs) => withStore(() => unlessUnprepared(db, false, () => replaceGlobs(db, name, globs))),
    list: () => withStore(() => unlessUnprepared(db, [], () => listPrincipals(db))),
    remove: (name) => withStore(() => unlessUnprepared(db, false, () => removePrincipal(db, name))),
    close: () => db.close(),
  };
}

/** `readUrl`: a replica, used while the primary is down; empty: none. */
export function postgresTokens(url: string, readUrl = ""): PrincipalTokens {
  const address = addressOf(url);
  const reconnect = readUrl === "" ? {} : { reconnectMs: 0 };
  const db = new Db({ address, connections: 2, ...reconnect });
  const replica = readUrl === "" ? undefined : new Db({ address: addressOf(readUrl, "--read-store"), connections: 2 });
  const asking = <T>(doing: string, ask: (db: Db) => Promise<T>) =>
    mapErrors(doing, address, async () => {
      try {
        return await ask(db);
      } catch (error) {
        if (replica === undefined || !isUnreachable(error)) throw error;
        return ask(replica);
      }
    });
  return {
    check: () => asking("asking for principals", (from) => requireRole(from, address.shown)),
    ownerOf: (token) =>
      asking("looking at a token", async (from) => {
        const secret = secretOf(token);
        const sql = "SELECT codecompass.principal_of($1) AS id";
        const [row] = await from.rows<{ id: number | null }>(sql, [secret], { prepared: "principal_of" });
        return typeof row?.id === "number" ? { id: row.id, secret } : undefined;
      }),
    close: async () => void (await Promise.all([db.close(), replica?.close()])),
  };
}

const secretOf = (token: string) => hash("sha256", token);

async function addPrincipal(db: Db, { name, globs, expiresAt }: NewPrincipal): Promise<string> {
  // The prefix says what it is where it should not be.
  const token = `ccp_${randomBytes(32).toString("base64url")}`;
  await db.transaction(async (tx) => {
    const sql = `INSERT INTO codecompass.principal (name, token_hash, expires_at)
      VALUES ($1, $2, to_timestamp($3::double precision / 1000)) ON CONFLICT (name) DO NOTHING RETURNING id`;
    const [row] = await tx.rows<{ id: number }>(sql, [
      name,
      hash("sha256", secretOf(token), "buffer"),
      expiresAt ?? null,
    ]);
    const reason = `there is a principal ${name} already; remove it first, or choose another name`;
    if (row === undefined) throw new CompassError("invalid_input", { parameter: "name", reason });
    await insertGlobs(tx, row.id, globs);
  });
  return token;
}

interface Row {
  readonly name: string;
  readonly globs: readonly string[];
  readonly repositories: number;
  readonly created: number;
  readonly expires: number | null;
}

async function listPrincipals(db: Db): Promise<Principal[]> {
  const ms = (column: string) => `(extract(epoch FROM p.${column}) * 1000)::bigint`;
  const rows = await db.rows<Row>(`SELECT p.name, ${ms("created_at")} AS created, ${ms("expires_at")} AS expires,
      ARRAY(SELECT g.glob FROM codecompass.principal_glob g WHERE g.principal = p.id ORDER BY g.glob) AS globs,
      (SELECT count(*) FROM codecompass.access a WHERE a.principal = p.id) AS repositories
    FROM codecompass.principal p ORDER BY p.name`);
  return rows.map(({ name, globs, repositories, created, expires }) => {
    return { name, globs, repositories, createdAt: created, ...(expires !== null && { expiresAt: expires }) };
  });
}

/** In one transaction: no request sees the principal without its repositories. */
function replaceGlobs(db: Db, name: string, globs: readonly string[]): Promise<boolean> {
  return db.transaction(async (tx) => {
    const sql = "SELECT id FROM codecompass.principal WHERE name = $1 FOR UPDATE";
    const [row] = await tx.rows<{ id: number }>(sql, [name]);
    if (row === undefined) return false;
    await tx.run("DELETE FROM codecompass.principal_glob WHERE principal = $1", [row.id]);
    await tx.run("DELETE FROM codecompass.access WHERE principal = $1", [row.id]);
    await insertGlobs(tx, row.id, globs);
    return true;
  });
}

/** A trigger works out which repositories the globs name. */
async function insertGlobs(tx: Transaction, principal: number, globs: readonly string[]): Promise<void> {
  const sql = "INSERT INTO codecompass.principal_glob (principal, glob) SELECT $1, unnest($2::text[])";
  await tx.run(sql, [principal, [...new Set(globs)]]);
}

async function removePrincipal(db: Db, name: string): Promise<boolean> {
  return (await db.transaction((tx) => tx.run("DELETE FROM codecompass.principal WHERE name = $1", [name]))) > 0;
}
