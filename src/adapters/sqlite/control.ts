/** Leases and jobs, in a file of their own: see `CONTROL_TABLES`. A damaged control file is thrown away and made anew. */
import { rmSync } from "node:fs";
import { CompassError } from "../../model/errors.ts";
import type { Job } from "../../model/jobs.ts";
import type { Env, ProcessIdentity } from "../../ports/env.ts";
import type { Lease, LeaseAnswer } from "../../ports/lease.ts";
import { Connection, openControlForWriting } from "./connection.ts";
import { type Directory, identityOf } from "./directory.ts";
import { isDamage, refusing } from "./failures.ts";
import { checksum } from "./rows.ts";

interface LeaseRow {
  readonly token: number;
  readonly pid: number | null;
  readonly incarnation: string | null;
  readonly ttl_ms: number;
  readonly expires_at: number;
}

interface JobRow {
  readonly id: string;
  readonly started_at: number;
  readonly pid: number;
  readonly incarnation: string;
  readonly job: string;
  readonly checksum: number;
}

interface Open {
  readonly connection: Connection;
  readonly identity: string | undefined;
  readonly mode: "read" | "write";
}

/** Jobs kept for `jobs()`; older ones go when a new one is recorded. */
const JOBS_KEPT = 100;

export class Control {
  private readonly directory: Directory;
  private readonly env: Env;
  private open: Open | undefined;

  constructor(directory: Directory, env: Env) {
    this.directory = directory;
    this.env = env;
  }

  /** `fence` is the highest token the index has seen, should this file know less. */
  lease(owner: ProcessIdentity, ttlMs: number, fence: () => number): LeaseAnswer {
    return this.changing((db) => {
      const row = this.row(db);
      if (row && this.holds(row)) return { held: true, by: identity(row) };
      const token = 1 + (row?.token ?? fence());
      this.writeLease(db, token, owner, ttlMs);
      this.markInterrupted(db);
      return { lease: this.handle(token, owner, ttlMs) };
    });
  }

  /** Throws `index_in_progress` unless this is the newest token and it is still held. */
  require(lease: Pick<Lease, "token">): void {
    const row = this.heldRow();
    if (row?.token !== lease.token || row.pid === null) throw new CompassError("index_in_progress");
  }

  /** A damaged file holds no lease; the next `changing` makes it anew. It says nothing about the index. */
  private heldRow(): LeaseRow | undefined {
    try {
      return this.row(this.writer());
    } catch (error) {
      if (isDamage(error)) return undefined;
      throw error;
    }
  }

  /** Whether a living process holds the lease. */
  isHeld(): boolean {
    if (identityOf(this.directory.control) === undefined) return false;
    try {
      const row = this.row(this.reader());
      return row !== undefined && this.holds(row);
    } catch (error) {
      if (isDamage(error)) return false;
      throw error;
    }
  }

  record(job: Job, owner: ProcessIdentity): void {
    this.changing((db) => {
      this.writeJob(db, job, owner);
      db.run("DELETE FROM job WHERE id NOT IN (SELECT id FROM job ORDER BY started_at DESC LIMIT ?)", JOBS_KEPT);
    });
  }

  jobs(limit: number): Job[] {
    if (identityOf(this.directory.control) === undefined) return [];
    const connection = this.reader();
    const rows = connection.all<JobRow>("SELECT * FROM job ORDER BY started_at DESC, id DESC LIMIT ?", limit);
    return rows.flatMap((row) => jobOf(row, this.env));
  }

  used(view: string, at: number): void {
    this.changing((db) => db.run("INSERT OR REPLACE INTO use (view, at) VALUES (?, ?)", view, at));
  }

  uses(): Map<string, number> {
    if (identityOf(this.directory.control) === undefined) return new Map();
    const rows = this.reader().all<{ view: string; at: number }>("SELECT view, at FROM use");
    return new Map(rows.map(({ view, at }) => [view, at]));
  }

  close(): void {
    this.open?.connection.close();
    this.open = undefined;
  }

  private handle(token: number, owner: ProcessIdentity, ttlMs: number): Lease {
    const changing = async (doing: string, sql: string, ...values: (number | string)[]) => {
      refusing(doing, () => this.changing((db) => db.run(sql, ...values)), this.directory.path);
    };
    return {
      token,
      renew: async () => {
        refusing("renewing the lease", () => this.require({ token }));
        const until = this.env.now() + ttlMs;
        await changing("renewing the lease", "UPDATE lease SET expires_at = ? WHERE token = ?", until, token);
      },
      release: () =>
        changing("releasing the lease", "UPDATE lease SET pid = NULL WHERE token = ? AND pid = ?", token, owner.pid),
    };
  }

  private holds(row: LeaseRow): boolean {
    const left = row.expires_at - this.env.now();
    // Far more time left than was ever given: the clock went back, the date says nothing.
    const timely = left > 0 && left <= 2 * row.ttl_ms;
    return row.pid !== null && timely && this.env.isAlive(identity(row));
  }

  private row(db: Connection): LeaseRow | undefined {
    return db.get<LeaseRow>("SELECT token, pid, incarnation, ttl_ms, expires_at FROM lease WHERE id = 1");
  }

  private writeLease(db: Connection, token: number, owner: ProcessIdentity, ttlMs: number): void {
    const sql =
      "INSERT OR REPLACE INTO lease (id, token, pid, incarnation, ttl_ms, expires_at) VALUES (1, ?, ?, ?, ?, ?)";
    db.run(sql, token, owner.pid, owner.incarnation, ttlMs, this.env.now() + ttlMs);
  }

  private writeJob(db: Connection, job: Job, owner: ProcessIdentity): void {
    const text = JSON.stringify(job);
    const sql =
      "INSERT OR REPLACE INTO job (id, started_at, pid, incarnation, job, checksum) VALUES (?, ?, ?, ?, ?, ?)";
    db.run(sql, job.id, job.startedAt, owner.pid, owner.incarnation, text, checksum(job.id, text));
  }

  /** What a dead process left as running is written down as interrupted by the next one that may write. */
  private markInterrupted(db: Connection): void {
    for (const row of db.all<JobRow>("SELECT * FROM job")) {
      const [job] = jobOf(row, this.env);
      if (job?.status === "interrupted" && !row.job.includes('"interrupted"')) {
        this.writeJob(db, job, { pid: row.pid, incarnation: row.incarnation });
      }
    }
  }

  /** One write transaction; a damaged file is replaced once. */
  private changing<T>(change: (db: Connection) => T): T {
    try {
      const db = this.writer();
      return db.writing(() => change(db));
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.close();
      for (const suffix of ["", "-journal"]) rmSync(this.directory.control + suffix, { force: true });
      const db = this.writer();
      return db.writing(() => change(db));
    }
  }

  private writer(): Connection {
    if (this.open?.mode !== "write" || this.open.identity !== identityOf(this.directory.control)) {
      this.close();
      this.directory.create();
      const connection = openControlForWriting(this.directory.control);
      this.open = { connection, identity: identityOf(this.directory.control), mode: "write" };
    }
    return this.open.connection;
  }

  /** Reading never writes, unless a killed process left a half-done write to be rolled back. */
  private reader(): Connection {
    if (this.open !== undefined && this.open.identity === identityOf(this.directory.control))
      return this.open.connection;
    try {
      this.close();
      const connection = new Connection(this.directory.control, "read");
      this.open = { connection, identity: identityOf(this.directory.control), mode: "read" };
      connection.get("SELECT 1 FROM job");
      return connection;
    } catch {
      return this.writer();
    }
  }
}

function identity(row: LeaseRow): ProcessIdentity {
  return { pid: row.pid ?? 0, incarnation: row.incarnation ?? "" };
}

/** A damaged row is no job. */
function jobOf(row: JobRow, env: Env): Job[] {
  if (checksum(row.id, row.job) !== row.checksum) return [];
  const job = JSON.parse(row.job) as Job;
  const dead = job.status === "running" && !env.isAlive({ pid: row.pid, incarnation: row.incarnation });
  return [dead ? { ...job, status: "interrupted" } : job];
}
