/** The port over one directory: follows the current database file, hands out snapshots, and lets one writer in. */
import { CompassError } from "../../model/errors.ts";
import type { Job } from "../../model/jobs.ts";
import type { Env, Failpoint, ProcessIdentity } from "../../ports/env.ts";
import type {
  Build,
  Finding,
  GcReport,
  Lease,
  LeaseAnswer,
  Limits,
  SchemaReport,
  Snapshot,
  Store,
  StoreCaps,
  ViewInfo,
} from "../../ports/store.ts";
import { CorruptionError } from "../../segment/corruption.ts";
import { buildOf, checkpoint, fenceOf, raiseFence } from "./build.ts";
import { type Connection, openIndexForWriting } from "./connection.ts";
import { Control } from "./control.ts";
import { Directory, identityOf } from "./directory.ts";
import { damaged, isDamage, refusal, refusing } from "./failures.ts";
import { collectGarbage } from "./gc.ts";
import { infoOf } from "./rows.ts";
import { SCHEMA_VERSION } from "./schema.ts";
import { snapshotOf } from "./snapshot.ts";
import { Source, schemaMessage } from "./source.ts";
import { verifySource } from "./verify.ts";
import type { ViewState } from "./view-state.ts";

export interface SqliteStoreOptions {
  readonly location: string;
  readonly create: boolean;
  readonly env: Env;
  readonly failpoint: Failpoint;
}

/** Resets that a reader follows in one question before it takes what it got. */
const MOST_TURNS = 5;

export class SqliteStore implements Store {
  private readonly directory: Directory;
  private readonly control: Control;
  private readonly options: SqliteStoreOptions;
  private readonly pins = new Map<ViewState, number>();
  private source: Source | undefined;
  private writer: { readonly db: Connection; readonly identity: string | undefined } | undefined;

  constructor(options: SqliteStoreOptions) {
    this.options = options;
    this.directory = new Directory(options.location);
    this.control = new Control(this.directory, options.env);
  }

  caps(): StoreCaps {
    return { engine: "segments", bm25: "native", sharedReaders: true, multiWriter: false };
  }

  async inspect(): Promise<SchemaReport> {
    const report = (status: SchemaReport["status"], currentVersion: number, message?: string): SchemaReport => ({
      status,
      currentVersion,
      requiredVersion: SCHEMA_VERSION,
      ...(message !== undefined && { message }),
    });
    try {
      const source = this.reader();
      if (source === undefined || source.isEmpty()) return report("not_indexed", 0);
      const version = source.schemaVersion();
      if (version !== SCHEMA_VERSION)
        return report("reindex_required", version, `The index cannot be used: ${schemaMessage(version)}.`);
      const views = source.views().map(infoOf);
      const [newest] = views.sort((a, b) => b.publishedAt - a.publishedAt);
      if (newest === undefined) return report("not_indexed", version);
      source.state(newest.ref);
      return report("compatible", version);
    } catch (error) {
      return report("corrupt_manifest", 0, refusal("reading the index", error).message);
    }
  }

  async lease(owner: ProcessIdentity, ttlMs: number): Promise<LeaseAnswer> {
    return refusing("taking the writer's lease", () => {
      this.requireWritable();
      return this.step("lease", () => this.control.lease(owner, ttlMs, () => this.fence()));
    });
  }

  async begin(lease: Lease, ref: string, mode: "update" | "reset"): Promise<Build> {
    return refusing("opening the index for writing", () => {
      this.requireWritable();
      this.control.require(lease);
      return this.step(mode === "reset" ? "reset" : "begin", () =>
        mode === "reset" ? this.rebuild(lease, ref) : this.update(lease, ref),
      );
    });
  }

  async snapshot(ref: string, limits?: Limits): Promise<Snapshot | undefined> {
    limits?.signal?.throwIfAborted();
    return refusing("reading the index", () => {
      const source = this.readable();
      const state = source?.state(ref);
      if (source === undefined || state === undefined) return undefined;
      source.pin();
      this.pins.set(state, (this.pins.get(state) ?? 0) + 1);
      return snapshotOf({
        source,
        state,
        monotonic: () => this.options.env.monotonic(),
        onRelease: () => this.letGo(source, state),
      });
    });
  }

  async views(): Promise<readonly ViewInfo[]> {
    return refusing("reading the index", () => this.readable()?.views().map(infoOf) ?? []);
  }

  async recordJob(job: Job, owner: ProcessIdentity): Promise<void> {
    refusing("recording a job", () => {
      this.requireWritable();
      this.step("job", () => this.control.record(job, owner));
    });
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

  async sizeBytes(): Promise<number> {
    return refusing("measuring the index", () => this.directory.sizeBytes());
  }

  async verify(level: "quick" | "full"): Promise<readonly Finding[]> {
    try {
      const source = this.reader();
      // An empty file is an index whose maker was killed before its first table: nothing is there to be wrong.
      return source && !source.isEmpty() ? verifySource(source, level) : [];
    } catch (error) {
      return [{ what: refusal("reading the index", error).message, where: "database" }];
    }
  }

  async gc(lease: Lease): Promise<GcReport> {
    return refusing("collecting garbage", () => {
      this.requireWritable();
      this.control.require(lease);
      const before = this.directory.sizeBytes();
      const db = this.writable();
      const pinned = this.oldestPins();
      const report = this.step("gc", () =>
        db.writing(() => {
          raiseFence(db, lease);
          return collectGarbage(db, { now: this.options.env.now(), pinned });
        }),
      );
      this.step("vacuum", () => db.exec("PRAGMA incremental_vacuum"));
      this.step("checkpoint", () => checkpoint(db, "always"));
      this.directory.sweep();
      return { ...report, bytesFreed: Math.max(0, before - this.directory.sizeBytes()) };
    });
  }

  async close(): Promise<void> {
    this.source?.retire();
    this.source = undefined;
    this.closeWriter();
    this.control.close();
  }

  private update(lease: Lease, ref: string): Build {
    const db = this.writable();
    if (db.get("SELECT 1 FROM meta WHERE key = 'schema_version' AND value = ?", String(SCHEMA_VERSION)) === undefined) {
      throw damaged("it was made by another release");
    }
    db.writing(() => raiseFence(db, lease));
    this.directory.sweep();
    const identity = this.writer?.identity;
    return this.build(db, lease, ref, {
      after: 0,
      // A holder that lost its lease while it published must not report a state that nobody can see.
      onPublished: () => {
        if (identityOf(this.directory.current()) !== identity) throw new CompassError("index_in_progress");
      },
      onAbort: () => {},
    });
  }

  /** Builds a new database beside the old one, which stays readable until the new one is published. */
  private rebuild(lease: Lease, ref: string): Build {
    const after = this.lastGeneration(ref);
    this.closeWriter();
    this.directory.create();
    this.sweepRebuilds();
    const path = this.directory.beside(`${lease.token}-${this.options.env.uniqueWord()}`);
    const db = openIndexForWriting(path, this.options.env.uniqueWord());
    db.writing(() => raiseFence(db, lease));
    let swapped = false;
    return this.build(db, lease, ref, {
      after,
      onPublished: () => {
        this.control.require(lease);
        checkpoint(db, "always");
        this.step("swap", () => this.directory.pointTo(path));
        swapped = true;
        this.closeWriter();
        this.writer = { db, identity: identityOf(path) };
        this.directory.sweep();
      },
      onAbort: () => {
        if (swapped) return;
        db.close();
        this.sweepRebuilds();
      },
    });
  }

  private build(
    db: Connection,
    lease: Lease,
    ref: string,
    rest: { readonly after: number; readonly onPublished: () => void; readonly onAbort: () => void },
  ): Build {
    return buildOf({
      db,
      ref,
      lease,
      now: () => this.options.env.now(),
      step: (name, run) => this.step(name, run),
      requireLease: () => this.control.require(lease),
      ...rest,
    });
  }

  /** The current database for reading; undefined when there is none. Notices another or a deleted file. */
  private reader(): Source | undefined {
    for (let attempt = 1; ; attempt++) {
      const path = this.directory.current();
      const identity = identityOf(path);
      if (this.source !== undefined && this.source.identity === identity) return this.source;
      this.source?.retire();
      this.source = undefined;
      const opened = identity === undefined ? { source: undefined } : openSource(path, identity);
      // A reset may turn the pointer while we look; what we then opened may lack its log.
      const turned = this.directory.current() !== path || identityOf(path) !== identity;
      if (!turned || attempt === MOST_TURNS) {
        if ("error" in opened) throw opened.error;
        this.source = opened.source;
        return this.source;
      }
      if ("source" in opened) opened.source?.retire();
    }
  }

  /** As `reader`, refusing what this release cannot read. An empty file is an index that is being made. */
  private readable(): Source | undefined {
    const source = this.reader();
    if (source === undefined || source.isEmpty()) return undefined;
    source.requireSchema();
    return source;
  }

  private writable(): Connection {
    const path = this.directory.current();
    if (this.writer === undefined || this.writer.identity !== identityOf(path)) {
      this.closeWriter();
      this.directory.create();
      const db = openIndexForWriting(path, this.options.env.uniqueWord());
      this.writer = { db, identity: identityOf(path) };
    }
    return this.writer.db;
  }

  private closeWriter(): void {
    this.writer?.db.close();
    this.writer = undefined;
  }

  private requireWritable(): void {
    if (!this.options.create)
      throw new CompassError("internal_error", { reason: "the index was opened for reading only" });
  }

  /** Best effort: a damaged index has no fence, and its replacement starts anew. */
  private fence(): number {
    try {
      return this.reader() ? fenceOf(this.source!.db) : 0;
    } catch {
      return 0;
    }
  }

  private lastGeneration(ref: string): number {
    try {
      return this.readable()?.state(ref)?.info.generation ?? 0;
    } catch {
      return 0;
    }
  }

  /** A damaged pointer leaves nothing to keep: then every database goes with the next sweep after the swap. */
  private sweepRebuilds(): void {
    try {
      this.directory.sweep();
    } catch (error) {
      if (!(error instanceof CorruptionError)) throw error;
    }
  }

  private letGo(source: Source, state: ViewState): void {
    const left = (this.pins.get(state) ?? 1) - 1;
    if (left === 0) this.pins.delete(state);
    else this.pins.set(state, left);
    source.unpin();
  }

  private oldestPins(): ReadonlyMap<number, number> {
    const oldest = new Map<number, number>();
    for (const { view, info } of this.pins.keys())
      oldest.set(view, Math.min(oldest.get(view) ?? Number.POSITIVE_INFINITY, info.generation));
    return oldest;
  }

  private step<T>(name: string, run: () => T): T {
    this.options.failpoint(`${name}:before`);
    const result = run();
    this.options.failpoint(`${name}:after`);
    return result;
  }
}

/** Opens and reads once, so that the log is open too. */
function openSource(path: string, identity: string): { readonly source: Source } | { readonly error: unknown } {
  try {
    const source = new Source(path, identity);
    source.touch();
    return { source };
  } catch (error) {
    return { error };
  }
}
