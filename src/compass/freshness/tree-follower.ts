/**
 * Keeps a tree's view up to date: owns the watcher, the timers and the running job. What to do when is decided by
 * `freshness-state.ts`; this class reports events to it and runs its effects.
 */
import { CompassError, errorMessage } from "../../model/errors.ts";
import type { Job, JobMode } from "../../model/jobs.ts";
import { OUTSIDE_RULES } from "../../model/paths.ts";
import type { Watch } from "../../ports/files.ts";
import type { Snapshot } from "../../ports/snapshot.ts";
import { buildIndexRequest, type StartOptions } from "../jobs/index-request.ts";
import { type JobRun, queuedJob, RefQueue, runJob } from "../jobs/job-run.ts";
import type { CompassOptions, CompassPorts } from "../ports.ts";
import type { Tree } from "../projects/tree.ts";
import { expectedRefs } from "../refs/ref-list.ts";
import type { ResolvedRef } from "../refs/resolve-ref.ts";
import { DiskComparison } from "./disk-comparison.ts";
import type { Drift } from "./drift.ts";
import {
  type FreshnessEffect,
  type FreshnessEvent,
  type FreshnessState,
  hasOtherRules,
  isWatched,
  MANY_PATHS,
  needsSync,
  reduceFreshness,
  UNKNOWN,
  union,
} from "./freshness-state.ts";
import { HEAD_PATH, WorkTreeDrift } from "./work-tree-drift.ts";

/** A server's first answers go before what prepares the next job. */
const FIRST_ANSWERS_MS = 2_000;
const GIT_POLL_MS = 15;
/** A lock file that was left behind must not keep the view from following. */
const GIT_WAIT_MS = 1_000;

export class TreeFollower {
  readonly #tree: Tree;
  readonly #ports: CompassPorts;
  readonly #options: CompassOptions;
  readonly #disk: DiskComparison;
  readonly #drift: WorkTreeDrift;
  readonly #queue = new RefQueue();
  /** The state of the view that each drift was found in. */
  readonly #foundIn = new WeakMap<Drift, string>();
  #state: FreshnessState = UNKNOWN;
  #run: JobRun | undefined;
  #starting: Promise<void> | undefined;
  #watch: Watch | undefined;

  constructor(tree: Tree, ports: CompassPorts, options: CompassOptions) {
    this.#tree = tree;
    this.#ports = ports;
    this.#options = options;
    this.#disk = new DiskComparison(tree.row, ports.files, options.indexing);
    this.#drift = new WorkTreeDrift({
      root: tree.row.root,
      history: ports.history,
      disk: this.#disk,
      state: () => this.#state,
      dispatch: (event) => this.#dispatch(event),
      watch: () => this.#watch,
    });
  }

  get mode(): Watch["mode"] | "off" {
    const { watch } = this.#state;
    return watch === "native" || watch === "polling" ? watch : "off";
  }

  get failure(): string | undefined {
    return this.#state.failure;
  }

  get queued(): readonly Job[] {
    return this.#queue.jobs;
  }

  activeRun(view?: string): JobRun | undefined {
    return view === undefined || this.#state.job?.target.view === view ? this.#run : undefined;
  }

  get warnings(): readonly string[] {
    return [this.#state.watchWarning, this.#state.syncWarning].filter((warning) => warning !== undefined);
  }

  watch(): void {
    if (this.#ports.watcher !== undefined) this.#dispatch({ type: "watchRequested" });
  }

  trust(stateId: string): void {
    this.#dispatch({ type: "viewTrusted", stateId });
  }

  /** What differs between the view and the working tree; undefined when nothing does. */
  async drift(snapshot: Snapshot, now: ResolvedRef, by?: "job" | "look"): Promise<Drift | undefined> {
    this.#readRules();
    const drift = await this.#drift.find(snapshot, now, by ?? (this.activeRun(now.view) && "job"));
    if (drift !== undefined) this.#foundIn.set(drift, snapshot.info.stateId);
    return drift;
  }

  /** Whether the view of a commit was made under other ignore rules outside the tree, as far as this process knows. */
  hasOtherRules(view: string): boolean {
    this.#readRules();
    this.#dispatch({ type: "refJudged", view });
    return hasOtherRules(this.#state, view);
  }

  /** Starts a job and returns once it holds the writer's lease. */
  async start(options: StartOptions): Promise<JobRun> {
    const run = await this.#launch(options);
    await run.started;
    return run;
  }

  /**
   * Indexes what drifted, in the background; does nothing while a job runs. Resolves when the job was launched, or has
   * to wait for git: an answer that is made meanwhile must not keep it from starting.
   */
  syncSoon(drift: Drift, ref?: string): Promise<void> {
    return new Promise((onLaunched) => void this.#sync(drift, ref, onLaunched).then(onLaunched));
  }

  async close(): Promise<void> {
    this.#dispatch({ type: "closed" });
    await this.#run?.finished;
    await this.#starting;
    await this.#watch?.close();
  }

  #dispatch(event: FreshnessEvent): void {
    const { state, effects } = reduceFreshness(this.#state, event);
    this.#state = state;
    for (const effect of effects) this.#perform(effect);
  }

  #perform(effect: FreshnessEffect): void {
    const { type } = effect;
    if (type === "startWatcher") this.#starting = this.#startWatcher();
    else if (type === "waitForFirstAnswers") void this.#waitForFirstAnswers();
    else if (type === "readRules") this.#readRules();
    else if (type === "sync" && needsSync(this.#state)) void this.#sync();
    else if (type === "prepareNextJob") void this.#prepareNextJob().catch(() => {});
    else if (type === "prepareCheckout") void this.#prepareCheckouts([effect.target]).catch(() => {});
    else if (type === "rememberIgnoreFiles") this.#disk.rememberIgnoreFiles(effect.paths);
    else if (type === "forgetIgnoreFiles") this.#disk.forgetIgnoreFiles();
    else if (type === "cancelJob") this.#run?.cancel();
  }

  async #waitForFirstAnswers(): Promise<void> {
    await this.#ports.env.sleep(FIRST_ANSWERS_MS);
    this.#dispatch({ type: "watchSettled" });
  }

  /** A tree that cannot be watched is compared at every read. */
  async #startWatcher(): Promise<void> {
    const events = {
      onChange: (paths: readonly string[] | "everything") => this.#dispatch({ type: "pathsReported", paths }),
      onDegraded: (reason: string) => this.#dispatch({ type: "watchDegraded", reason }),
    };
    try {
      this.#watch = await this.#ports.watcher!.watch(this.#tree.row.root, events);
      this.#dispatch({ type: "watchStarted", mode: this.#watch.mode });
    } catch (error) {
      this.#dispatch({ type: "watchFailed", reason: errorMessage(error) });
    }
  }

  /** Nothing watches the ignore rules outside the tree: they are read before every answer and every job. */
  #readRules(): void {
    const rules = this.#disk.outsideRules();
    if (rules !== undefined) this.#dispatch({ type: "rulesRead", fingerprint: rules.fingerprint });
  }

  async #launch(options: StartOptions): Promise<JobRun> {
    const { env, indexer } = this.#ports;
    const target = await this.#tree.resolve(options.ref);
    this.#readRules();
    const paths = options.paths ?? (await this.#pathsToIndex(target, options));
    const request = await buildIndexRequest(this.#tree, { target, options, paths }, env, this.#options.indexing);
    // Nothing may be awaited between the last check and the start: another call could come between.
    if (options.onQueued !== undefined) this.#queue.requireAbsent(target);
    for (let other = this.#otherRun(options.mode, target); other; other = this.#otherRun(options.mode, target))
      await this.#queue.after(other, { view: target.view, job: queuedJob(request, env.now()), options });
    if (this.#state.closed) throw new CompassError("index_not_ready", { workspace: this.#tree.row.root });
    this.#dispatch({ type: "jobStarted", target, mode: options.mode, paths });
    const run = runJob(request, indexer, () => env.now());
    this.#run = run;
    void run.finished.then((job) => {
      this.#run = undefined;
      this.#dispatch({ type: "jobEnded", job });
    });
    return run;
  }

  /** One job at a time: a sync waits for that of another ref; the same ref, and an index of everything, are refused. */
  #otherRun(mode: JobMode, { view, ref }: ResolvedRef): JobRun | undefined {
    if (this.#run === undefined) return undefined;
    if (this.activeRun(view) === undefined && mode !== "full") return this.#run;
    const code = mode === "full" ? "index_in_progress" : "sync_in_progress";
    throw new CompassError(code, { ref, job_id: this.#run.job().id });
  }

  /**
   * The paths a sync has to read; undefined: all. Where this process has walked the whole tree once, listing and judging
   * every entry again would show nothing new.
   */
  async #pathsToIndex(target: ResolvedRef, { mode, force }: StartOptions): Promise<readonly string[] | undefined> {
    if (target.from === "commit") return hasOtherRules(this.#state, target.view) ? [OUTSIDE_RULES] : undefined;
    if (mode !== "incremental" || force || this.mode !== "native") return undefined;
    if (!this.#state.walked.has(target.view)) return undefined;
    return this.#tree.withSnapshot(target.view, async (snapshot) => {
      const changed = await this.#disk.compareAll(snapshot);
      const { dirty } = this.#state;
      const all = union(new Set(changed), dirty === "everything" ? [] : dirty);
      return all === "everything" ? undefined : [...all].sort();
    });
  }

  /** Without a drift: whatever differs from the working tree now. Answers warn of a failure until a job succeeds. */
  async #sync(found?: Drift, ref?: string, onLaunched: () => void = () => {}): Promise<void> {
    if (this.#tree.readsOnly) return;
    try {
      for (let drift = found; ; drift = undefined) {
        drift ??= await this.#workTreeDrift();
        if (drift === undefined || this.#run !== undefined || this.#state.closed) return;
        if (ref === undefined && (await this.#isHeadMoving(drift, onLaunched))) continue;
        if (ref === undefined && !(await this.#isCurrent(drift))) continue;
        const changed = drift.rules ? [...drift.paths, OUTSIDE_RULES] : drift.paths;
        // Nothing but HEAD moved: the job need not read any file.
        const scope = changed.length > MANY_PATHS ? {} : { paths: changed.length > 0 ? changed : [HEAD_PATH] };
        const options = { mode: "incremental", force: false } as const;
        const run = await this.#launch(ref === undefined ? { ...options, ...scope } : { ...options, ref });
        onLaunched();
        return await run.started;
      }
    } catch (error) {
      const isBusy = error instanceof CompassError && /_in_progress$/.test(error.code);
      if (!isBusy) this.#dispatch({ type: "syncFailed", reason: errorMessage(error) });
    }
  }

  /** A job may have ended since the drift was looked for: another one for the same edit would find nothing. */
  async #isCurrent(drift: Drift): Promise<boolean> {
    const { view } = await this.#tree.checkedOut();
    const isSame = async ({ info }: Snapshot) => info.stateId === this.#foundIn.get(drift);
    return (await this.#tree.withSnapshot(view, isSame)) === true;
  }

  async #workTreeDrift(): Promise<Drift | undefined> {
    const now = await this.#tree.checkedOut();
    // A bare clone has no files to follow: compared with the disk, all of them are missing, job after job.
    if (now.from !== "directory") return undefined;
    return this.#tree.withSnapshot(now.view, (snapshot) => this.drift(snapshot, now));
  }

  /**
   * Whether the drift has to be found again. A checkout is waited for: half of it is no branch's tree, and git moves
   * HEAD last, so a job that began with the first reports would be followed by one for all the others.
   */
  async #isHeadMoving({ currentHead }: Drift, onWait: () => void): Promise<boolean> {
    const { vcs, env } = this.#ports;
    let waited = 0;
    while (waited < GIT_WAIT_MS && !this.#state.closed && (await vcs.isWriting(this.#tree.row.root))) {
      onWait();
      await env.sleep(GIT_POLL_MS);
      waited += GIT_POLL_MS;
    }
    if (waited > 0 && waited < GIT_WAIT_MS) return true;
    return (await this.#tree.checkedOut()).commit !== currentHead;
  }

  /**
   * Loads what the next small job needs: a first checkout took 150 ms longer without. Where there is nothing to check
   * out, the 30 MB of the job thread are better spent on answers.
   */
  async #prepareNextJob(): Promise<void> {
    const { id: tree, root, storeLocation } = this.#tree.row;
    const project = await this.#tree.idsProject();
    const { view: ref, commit } = await this.#tree.checkedOut();
    if (this.#state.closed || commit === undefined) return;
    this.#ports.indexer.warm?.({ project, tree, root, storeLocation, ref, settings: this.#options.indexing });
    await this.#tree.withSnapshot(ref, (snapshot) => this.#disk.readAhead(snapshot));
    await this.#prepareCheckouts(await expectedRefs(await this.#tree.store()));
  }

  /** Indexed refs may be checked out next: runs git now for what the first answers after that would wait for. */
  async #prepareCheckouts(refs: readonly Pick<ResolvedRef, "ref" | "commit">[]): Promise<void> {
    const { commit: from } = await this.#tree.checkedOut();
    for (const { ref, commit } of refs) {
      if (this.#state.closed || !isWatched(this.#state) || from === undefined || commit === undefined) return;
      await this.#drift.pathsBetween(from, commit);
      await this.#tree.layers.prepare({ ref, commit });
    }
  }
}
