/**
 * What this process knows of one registered tree: its open store, its refs, the running job, and whether its files
 * changed. Nothing here answers a question; `reading.ts` does.
 */
import { extractorId, withoutTextOnly } from "../../ingest/extractor.ts";
import { CompassError } from "../../model/errors.ts";
import type { ProjectId } from "../../model/ids.ts";
import type { Job, JobMode } from "../../model/jobs.ts";
import { OUTSIDE_RULES } from "../../model/paths.ts";
import type { Watch } from "../../ports/files.ts";
import type { WorkspaceRow } from "../../ports/registry.ts";
import type { Snapshot } from "../../ports/snapshot.ts";
import type { Store } from "../../ports/store.ts";
import type { RepositoryInfo } from "../../ports/vcs.ts";
import type { Drift } from "../freshness/drift.ts";
import { type Dirty, HEAD_PATH, TreeFollower } from "../freshness/tree-follower.ts";
import { MANY_PATHS } from "../freshness/tree-scan.ts";
import { buildIndexRequest, type StartOptions } from "../jobs/index-request.ts";
import { type JobRun, queuedJob, runJob } from "../jobs/job-run.ts";
import { RefQueue } from "../jobs/ref-queue.ts";
import type { CompassOptions, CompassPorts } from "../ports.ts";
import { type Expected, expectedRefs } from "../refs/expected-refs.ts";
import { type CheckedOut, checkedOut, type ResolvedRef, resolveRef } from "../refs/resolve-ref.ts";
import { SourceLayers } from "../refs/source-layers.ts";
import { idsProject } from "./resolve-workspace.ts";

const WAIT_MS = 15;
/** A lock that somebody left behind must not keep the view from following. */
const MOST_WAIT_MS = 1_000;

export class Tree {
  readonly row: WorkspaceRow;
  readonly layers: SourceLayers;
  /** Whether callers can make nothing be indexed. */
  readonly readsOnly: boolean = false;
  readonly #ports: CompassPorts;
  readonly #options: CompassOptions;
  readonly #following: TreeFollower;
  #repository: Promise<RepositoryInfo | undefined> | undefined;
  #store: Promise<Store> | undefined;
  #run: { readonly job: JobRun; readonly view: string } | undefined;
  #warning: string | undefined;
  #failure: string | undefined;
  readonly #queue = new RefQueue();
  /** Views whose whole tree a job of this process has walked. */
  readonly #walked = new Set<string>();
  #closed = false;

  constructor(row: WorkspaceRow, ports: CompassPorts, options: CompassOptions) {
    this.row = row;
    this.#ports = ports;
    this.#options = options;
    const events = { onReport: () => this.#follow(), onWatched: () => void this.#rehearse() };
    this.#following = new TreeFollower(row, ports, options, events);
    this.layers = new SourceLayers(row.root, ports);
  }

  get watching(): Watch["mode"] | "off" {
    return this.#following.mode;
  }

  async warnings(): Promise<readonly string[]> {
    const own = [this.#following.warning, this.#warning].filter((warning) => warning !== undefined);
    return [...own, ...(await this.problems())];
  }

  /** What of the tree's configuration cannot be read. */
  protected problems(): Promise<readonly string[]> {
    return this.#following.problems();
  }

  /** Why the store could not be written to, a full disk say, until a later job succeeds. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** The job of this process, of any ref or of one view. */
  activeRun(view?: string): JobRun | undefined {
    return view === undefined || this.#run?.view === view ? this.#run?.job : undefined;
  }

  /** Jobs that somebody asked for and that wait for another, in the order they will run. */
  get queued(): readonly Job[] {
    return this.#queue.jobs;
  }

  repository(): Promise<RepositoryInfo | undefined> {
    this.#repository ??= this.#ports.vcs.repository(this.row.root);
    return this.#repository;
  }

  /** Whose symbols they are: worktrees of one repository give the same ids. */
  async idsProject(): Promise<ProjectId> {
    const kept = await (await this.store()).idsProject?.();
    return kept ?? idsProject(this.row, await this.repository(), this.#ports.hash);
  }

  async checkedOut(): Promise<CheckedOut> {
    return checkedOut({ ...this.row, repository: await this.repository() }, this.#ports.vcs);
  }

  /** What a caller's word for a ref means; throws `ref_not_indexed`. */
  async wanted(ref?: string): Promise<ResolvedRef> {
    return resolveRef({ ...this.row, repository: await this.repository() }, ref, this.#ports.vcs);
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
    if (this.#run !== undefined) return this.#run.job.job();
    const [newest] = await (await this.store()).jobs(1);
    return newest?.status === "running" ? newest : undefined;
  }

  /** Starts a job and returns once it holds the writer's lease; refuses when one of that ref, or of everything, runs. */
  async start(options: StartOptions): Promise<JobRun> {
    const run = await this.#launch(options);
    await run.started;
    return run;
  }

  async #launch(options: StartOptions): Promise<JobRun> {
    const wanted = await this.wanted(options.ref);
    this.#following.noticeRules();
    const paths = options.paths ?? (await this.#touched(wanted, options));
    const request = await buildIndexRequest(this, { wanted, options, paths }, this.#ports.env, this.#options.indexing);
    // Nothing may be awaited between the last look and the start: another call could come between.
    if (options.onQueued !== undefined) this.#queue.requireAbsent(wanted);
    for (let other = this.#otherRun(options.mode, wanted); other; other = this.#otherRun(options.mode, wanted))
      await this.#queue.after(other, { view: wanted.view, job: queuedJob(request, this.#ports.env.now()), options });
    if (this.#closed) throw new CompassError("index_not_ready", { workspace: this.row.root });
    const taken = wanted.from === "directory" ? this.#following.take(paths) : undefined;
    const run = runJob(request, this.#ports.indexer, () => this.#ports.env.now());
    this.#run = { job: run, view: wanted.view };
    void run.finished.then((job) => {
      if (job.status === "published" && paths === undefined) this.#walked.add(wanted.view);
      // A first index was made elsewhere: the next run is a small one, and here.
      if (job.status === "published" && options.mode === "full" && this.watching !== "off") void this.#rehearse();
      if (job.status === "published" && wanted.from === "commit") void this.#expect([wanted]).catch(() => {});
      this.#settle(job, taken);
    });
    return run;
  }

  /**
   * Who watches will index before long: a first checkout took 150 ms longer with nothing there to do it. Where there is
   * nothing to check out, the thread's 30 MB are better spent on answers.
   */
  async #rehearse(): Promise<void> {
    const { id: tree, root, storeLocation } = this.row;
    try {
      const [project, { view: ref, commit }] = [await this.idsProject(), await this.checkedOut()];
      const { indexing: settings } = this.#options;
      if (this.#closed || commit === undefined) return;
      this.#ports.indexer.warm?.({ project, tree, root, storeLocation, ref, settings });
      await this.#usingSnapshot(ref, (snapshot) => this.#following.rehearse(snapshot));
      await this.#expect(await expectedRefs(await this.store()));
    } catch {
      // A store that cannot be opened is told of by the first question.
    }
  }

  /** Refs that are indexed may be checked out: what the first answers after that wait for, git is asked now. */
  async #expect(refs: readonly Expected[]): Promise<void> {
    const { commit: from } = await this.checkedOut();
    for (const { ref, commit } of refs) {
      if (this.#closed || this.watching === "off" || from === undefined || commit === undefined) return;
      await this.#following.expect(from, commit);
      await this.layers.prepare({ ref, commit });
    }
  }

  /** What differs between the view and the disk; undefined when nothing does. */
  drift(snapshot: Snapshot, now: CheckedOut, by?: "look"): Promise<Drift | undefined> {
    return this.#following.drift(snapshot, now, by ?? (this.activeRun(now.view) && "job"));
  }

  /** Whether objects that the view lacked may have been fetched since it was published. */
  async isBehindFetch({ info }: Snapshot): Promise<boolean> {
    if (!info.coverage.skippedReasons.unreadable) return false;
    return (await this.#ports.vcs.gainedSince?.(this.row.root, info.publishedAt)) === true;
  }

  /** Whether a job would read the same files otherwise today: one view's files were all read the same way. */
  async isOutdated(snapshot: Snapshot): Promise<boolean> {
    const extractor = await snapshot.extractor();
    return extractor !== undefined && withoutTextOnly(extractor) !== extractorId(this.#options.indexing);
  }

  trust(stateId: string): void {
    this.#following.trust(stateId);
  }

  /**
   * Syncs what drifted, in the background; does nothing while a job runs. Resolves when the job is on its way, or has
   * to wait for git: an answer that is made meanwhile must not keep it from starting.
   */
  syncSoon(drift: Drift, ref?: string): Promise<void> {
    if (this.#run !== undefined || this.#closed) return Promise.resolve();
    return new Promise((onWay) => {
      const started = this.#startSoon(drift, ref, onWay).catch((error: unknown) => this.#note(error));
      void started.then(onWay);
    });
  }

  async #startSoon(drift: Drift, ref: string | undefined, onWay: () => void): Promise<void> {
    const { paths, rules, currentHead } = drift;
    const drifted = rules ? [...paths, OUTSIDE_RULES] : paths;
    if (ref === undefined && (await this.#waitedForGit(onWay))) return this.#syncReported();
    // Git moves HEAD last. A run that began with the first reports would be followed by one for all the others.
    if (ref === undefined && (await this.checkedOut()).commit !== currentHead) return this.#syncReported();
    // Nothing but HEAD moved: the run need not look at any file.
    const scope = drifted.length > MANY_PATHS ? {} : { paths: drifted.length > 0 ? drifted : [HEAD_PATH] };
    const run = await this.#launch({ mode: "incremental", force: false, ...scope, ...(ref !== undefined && { ref }) });
    onWay();
    await run.started;
  }

  /**
   * A checkout is waited for: half of it is no branch's tree, and the run that follows would come twice. True: what
   * drifted has to be looked at again.
   */
  async #waitedForGit(onWait: () => void): Promise<boolean> {
    const { vcs, env } = this.#ports;
    let waited = 0;
    for (; waited < MOST_WAIT_MS && !this.#closed && (await vcs.isWriting(this.row.root)); waited += WAIT_MS) {
      onWait();
      await env.sleep(WAIT_MS);
    }
    return waited > 0 && waited < MOST_WAIT_MS;
  }

  watch(): void {
    this.#following.watch();
  }

  /** Nobody has asked for a while. */
  async rest(): Promise<void> {
    (await this.#store)?.rest?.();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#run?.job.cancel();
    await this.#run?.job.finished;
    await this.#following.close();
    const store = await this.#store?.catch(() => undefined);
    await store?.close();
  }

  /** One job at a time: a sync waits for that of another ref; the same ref, and an index of everything, are refused. */
  #otherRun(mode: JobMode, { view, ref }: ResolvedRef): JobRun | undefined {
    if (this.#run === undefined) return undefined;
    const running = this.#run.job.job();
    if (this.#run.view !== view && mode !== "full") return this.#run.job;
    const code = mode === "full" ? "index_in_progress" : "sync_in_progress";
    throw new CompassError(code, { ref, job_id: running.id });
  }

  /**
   * What a sync has to look at, where listing and judging every entry again would show nothing new: this process has
   * walked the whole tree once, under the settings that it has.
   */
  async #touched(wanted: ResolvedRef, { mode, force }: StartOptions): Promise<readonly string[] | undefined> {
    if (mode !== "incremental" || force || wanted.from !== "directory") return undefined;
    if (this.#following.mode !== "native" || !this.#walked.has(wanted.view)) return undefined;
    return this.#usingSnapshot(wanted.view, (snapshot) => this.#following.look(snapshot));
  }

  /** Brings an indexed view up to date with what was reported. */
  #follow(): void {
    if (this.#run !== undefined || this.#closed || !this.#following.isDirty) return;
    this.#syncReported().catch((error: unknown) => this.#note(error));
  }

  async #syncReported(): Promise<void> {
    const now = await this.checkedOut();
    // A bare clone has no files to follow: compared with the disk, all of them are missing, run after run.
    if (now.from !== "directory") return;
    await this.#usingSnapshot(now.view, async (snapshot) => {
      const drift = await this.drift(snapshot, now);
      if (drift !== undefined) await this.syncSoon(drift);
    });
  }

  async #usingSnapshot<T>(view: string, use: (snapshot: Snapshot) => Promise<T>): Promise<T | undefined> {
    const snapshot = await (await this.store()).snapshot(view);
    if (snapshot === undefined) return undefined;
    try {
      return await use(snapshot);
    } finally {
      snapshot.release();
    }
  }

  #settle(job: Job, taken: Dirty | undefined): void {
    this.#run = undefined;
    if (job.status === "published") {
      this.#warning = undefined;
      this.#failure = undefined;
    }
    // A store that fails, on a full disk say, concerns every answer that is behind for it.
    if (job.error === "internal_error") {
      this.#note(job.errorMessage);
      this.#failure = [job.errorMessage, job.errorSuggestion].filter((part) => part !== undefined).join(" ");
    }
    if (job.status !== "published" && taken !== undefined) this.#following.giveBack(taken);
    else this.#follow();
  }

  /** Why the view stays behind the tree, for the answers until a sync succeeds. */
  #note(error: unknown): void {
    if (error instanceof CompassError && /_in_progress$/.test(error.code)) return;
    this.#warning = `The last sync failed: ${error instanceof Error ? error.message : String(error)}`;
  }
}
