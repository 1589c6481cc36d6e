/** The right to write, and the jobs that ran with it. */
import { CompassError } from "../model/errors.ts";
import type { Job } from "../model/jobs.ts";
import type { Backend, JobRecord, LeaseRecord, RecordOwner } from "../ports/backend.ts";
import type { Env, ProcessIdentity } from "../ports/env.ts";
import type { LeaseAnswer } from "../ports/store.ts";

/** Jobs kept for `jobs()`; older ones go when a new one is recorded. */
export const JOBS_KEPT = 100;
/** Processes that take the lease at the same moment. */
const MOST_RIVALS = 20;

export interface LeaseRequest {
  readonly owner: ProcessIdentity;
  readonly ttlMs: number;
  /** Turns what it throws into the refusal that the caller understands. */
  readonly run: <T>(doing: string, work: () => Promise<T>) => Promise<T>;
}

export async function takeLease(backend: Backend, env: Env, request: LeaseRequest): Promise<LeaseAnswer> {
  const { owner, ttlMs, run } = request;
  for (let attempt = 1; ; attempt++) {
    const before = await readLease(backend);
    if (isHeld(before, env)) return { held: true, by: identityOf(before.owner!) };
    const token = before.token + 1;
    const after = { token, owner: { ...owner, isRemote: false }, ttlMs, expiresAt: before.now + ttlMs };
    const isTaken = await backend.record({ lease: { before, after } });
    if (!isTaken && attempt < MOST_RIVALS) continue;
    if (!isTaken) throw new CompassError("index_in_progress");
    await markInterrupted(backend, env);
    return {
      lease: {
        token,
        renew: () => run("renewing the lease", () => renew(backend, token, ttlMs)),
        release: () => run("releasing the lease", () => release(backend, token, owner)),
      },
    };
  }
}

async function renew(backend: Backend, token: number, ttlMs: number): Promise<void> {
  const before = await readLease(backend);
  const isOurs = before.token === token && before.owner !== undefined;
  const after = { ...before, expiresAt: before.now + ttlMs };
  if (!isOurs || !(await backend.record({ lease: { before, after } }))) throw new CompassError("index_in_progress");
}

async function release(backend: Backend, token: number, owner: ProcessIdentity): Promise<void> {
  const before = await readLease(backend);
  if (before.token === token && before.owner?.pid === owner.pid)
    await backend.record({ lease: { before, after: { ...before, owner: undefined } } });
}

/** Newest first. Running jobs of dead owners come back as interrupted. */
export async function readJobs(backend: Backend, env: Env): Promise<Job[]> {
  const records = await backend.records("jobs");
  const isAway = (record: JobRecord) => isRunning(record) && record.owner.isRemote;
  const lease = records.some(isAway) ? await readLease(backend) : undefined;
  return records.map((record) =>
    isDead(record, lease, env) ? { ...record.job, status: "interrupted" as const } : record.job,
  );
}

/** What a dead process left as running is written down as interrupted by the next one that may write. */
async function markInterrupted(backend: Backend, env: Env): Promise<void> {
  const running = (await backend.records("jobs")).filter(isRunning);
  const lease = running.length === 0 ? undefined : await readLease(backend);
  for (const record of running)
    if (isDead(record, lease, env))
      await backend.record({ job: { ...record.job, status: "interrupted" }, owner: record.owner, keep: JOBS_KEPT });
}

async function readLease(backend: Backend): Promise<LeaseRecord> {
  const [lease] = await backend.records("lease");
  return lease!;
}

/** Whether the lease's time runs and, on this machine, its owner lives. */
export function isHeld({ owner, ttlMs, expiresAt, now }: LeaseRecord, env: Env): boolean {
  const left = expiresAt - now;
  // Far more time left than was ever given: the clock went back, the date says nothing.
  const isTimely = left > 0 && left <= 2 * ttlMs;
  return owner !== undefined && isTimely && (owner.isRemote || env.isAlive(identityOf(owner)));
}

function isRunning({ job }: JobRecord): boolean {
  return job.status === "running";
}

/** A process of another machine lives as long as it holds the lease. */
function isDead(record: JobRecord, lease: LeaseRecord | undefined, env: Env): boolean {
  const { owner } = record;
  if (!isRunning(record)) return false;
  if (!owner.isRemote) return !env.isAlive(identityOf(owner));
  const holder = lease?.owner;
  const isHolder = holder?.isRemote && holder.pid === owner.pid && holder.incarnation === owner.incarnation;
  return !isHolder || !isHeld(lease!, env);
}

function identityOf({ pid, incarnation }: RecordOwner): ProcessIdentity {
  return { pid, incarnation };
}
