/** Leases and jobs, in a file of their own: see `CONTROL_TABLES`. A damaged control file is replaced by an empty one. */
import { rmSync } from "node:fs";
import { isHeld } from "../../engine/leases.ts";
import { CompassError } from "../../model/errors.ts";
import type { Job } from "../../model/jobs.ts";
import type { LeaseRecord, RecordChange, RepositoryRecords } from "../../ports/backend.ts";
import type { Env } from "../../ports/env.ts";
import type { Lease } from "../../ports/store.ts";
import { Connection, openControlForWriting } from "./connection.ts";
import { type Directory, identityOf } from "./directory.ts";
import { isDamage } from "./failures.ts";
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
  readonly pid: number;
  readonly incarnation: string;
  readonly job: string;
  readonly checksum: number;
}

interface OpenControl {
  readonly connection: Connection;
  readonly identity: string | undefined;
  readonly mode: "read" | "write";
}

export class Control {
  readonly #directory: Directory;
  readonly #env: Env;
  #open: OpenControl | undefined;

  constructor(directory: Directory, env: Env) {
    this.#directory = directory;
    this.#env = env;
  }

  /** `fence` is the highest token the index has seen, should this file know less. */
  lease(fence: () => number): LeaseRecord {
    const row = this.#changing(readLease);
    if (row === undefined) return { token: fence(), owner: undefined, ttlMs: 0, expiresAt: 0, now: this.#env.now() };
    return this.#leaseOf(row);
  }

  swapLease({ before, after }: Extract<RecordChange, { lease: unknown }>["lease"]): boolean {
    return this.#changing((db) => {
      const row = readLease(db);
      if (row !== undefined && (row.token !== before.token || row.expires_at !== before.expiresAt)) return false;
      if (row !== undefined && (row.pid === null) !== (before.owner === undefined)) return false;
      const sql =
        "INSERT OR REPLACE INTO lease (id, token, pid, incarnation, ttl_ms, expires_at) VALUES (1, ?, ?, ?, ?, ?)";
      const { token, owner, ttlMs, expiresAt } = after;
      db.run(sql, token, owner?.pid ?? null, owner?.incarnation ?? null, ttlMs, expiresAt);
      return true;
    });
  }

  /** Throws `index_in_progress` unless this is the newest token and it is still held. */
  require({ token }: Lease): void {
    const row = this.#tolerant(() => readLease(this.#writer()), undefined);
    if (row?.token !== token || row.pid === null) throw new CompassError("index_in_progress");
  }

  /** Whether a living process holds the lease. */
  isHeld(): boolean {
    const row = this.#tolerant(() => this.#read(readLease, undefined), undefined);
    return row !== undefined && isHeld(this.#leaseOf(row), this.#env);
  }

  writeJob({ job, owner, keep }: Extract<RecordChange, { job: unknown }>): void {
    const text = JSON.stringify(job);
    const sql =
      "INSERT OR REPLACE INTO job (id, started_at, pid, incarnation, job, checksum) VALUES (?, ?, ?, ?, ?, ?)";
    this.#changing((db) => {
      db.run(sql, job.id, job.startedAt, owner.pid, owner.incarnation, text, checksum(job.id, text));
      db.run("DELETE FROM job WHERE id NOT IN (SELECT id FROM job ORDER BY started_at DESC LIMIT ?)", keep);
    });
  }

  /** Newest first. A damaged row is no job. */
  jobs(): RepositoryRecords["jobs"][] {
    const sql = "SELECT id, pid, incarnation, job, checksum FROM job ORDER BY started_at DESC, id DESC";
    const rows = this.#read((db) => db.all<JobRow>(sql), []);
    return rows.flatMap(({ id, pid, incarnation, job, checksum: sum }) =>
      checksum(id, job) === sum ? [{ job: JSON.parse(job) as Job, owner: { pid, incarnation, isRemote: false } }] : [],
    );
  }

  writeUse(view: string): void {
    const now = this.#env.now();
    this.#changing((db) => db.run("INSERT OR REPLACE INTO use (view, at) VALUES (?, ?)", view, now));
  }

  uses(): RepositoryRecords["uses"][] {
    return this.#read((db) => db.all<RepositoryRecords["uses"]>("SELECT view, at FROM use"), []);
  }

  close(): void {
    this.#open?.connection.close();
    this.#open = undefined;
  }

  #leaseOf({ token, pid, incarnation, ttl_ms: ttlMs, expires_at: expiresAt }: LeaseRow): LeaseRecord {
    const owner = pid === null ? undefined : { pid, incarnation: incarnation ?? "", isRemote: false };
    return { token, owner, ttlMs, expiresAt, now: this.#env.now() };
  }

  /** A damaged file holds no lease; the next `#changing` creates it again. It says nothing about the index. */
  #tolerant<T>(read: () => T, otherwise: T): T {
    try {
      return read();
    } catch (error) {
      if (isDamage(error)) return otherwise;
      throw error;
    }
  }

  /** One write transaction; a damaged file is replaced once. */
  #changing<T>(change: (db: Connection) => T): T {
    try {
      const db = this.#writer();
      return db.writing(() => change(db));
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.close();
      for (const suffix of ["", "-journal"]) rmSync(this.#directory.control + suffix, { force: true });
      const db = this.#writer();
      return db.writing(() => change(db));
    }
  }

  #writer(): Connection {
    if (this.#open?.mode !== "write" || this.#open.identity !== identityOf(this.#directory.control)) {
      this.close();
      this.#directory.create();
      const connection = openControlForWriting(this.#directory.control);
      this.#open = { connection, identity: identityOf(this.#directory.control), mode: "write" };
    }
    return this.#open.connection;
  }

  /** Reading never writes, unless a killed process left a half-done write to be rolled back. */
  #read<T>(read: (db: Connection) => T, otherwise: T): T {
    const identity = identityOf(this.#directory.control);
    if (identity === undefined) return otherwise;
    if (this.#open === undefined || this.#open.identity !== identity) {
      try {
        this.close();
        const connection = new Connection(this.#directory.control, "read");
        this.#open = { connection, identity, mode: "read" };
        connection.get("SELECT 1 FROM job");
      } catch {
        return read(this.#writer());
      }
    }
    return read(this.#open.connection);
  }
}

function readLease(db: Connection): LeaseRow | undefined {
  return db.get<LeaseRow>("SELECT token, pid, incarnation, ttl_ms, expires_at FROM lease WHERE id = 1");
}
