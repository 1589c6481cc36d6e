/** Leases, jobs and uses of a repository. Time is the database's. */
import { isHeld } from "../../engine/leases.ts";
import { CompassError } from "../../model/errors.ts";
import type { Job } from "../../model/jobs.ts";
import type { LeaseRecord, RecordChange, RepositoryRecords } from "../../ports/backend.ts";
import type { Env } from "../../ports/env.ts";
import type { Lease } from "../../ports/store.ts";
import type { Queryable, Transaction } from "./queryable.ts";

interface LeaseRow {
  readonly token: number;
  readonly pid: number | null;
  readonly incarnation: string | null;
  readonly host: string | null;
  readonly ttl_ms: number;
  readonly expires_at: number;
}

const COLUMNS = "token, pid, incarnation, host, ttl_ms, expires_at";

/** `key`: of the repository. */
export async function readLease(queryable: Queryable, key: string, now: number, env: Env): Promise<LeaseRecord> {
  const sql = `SELECT ${COLUMNS} FROM codecompass.lease
    WHERE repo = (SELECT id FROM codecompass.repository WHERE key = $1)`;
  const [row] = await queryable.rows<LeaseRow>(sql, [key], { prepared: "lease_read" });
  return row === undefined ? noLease(now) : leaseOf(row, now, env);
}

export function noLease(now: number): LeaseRecord {
  return { token: 0, owner: undefined, ttlMs: 0, expiresAt: 0, now };
}

function leaseOf(
  { token, pid, incarnation, host, ttl_ms: ttlMs, expires_at: expiresAt }: LeaseRow,
  now: number,
  { machine }: Env,
): LeaseRecord {
  const owner = pid === null ? undefined : { pid, incarnation: incarnation ?? "", isRemote: host !== machine };
  return { token, owner, ttlMs, expiresAt, now };
}

export type LeaseChange = Extract<RecordChange, { lease: unknown }>["lease"];

/**
 * False: it is no longer as it was read. To take it over waits for a publication that is just being committed; to renew or
 * release it does not, since that may be its holder's own.
 */
export async function changeLease(
  tx: Transaction,
  key: string,
  { before, after }: LeaseChange,
  { machine }: Env,
): Promise<boolean> {
  const taking = before.token !== after.token;
  const repo = "(SELECT id FROM codecompass.repository WHERE key = $1)";
  if (taking) {
    const first = `INSERT INTO codecompass.lease (repo, token, ttl_ms, expires_at) SELECT ${repo}, 0, 0, 0
      ON CONFLICT (repo) DO NOTHING`;
    await tx.run(first, [key], { prepared: "lease_new" });
    await tx.rows(`SELECT 1 FROM codecompass.lease WHERE repo = ${repo} FOR UPDATE`, [key], { prepared: "lease" });
  }
  const { token, owner, ttlMs, expiresAt } = after;
  const host = owner === undefined ? null : machine;
  const sql = `UPDATE codecompass.lease SET token = $2, pid = $3, incarnation = $4, host = $5, ttl_ms = $6, expires_at = $7
    WHERE repo = ${repo} AND token = $8 AND pid IS NOT DISTINCT FROM $9 ${taking ? "AND expires_at = $10" : ""}`;
  const next = [key, token, owner?.pid ?? null, owner?.incarnation ?? null, host, ttlMs, expiresAt];
  const values = [...next, before.token, before.owner?.pid ?? null, ...(taking ? [before.expiresAt] : [])];
  return (await tx.run(sql, values, { prepared: taking ? "lease_take" : "lease_keep" })) > 0;
}

/** Throws `index_in_progress` unless the token is the newest and held. Until the transaction ends, none can take the lease over. */
export async function requireLease(tx: Transaction, repo: number, { token }: Pick<Lease, "token">): Promise<void> {
  const sql = "SELECT 1 FROM codecompass.lease WHERE repo = $1 AND token = $2 AND pid IS NOT NULL FOR KEY SHARE";
  if ((await tx.rows(sql, [repo, token], { prepared: "lease_held" })).length === 0)
    throw new CompassError("index_in_progress");
}

/** Throws `index_in_progress` where the lease is held; until the transaction ends, no process can take it. */
export async function requireUnheld(tx: Transaction, repo: number, now: number, env: Env): Promise<void> {
  const [row] = await tx.rows<LeaseRow>(`SELECT ${COLUMNS} FROM codecompass.lease WHERE repo = $1 FOR UPDATE`, [repo]);
  if (row !== undefined && isHeld(leaseOf(row, now, env), env)) throw new CompassError("index_in_progress");
}

interface JobRow {
  readonly pid: number;
  readonly incarnation: string;
  readonly host: string;
  readonly job: string;
}

/** Newest first. */
export async function readJobs(
  queryable: Queryable,
  key: string,
  { machine }: Env,
): Promise<RepositoryRecords["jobs"][]> {
  const sql = `SELECT j.pid, j.incarnation, j.host, j.job FROM codecompass.job j
    WHERE j.repo = (SELECT id FROM codecompass.repository WHERE key = $1) ORDER BY j.started_at DESC, j.id DESC`;
  const rows = await queryable.rows<JobRow>(sql, [key], { prepared: "jobs" });
  return rows.map(({ pid, incarnation, host, job }) => ({
    job: JSON.parse(job) as Job,
    owner: { pid, incarnation, isRemote: host !== machine },
  }));
}

type JobChange = Extract<RecordChange, { job: unknown }>;

/** The host stays that of the process that recorded it first. */
export async function writeJob(
  tx: Transaction,
  repo: number,
  { job, owner, keep }: JobChange,
  env: Env,
): Promise<void> {
  await tx.run(
    `INSERT INTO codecompass.job (repo, id, started_at, pid, incarnation, host, job) VALUES ($1, $2, $3, $4, $5, $6, $7)
      ON CONFLICT (repo, id) DO UPDATE SET started_at = excluded.started_at, pid = excluded.pid,
        incarnation = excluded.incarnation, job = excluded.job`,
    [repo, job.id, job.startedAt, owner.pid, owner.incarnation, env.machine, JSON.stringify(job)],
    { prepared: "job" },
  );
  await tx.run(
    `DELETE FROM codecompass.job WHERE repo = $1 AND id NOT IN
      (SELECT id FROM codecompass.job WHERE repo = $1 ORDER BY started_at DESC, id DESC LIMIT $2)`,
    [repo, keep],
    { prepared: "jobs_kept" },
  );
}

export async function noteUse(tx: Transaction, key: string, view: string, at: number): Promise<void> {
  await tx.run(
    `INSERT INTO codecompass.use (repo, view, at) SELECT id, $2, $3 FROM codecompass.repository WHERE key = $1
      ON CONFLICT (repo, view) DO UPDATE SET at = excluded.at`,
    [key, view, at],
  );
}

export function readUses(queryable: Queryable, key: string): Promise<RepositoryRecords["uses"][]> {
  const sql = `SELECT u.view, u.at FROM codecompass.use u JOIN codecompass.repository r ON r.id = u.repo WHERE r.key = $1`;
  return queryable.rows(sql, [key]);
}

export type Clock = (queryable: Queryable) => Promise<number>;

export const databaseClock: Clock = async (queryable) => {
  const sql = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now";
  const [row] = await queryable.rows<{ now: number }>(sql);
  return row!.now;
};
