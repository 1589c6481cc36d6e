/** The port over one directory: hands out snapshots of the current database and lets one writer in. */

import type { FileRecord } from "../../model/code.ts";
import { CompassError } from "../../model/errors.ts";
import { inTurns } from "../../model/event-loop.ts";
import type { Job } from "../../model/jobs.ts";
import type { BeginOptions, Build } from "../../ports/build.ts";
import type { Restoring, StoreDump } from "../../ports/dump.ts";
import type { Env, Failpoint, ProcessIdentity } from "../../ports/env.ts";
import type { Lease, LeaseAnswer } from "../../ports/lease.ts";
import type { Limits } from "../../ports/limits.ts";
import type { Snapshot } from "../../ports/snapshot.ts";
import type { Finding, Forgotten, GcReport, SchemaReport, Store, StoreCaps, VerifyLevel } from "../../ports/store.ts";
import type { VersionKey, VersionKeyText } from "../../ports/versions.ts";
import { versionKeyText } from "../../ports/versions.ts";
import type { ViewInfo } from "../../ports/view.ts";
import { checkpoint } from "./build.ts";
import { Builds } from "./builds.ts";
import { Control } from "./control.ts";
import { CurrentDatabase } from "./current-database.ts";
import { Directory } from "./directory.ts";
import { dumpOf } from "./dump.ts";
import { isDamage, refusal, refusing } from "./failures.ts";
import { raiseFence } from "./fencing-token.ts";
import { collectGarbage } from "./gc.ts";
import { inspectIndex } from "./inspect.ts";
import { forgetViews } from "./remove-views.ts";
import { infoOf } from "./rows.ts";
import { snapshotOf } from "./snapshot.ts";
import type { ReadMeans } from "./source.ts";
import { verifySource } from "./verify.ts";

export interface SqliteStoreOptions extends ReadMeans {
  readonly location: string;
  readonly create: boolean;
  readonly env: Env;
  readonly failpoint: Failpoint;
}

const NOTHING_TO_DUMP: StoreDump = { views: [], files: async function* () {}, release: () => {} };

/** A view's use is noted at most this often. */
const USE_MS = 60_000;

export class SqliteStore implements Store {
  private readonly noted = new Map<string, number>();
  private readonly options: SqliteStoreOptions;
  private readonly directory: Directory;
  private readonly control: Control;
  private readonly current: CurrentDatabase;
  private readonly builds: Builds;

  constructor(options: SqliteStoreOptions) {
    this.options = options;
    this.directory = new Directory(options.location);
    this.control = new Control(this.directory, options.env);
    this.current = new CurrentDatabase(this.directory, options, () => this.control.isHeld());
    const { directory, control, current } = this;
    this.builds = new Builds({ directory, control, current, env: options.env, step: (...one) => this.step(...one) });
  }

  caps(): StoreCaps {
    return { engine: "segments", bm25: "native", sharedReaders: true, multiWriter: false };
  }

  async inspect(): Promise<SchemaReport> {
    return inspectIndex(this.current, () => this.directory.damage());
  }

  async damage(): Promise<string | undefined> {
    return refusing("reading the index", () => this.directory.damage());
  }

  async noteDamage(reason: string): Promise<void> {
    this.directory.noteDamage(reason);
  }

  async lease(owner: ProcessIdentity, ttlMs: number): Promise<LeaseAnswer> {
    return this.writing("taking the writer's lease", () =>
      this.step("lease", () => this.control.lease(owner, ttlMs, () => this.builds.fence())),
    );
  }

  async begin(lease: Lease, ref: string, mode: "update" | "reset", options: BeginOptions = {}): Promise<Build> {
    return this.writing("opening the index for writing", () => {
      this.control.require(lease);
      if (mode === "reset") return this.step("reset", () => this.builds.rebuild(lease, ref));
      return this.step("begin", () => this.builds.update(lease, ref, options));
    });
  }

  async snapshot(ref: string, limits?: Limits): Promise<Snapshot | undefined> {
    limits?.signal?.throwIfAborted();
    return refusing("reading the index", () => {
      const source = this.current.readable();
      const state = source?.state(ref);
      if (source === undefined || state === undefined) return undefined;
      source.pin(state);
      const monotonic = () => this.options.env.monotonic();
      return snapshotOf({ source, state, monotonic, onRelease: () => source.unpin(state) });
    });
  }

  async views(): Promise<readonly ViewInfo[]> {
    return refusing("reading the index", () => {
      const source = this.current.readable();
      return source?.views().map((row) => infoOf(row, source.storeId())) ?? [];
    });
  }

  async records(keys: readonly VersionKey[], limits?: Limits): Promise<ReadonlyMap<VersionKeyText, FileRecord>> {
    const found = new Map<VersionKeyText, FileRecord>();
    const source = refusing("reading the index", () => this.current.readable());
    await inTurns(source === undefined ? [] : keys, (key) => {
      limits?.signal?.throwIfAborted();
      const record = refusing("reading the index", () => source!.contents.recordOf(key));
      if (record !== undefined) found.set(versionKeyText(key), record);
    });
    return found;
  }

  async recordJob(job: Job, owner: ProcessIdentity): Promise<void> {
    this.writing("recording a job", () => this.step("job", () => this.control.record(job, owner)));
  }

  async jobs(limit: number): Promise<readonly Job[]> {
    try {
      return this.control.jobs(limit);
    } catch (error) {
      // Jobs are history; damaged history is forgotten, it must not stand in the way of the index.
      if (isDamage(error)) return [];
      throw refusal("reading the jobs", error);
    }
  }

  async used(view: string): Promise<void> {
    const now = this.options.env.now();
    if (now - (this.noted.get(view) ?? Number.NEGATIVE_INFINITY) < USE_MS) return;
    this.noted.set(view, now);
    try {
      this.control.used(view, now);
    } catch {
      // What is used is a hint for tidying up: a disk that is full or not writable must not stand in the way of an answer.
    }
  }

  async uses(): Promise<ReadonlyMap<string, number>> {
    try {
      return this.control.uses();
    } catch {
      return new Map();
    }
  }

  async sizeBytes(): Promise<number> {
    return refusing("measuring the index", () => this.directory.sizeBytes());
  }

  async verify(level: VerifyLevel): Promise<readonly Finding[]> {
    try {
      const source = this.current.reader();
      // An empty file is an index whose maker was killed before its first table: nothing is there to be wrong.
      return source && !source.isEmpty() ? verifySource(source, level) : [];
    } catch (error) {
      const { message: what } = refusal("reading the index", error);
      return [{ what, where: "database", ...(isDamage(error) && { damage: true }) }];
    }
  }

  async gc(lease: Lease): Promise<GcReport> {
    return this.writing("collecting garbage", () => {
      this.control.require(lease);
      const before = this.directory.sizeBytes();
      const db = this.current.writable(this.options.env.uniqueWord());
      const pinned = this.current.reader()?.oldestPins() ?? new Map();
      const collect = () => {
        raiseFence(db, lease);
        return collectGarbage(db, { now: this.options.env.now(), pinned });
      };
      const report = this.step("gc", () => db.writing(collect));
      this.step("vacuum", () => db.exec("PRAGMA incremental_vacuum"));
      this.step("checkpoint", () => checkpoint(db, "always"));
      this.current.sweep();
      return { ...report, bytesFreed: Math.max(0, before - this.directory.sizeBytes()) };
    });
  }

  async dump(): Promise<StoreDump> {
    return refusing("reading the index", () => {
      const source = this.current.apart();
      return source === undefined ? NOTHING_TO_DUMP : dumpOf(source);
    });
  }

  async restore(lease: Lease): Promise<Restoring> {
    return this.writing("opening the index for writing", () => {
      this.control.require(lease);
      const { begin, swap, discard } = this.step("restore", () => this.builds.restore(lease));
      return {
        begin: async (ref, options = {}) => begin(ref, options),
        commit: async () => this.writing("replacing the index", swap),
        abort: async () => this.writing("discarding an import", discard),
      };
    });
  }

  async forget(lease: Lease, refs: readonly string[]): Promise<readonly Forgotten[]> {
    return this.writing("forgetting views", () => {
      this.control.require(lease);
      const pinned = this.current.reader()?.oldestPins() ?? new Map();
      const db = this.current.writable(this.options.env.uniqueWord());
      const forget = () => {
        raiseFence(db, lease);
        return forgetViews(db, refs, pinned);
      };
      return this.step("forget", () => db.writing(forget));
    });
  }

  rest(): void {
    this.current.rest();
  }

  async close(): Promise<void> {
    this.current.close();
    this.control.close();
  }

  private writing<T>(doing: string, write: () => T): T {
    return refusing(
      doing,
      () => {
        if (!this.options.create)
          throw new CompassError("internal_error", { reason: "the index was opened for reading only" });
        return write();
      },
      this.directory.path,
    );
  }

  private step<T>(name: string, run: () => T): T {
    this.options.failpoint(`${name}:before`);
    const result = run();
    this.options.failpoint(`${name}:after`);
    return result;
  }
}
