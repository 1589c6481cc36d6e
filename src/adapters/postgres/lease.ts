/** The right to write a repository, with a token that only grows. Time is the database's. */
import { CompassError } from "../../model/errors.ts";
import type { Env, ProcessIdentity } from "../../ports/env.ts";
import type { Lease } from "../../ports/lease.ts";
import { thisHost } from "./host-identity.ts";
import type { Asking, Transaction } from "./query-interface.ts";

export interface LeaseRow {
  readonly token: number;
  readonly pid: number | null;
  readonly incarnation: string | null;
  readonly host: string | null;
  readonly ttl_ms: number;
  readonly expires_at: number;
}

const COLUMNS = "token, pid, incarnation, host, ttl_ms, expires_at";

export async function readLease(asking: Asking, repo: number): Promise<LeaseRow | undefined> {
  const [row] = await asking.rows<LeaseRow>(`SELECT ${COLUMNS} FROM codecompass.lease WHERE repo = $1`, [repo]);
  return row;
}

export interface Taking {
  readonly repo: number;
  readonly owner: ProcessIdentity;
  readonly ttlMs: number;
  readonly now: number;
  readonly env: Env;
}

/** The token, or who holds the lease. Waits for a publication that is just being committed. */
export async function takeLease(
  tx: Transaction,
  { repo, owner, ttlMs, now, env }: Taking,
): Promise<{ readonly token: number } | { readonly by: ProcessIdentity }> {
  const first = `INSERT INTO codecompass.lease (repo, token, ttl_ms, expires_at) VALUES ($1, 0, 0, 0)
    ON CONFLICT (repo) DO NOTHING`;
  await tx.run(first, [repo], { prepared: "lease_new" });
  const sql = `SELECT ${COLUMNS} FROM codecompass.lease WHERE repo = $1 FOR UPDATE`;
  const [row] = await tx.rows<LeaseRow>(sql, [repo], { prepared: "lease" });
  if (isHeld(row!, now, env)) return { by: identityOf(row!) };
  const token = row!.token + 1;
  await tx.run(
    `UPDATE codecompass.lease SET token = $2, pid = $3, incarnation = $4, host = $5, ttl_ms = $6, expires_at = $7
      WHERE repo = $1`,
    [repo, token, owner.pid, owner.incarnation, thisHost(), ttlMs, now + ttlMs],
    { prepared: "lease_take" },
  );
  return { token };
}

/**
 * Throws `index_in_progress` unless the token is the newest and still held. Inside a write transaction: until it ends,
 * nobody can take the lease over, while its holder may still renew it.
 */
export async function requireLease(tx: Transaction, repo: number, { token }: Pick<Lease, "token">): Promise<void> {
  const sql = "SELECT 1 FROM codecompass.lease WHERE repo = $1 AND token = $2 AND pid IS NOT NULL FOR KEY SHARE";
  if ((await tx.rows(sql, [repo, token], { prepared: "lease_held" })).length === 0)
    throw new CompassError("index_in_progress");
}

export async function renewLease(tx: Transaction, repo: number, token: number, until: number): Promise<void> {
  const sql = "UPDATE codecompass.lease SET expires_at = $3 WHERE repo = $1 AND token = $2 AND pid IS NOT NULL";
  if ((await tx.run(sql, [repo, token, until])) === 0) throw new CompassError("index_in_progress");
}

export async function releaseLease(
  tx: Transaction,
  repo: number,
  token: number,
  owner: ProcessIdentity,
): Promise<void> {
  const sql = "UPDATE codecompass.lease SET pid = NULL WHERE repo = $1 AND token = $2 AND pid = $3";
  await tx.run(sql, [repo, token, owner.pid], { prepared: "lease_release" });
}

/** Throws `index_in_progress` where somebody holds it; until the transaction ends, nobody can take it. */
export async function requireUnheld(
  tx: Transaction,
  { repo, now, env }: Omit<Taking, "owner" | "ttlMs">,
): Promise<void> {
  const [row] = await tx.rows<LeaseRow>(`SELECT ${COLUMNS} FROM codecompass.lease WHERE repo = $1 FOR UPDATE`, [repo]);
  if (row !== undefined && isHeld(row, now, env)) throw new CompassError("index_in_progress");
}

/** Whether the lease's time runs, and, on its own machine, its owner lives. */
export function isHeld(row: LeaseRow, now: number, env: Env): boolean {
  const left = row.expires_at - now;
  // Far more time left than was ever given: the clock went back, the date says nothing.
  const timely = left > 0 && left <= 2 * row.ttl_ms;
  return row.pid !== null && timely && (row.host !== thisHost() || env.isAlive(identityOf(row)));
}

function identityOf(row: Pick<LeaseRow, "pid" | "incarnation">): ProcessIdentity {
  return { pid: row.pid ?? 0, incarnation: row.incarnation ?? "" };
}
