/**
 * What this process knows of one registered tree: its open store, the running job, and what the watcher reported.
 * Nothing here answers a question; `reading.ts` does.
 */
import { CompassError } from "../model/errors.ts";
import type { Generation, JobId } from "../model/ids.ts";
import type { Job, JobMode } from "../model/jobs.ts";
import type { Watch } from "../ports/files.ts";
import type { WorkspaceRow } from "../ports/registry.ts";
import type { Snapshot, Store, ViewInfo } from "../ports/store.ts";
import { changedPaths, type Drift, driftOf } from "./freshness.ts";
import { type JobRun, runJob } from "./jobs.ts";
import type { CompassOptions, CompassPorts } from "./ports.ts";
import { type CheckedOut, checkedOut } from "./refs.ts";

/** A watcher's report of more paths than this is cheaper to answer with a walk. */
const MANY_PATHS = 2_000;

type Dirty = Set<string> | "everything";

export interface StartOptions {
  readonly mode: JobMode;
  readonly force: boolean;
  readonly ref?: string;
  readonly paths?: readonly string[];
}

export class Tree {
  readonly row: WorkspaceRow;
  readonly #ports: CompassPorts;
  readonly #options: CompassOptions;
  #store: Promise<Store> | undefined;
  #run: JobRun | undefined;
  #watch: Promise<Watch | undefined> | undefined;
  #watching: Watch["mode"] | "off" = "off";
  /** Paths reported since the last sync; `everything` until the watcher has been seen to agree with the view. */
  #dirty: Dirty = "everything";
  #warning: string | undefined;
  #compared: Generation | undefined;
  /** The state that was judged last. */
  #shown: Pick<ViewInfo, "ref" | "generation"> | undefined;
  /** The stamps on disk, asked for before they were needed. */
  #surveyed: Promise<ReadonlyMap<string, string>> | undefined;
  /** A comparison under way, and what the watcher reports meanwhile. */
  #comparison: { readonly done: Promise<void>; missed: Dirty } | undefined;
  #closed = false;

  constructor(row: WorkspaceRow, ports: CompassPorts, options: CompassOptions) {
    this.row = row;
    this.#ports = ports;
    this.#options = options;
  }

  get watching(): Watch["mode"] | "off" {
    return this.#watching;
  }

  get warnings(): readonly string[] {
    return this.#warning === undefined ? [] : [this.#warning];
  }

  activeRun(): JobRun | undefined {
    return this.#run;
  }

  checkedOut(): Promise<CheckedOut> {
    return checkedOut(this.row.root, this.#ports.vcs);
  }

  store(): Promise<Store> {
    this.#store ??= this.#ports.stores
      .open(this.row.storeLocation, { create: false, project: this.row.id })
      .catch((error: unknown) => {
        this.#store = undefined;
        throw error;
      });
    return this.#store;
  }

  /** A job of this process or of another one that writes to the same store. */
  async activeJob(): Promise<Job | undefined> {
    if (this.#run !== undefined) return this.#run.job();
    const [newest] = await (await this.store()).jobs(1);
    return newest?.status === "running" ? newest : undefined;
  }

  /** Starts a job and returns once it holds the writer's lease; refuses when one is running. */
  async start(options: StartOptions): Promise<JobRun> {
    const now = await this.checkedOut();
    const ref = options.ref ?? now.ref;
    if (this.#run !== undefined) throw refusal(options.mode, ref, this.#run.job());
    if (ref !== now.ref) throw new CompassError("ref_not_indexed", { ref, checked_out: now.ref });
    const taken = this.#takeDirty(options.paths);
    const run = runJob(
      {
        jobId: this.#ports.env.uniqueWord() as JobId,
        project: this.row.id,
        root: this.row.root,
        storeLocation: this.row.storeLocation,
        ref,
        ...(now.commit !== undefined && { commit: now.commit }),
        mode: options.mode,
        force: options.force,
        ...(options.paths !== undefined && { paths: options.paths }),
        settings: this.#options.indexing,
      },
      this.#ports.indexer,
      () => this.#ports.env.now(),
    );
    this.#run = run;
    void run.finished.then((job) => this.#settle(job, taken));
    await run.started;
    return run;
  }

  /** What differs between the checked-out view and the disk; undefined when nothing does. */
  async drift(snapshot: Snapshot, now: CheckedOut): Promise<Drift | undefined> {
    const compared = this.#compared;
    this.#compared = undefined;
    if (compared === snapshot.info.generation) return driftOf(snapshot, now, []);
    if (this.#watching === "off") return driftOf(snapshot, now, await this.#scan(snapshot));
    this.#noticeStepBack(snapshot);
    if (this.#dirty === "everything") await this.#compare(snapshot);
    // Still everything: the tree changes faster than it can be compared, so this answer looks for itself.
    const paths = this.#dirty === "everything" ? await this.#scan(snapshot) : [...this.#dirty].sort();
    return driftOf(snapshot, now, paths);
  }

  /** Whether the next `drift` has to look at the disk. */
  mustLook(): boolean {
    return this.#compared === undefined && (this.#watching === "off" || this.#dirty === "everything");
  }

  /** Starts looking at the disk while the caller opens the view, when `drift` is going to need it. */
  lookAhead(expectedFiles: number): void {
    this.#surveyed ??= this.#survey(expectedFiles);
    this.#surveyed.catch(() => {});
  }

  /** A command that has just compared this state with the disk need not walk the tree again for its next question. */
  trust(generation: Generation): void {
    this.#compared = generation;
  }

  /** Syncs what drifted, in the background; does nothing while a job runs. */
  syncSoon(drift: Drift): void {
    if (this.#run !== undefined || this.#closed) return;
    const paths = drift.paths.length > 0 && drift.paths.length <= MANY_PATHS ? { paths: drift.paths } : {};
    this.start({ mode: "incremental", force: false, ...paths }).catch((error: unknown) => this.#note(error));
  }

  /** Starts watching once; a tree that cannot be watched is checked at every read. */
  watch(): void {
    if (this.#watch !== undefined || this.#ports.watcher === undefined || this.#closed) return;
    this.#watch = this.#ports.watcher
      .watch(this.row.root, {
        onChange: (paths) => this.#changed(paths),
        onDegraded: (reason) => {
          this.#watching = "polling";
          this.#warning = `watching by polling: ${reason}`;
        },
      })
      .then((watch) => {
        this.#watching = watch.mode;
        // What happened before the first event is only known by looking.
        this.#changed("everything");
        return watch;
      })
      .catch((error: unknown) => {
        this.#warning = `not watched: ${messageOf(error)}`;
        return undefined;
      });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#run?.cancel();
    await this.#run?.finished;
    const watch = await this.#watch;
    await watch?.close();
    const store = await this.#store?.catch(() => undefined);
    await store?.close();
  }

  /** An index that was deleted, or lost its log, shows less than the watcher's reports have led to. */
  #noticeStepBack({ info }: Snapshot): void {
    if (this.#shown?.ref === info.ref && info.generation < this.#shown.generation) this.#dirty = "everything";
    this.#shown = { ref: info.ref, generation: info.generation };
  }

  async #scan(snapshot: Snapshot): Promise<string[]> {
    const survey = this.#surveyed ?? this.#survey(snapshot.info.fileCount);
    this.#surveyed = undefined;
    return changedPaths(snapshot, this.row.id, await survey);
  }

  #survey(expectedFiles: number): Promise<ReadonlyMap<string, string>> {
    const { hidden, ignoreFiles } = this.#options.indexing;
    const memory = this.row.storeLocation;
    return this.#ports.files.survey(this.row.root, { hidden, ignoreFiles, expectedFiles, memory });
  }

  /** Replaces "everything" by what really differs; an event that comes meanwhile is not lost. */
  #compare(snapshot: Snapshot): Promise<void> {
    if (this.#comparison !== undefined) return this.#comparison.done;
    const compare = async () => {
      try {
        const found = await this.#scan(snapshot);
        this.#dirty = union(new Set(found), this.#comparison!.missed);
      } finally {
        this.#comparison = undefined;
      }
    };
    // The scan starts with an await, so the field is set before anything can be missed.
    this.#comparison = { done: compare(), missed: new Set() };
    return this.#comparison.done;
  }

  #changed(paths: readonly string[] | "everything"): void {
    // A survey that began before may have passed these paths already.
    this.#surveyed = undefined;
    if (this.#comparison !== undefined) this.#comparison.missed = union(this.#comparison.missed, paths);
    this.#dirty = union(this.#dirty, paths);
    this.#follow();
  }

  /** Brings an indexed view up to date with what the watcher reported. */
  #follow(): void {
    if (this.#run !== undefined || this.#closed) return;
    if (this.#dirty !== "everything" && this.#dirty.size === 0) return;
    this.#syncReported().catch((error: unknown) => this.#note(error));
  }

  async #syncReported(): Promise<void> {
    const now = await this.checkedOut();
    const snapshot = await (await this.store()).snapshot(now.ref);
    if (snapshot === undefined) return;
    try {
      const drift = await this.drift(snapshot, now);
      if (drift !== undefined) this.syncSoon(drift);
    } finally {
      snapshot.release();
    }
  }

  /** Takes the reports that a job will answer off the list; they come back when it fails. */
  #takeDirty(paths: readonly string[] | undefined): Dirty {
    const before = this.#dirty;
    if (paths === undefined) {
      this.#dirty = new Set();
      return before;
    }
    if (before !== "everything") for (const path of paths) before.delete(path);
    return new Set(paths);
  }

  #settle(job: Job, taken: Dirty): void {
    this.#run = undefined;
    if (job.status === "published") this.#follow();
    else this.#dirty = union(this.#dirty, taken);
  }

  #note(error: unknown): void {
    if (error instanceof CompassError && /_in_progress$/.test(error.code)) return;
    this.#warning = `background sync failed: ${messageOf(error)}`;
  }
}

function union(dirty: Dirty, more: Iterable<string> | "everything"): Dirty {
  if (dirty === "everything" || more === "everything") return "everything";
  for (const path of more) dirty.add(path);
  return dirty.size > MANY_PATHS ? "everything" : dirty;
}

function refusal(mode: JobMode, ref: string, running: Job): CompassError {
  const code = mode === "full" ? "index_in_progress" : "sync_in_progress";
  return new CompassError(code, { ref, job_id: running.id });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
