/** What ran and runs, for whoever asks; and when each view was asked last. */
import type { Job } from "../../model/jobs.ts";
import type { Env, ProcessIdentity } from "../../ports/env.ts";
import { thisHost } from "./host-identity.ts";
import { isHeld, type LeaseRow, readLease } from "./lease.ts";
import type { Asking, Transaction } from "./query-interface.ts";

interface JobRow {
  readonly pid: number;
  readonly incarnation: string;
  readonly host: string;
  readonly job: string;
}

/** Jobs kept for `jobs()`; older ones go when a new one is recorded. */
const JOBS_KEPT = 100;

export async function recordJob(tx: Transaction, repo: number, job: Job, owner: ProcessIdentity): Promise<void> {
  await writeJob(tx, repo, job, { ...owner, host: thisHost() });
  await tx.run(
    `DELETE FROM codecompass.job WHERE repo = $1 AND id NOT IN
      (SELECT id FROM codecompass.job WHERE repo = $1 ORDER BY started_at DESC, id DESC LIMIT $2)`,
    [repo, JOBS_KEPT],
    { prepared: "jobs_kept" },
  );
}

export async function readJobs(asking: Asking, repo: number, limit: number, now: number, env: Env): Promise<Job[]> {
  const sql = `SELECT pid, incarnation, host, job FROM codecompass.job WHERE repo = $1
    ORDER BY started_at DESC, id DESC LIMIT $2`;
  const rows = await asking.rows<JobRow>(sql, [repo, limit]);
  if (!rows.some((row) => isRunning(row))) return rows.map(jobOf);
  const lease = await readLease(asking, repo);
  return rows.map((row) => (isDead(row, lease, now, env) ? { ...jobOf(row), status: "interrupted" } : jobOf(row)));
}

/** What a dead process left as running is written down as interrupted by the next one that may write. */
export async function markInterrupted(tx: Transaction, repo: number, now: number, env: Env): Promise<void> {
  const sql = "SELECT pid, incarnation, host, job FROM codecompass.job WHERE repo = $1";
  const rows = (await tx.rows<JobRow>(sql, [repo], { prepared: "jobs" })).filter(isRunning);
  const lease = rows.length === 0 ? undefined : await readLease(tx, repo);
  for (const row of rows) {
    if (isDead(row, lease, now, env)) await writeJob(tx, repo, { ...jobOf(row), status: "interrupted" }, row);
  }
}

async function writeJob(
  tx: Transaction,
  repo: number,
  job: Job,
  { pid, incarnation, host }: Omit<JobRow, "job">,
): Promise<void> {
  await tx.run(
    `INSERT INTO codecompass.job (repo, id, started_at, pid, incarnation, host, job) VALUES ($1, $2, $3, $4, $5, $6, $7)
      ON CONFLICT (repo, id) DO UPDATE SET started_at = excluded.started_at, pid = excluded.pid,
        incarnation = excluded.incarnation, host = excluded.host, job = excluded.job`,
    [repo, job.id, job.startedAt, pid, incarnation, host, JSON.stringify(job)],
    { prepared: "job" },
  );
}

/** A process of another machine lives as long as it holds the lease. */
function isDead(row: JobRow, lease: LeaseRow | undefined, now: number, env: Env): boolean {
  if (!isRunning(row)) return false;
  if (row.host === thisHost()) return !env.isAlive(row);
  const isHolder = lease?.host === row.host && lease.pid === row.pid && lease.incarnation === row.incarnation;
  return !isHolder || !isHeld(lease, now, env);
}

function isRunning(row: JobRow): boolean {
  return jobOf(row).status === "running";
}

function jobOf({ job }: JobRow): Job {
  return JSON.parse(job) as Job;
}

export async function noteUse(tx: Transaction, key: string, view: string, at: number): Promise<void> {
  await tx.run(
    `INSERT INTO codecompass.use (repo, view, at) SELECT id, $2, $3 FROM codecompass.repository WHERE key = $1
      ON CONFLICT (repo, view) DO UPDATE SET at = excluded.at`,
    [key, view, at],
  );
}

export async function readUses(asking: Asking, key: string): Promise<Map<string, number>> {
  const sql = `SELECT u.view, u.at FROM codecompass.use u JOIN codecompass.repository r ON r.id = u.repo WHERE r.key = $1`;
  const rows = await asking.rows<{ view: string; at: number }>(sql, [key]);
  return new Map(rows.map(({ view, at }) => [view, at]));
}
