/** What this process knows of one registered tree: its open store, its refs, and how far its view follows its files. */
import { extractorId, withoutTextOnly } from "../../ingest/extractor.ts";
import { CompassError } from "../../model/errors.ts";
import type { ProjectId } from "../../model/ids.ts";
import type { Job } from "../../model/jobs.ts";
import type { Watch } from "../../ports/files.ts";
import type { WorkspaceRow } from "../../ports/registry.ts";
import type { Snapshot } from "../../ports/snapshot.ts";
import type { Store } from "../../ports/store.ts";
import type { RepositoryInfo } from "../../ports/vcs.ts";
import { type Drift, driftAt, driftOfCommit } from "../freshness/drift.ts";
import { TreeFollower } from "../freshness/tree-follower.ts";
import type { StartOptions } from "../jobs/index-request.ts";
import type { JobRun } from "../jobs/job-run.ts";
import type { CompassOptions, CompassPorts } from "../ports.ts";
import { checkedOut, type ResolvedRef, resolveRef } from "../refs/resolve-ref.ts";
import { SourceLayers } from "../refs/source-layers.ts";
import { idsProject } from "./resolve-workspace.ts";

/** How long a list of unreadable files of a repository is used. They only add warnings, and reading them takes 0.3 ms. */
const PROBLEMS_MS = 1_000;

export class Tree {
  readonly row: WorkspaceRow;
  readonly layers: SourceLayers;
  /** Whether callers cannot cause anything to be indexed. */
  readonly readsOnly: boolean;
  readonly #ports: CompassPorts;
  readonly #options: CompassOptions;
  readonly #follower: TreeFollower;
  #repository: Promise<RepositoryInfo | undefined> | undefined;
  #store: Promise<Store> | undefined;
  #problems: { readonly at: number; readonly found: Promise<readonly string[]> } | undefined;

  constructor(row: WorkspaceRow, ports: CompassPorts, options: CompassOptions) {
    this.row = row;
    this.readsOnly = options.readOnly === true || row.published === true;
    this.#ports = ports;
    this.#options = options;
    this.layers = new SourceLayers(row.root, ports);
    this.#follower = new TreeFollower(this, ports, options);
  }

  /** An estimate of what an open repository without a work tree keeps in memory; undefined for a work tree. */
  get heldBytes(): number | undefined {
    return undefined;
  }

  get watching(): Watch["mode"] | "off" {
    return this.#follower.mode;
  }

  /** Why the store could not be written to, a full disk for example, until a later job succeeds. */
  get failure(): string | undefined {
    return this.#follower.failure;
  }

  /** Jobs that wait for another one, in the order they will run. */
  get queued(): readonly Job[] {
    return this.#follower.queued;
  }

  async warnings(): Promise<readonly string[]> {
    return [...this.#follower.warnings, ...(await this.problems())];
  }

  /** The job of this process, of any ref or of one view. */
  activeRun(view?: string): JobRun | undefined {
    return this.#follower.activeRun(view);
  }

  /** A job of this process or of another one that writes to the same store. */
  async activeJob(): Promise<Job | undefined> {
    const run = this.activeRun();
    if (run !== undefined) return run.job();
    const [newest] = await (await this.store()).jobs(1);
    return newest?.status === "running" ? newest : undefined;
  }

  repository(): Promise<RepositoryInfo | undefined> {
    this.#repository ??= this.#ports.vcs.repository(this.row.root);
    return this.#repository;
  }

  /** The project that symbol ids are made from: work trees of one repository give the same ids. */
  async idsProject(): Promise<ProjectId> {
    const stored = await (await this.store()).idsProject();
    return stored ?? idsProject(this.row, await this.repository(), this.#ports.hash);
  }

  async checkedOut(): Promise<ResolvedRef> {
    return checkedOut({ ...this.row, repository: await this.repository() }, this.#ports.vcs);
  }

  /** The view that a caller's name for a ref means; throws `ref_not_indexed`. */
  async resolve(ref?: string): Promise<ResolvedRef> {
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

  /** Uses the view's latest state; undefined where it has none. */
  async withSnapshot<T>(view: string, use: (snapshot: Snapshot) => Promise<T>): Promise<T | undefined> {
    const snapshot = await (await this.store()).snapshot(view);
    if (snapshot === undefined) return undefined;
    try {
      return await use(snapshot);
    } finally {
      snapshot.release();
    }
  }

  /** Starts a job and returns once it holds the writer's lease; refuses when one of that ref, or of everything, runs. */
  async start(options: StartOptions): Promise<JobRun> {
    if (this.readsOnly) throw readOnlyRefusal(this.row.root, options.ref);
    return this.#follower.start(options);
  }

  /**
   * What differs between the view and what it should show; undefined when nothing does. Any ref but the checked-out one
   * is compared with its commit only: the working tree is another ref's. By `look`, every file on disk is compared.
   */
  async drift(snapshot: Snapshot, target: ResolvedRef, by?: "look"): Promise<Drift | undefined> {
    if (target.from === "published") return undefined;
    if (target.from === "directory") return this.#follower.drift(snapshot, target, by);
    const moved = driftAt(snapshot, target, []);
    if (moved !== undefined) return moved;
    if (await this.#isOutdated(snapshot)) return driftOfCommit(target, "outdated");
    if (this.#follower.hasOtherRules(target.view)) return driftOfCommit(target, "rules");
    return (await this.#isBehindFetch(snapshot)) ? driftOfCommit(target, "fetched") : undefined;
  }

  trust(stateId: string): void {
    this.#follower.trust(stateId);
  }

  /** Indexes what drifted, in the background; see `TreeFollower.syncSoon`. */
  syncSoon(drift: Drift, ref?: string): Promise<void> {
    return this.#follower.syncSoon(drift, ref);
  }

  watch(): void {
    this.#follower.watch();
  }

  /** Releases memory after a while without requests. */
  async rest(): Promise<void> {
    (await this.#store)?.rest();
  }

  async close(): Promise<void> {
    await this.#follower.close();
    const store = await this.#store?.catch(() => undefined);
    await store?.close();
  }

  /** Why files that say what belongs to the tree cannot be read, one sentence each. */
  protected problems(): Promise<readonly string[]> {
    const { env, files, vcs } = this.#ports;
    const { root } = this.row;
    const now = env.monotonic();
    if (this.#problems === undefined || now - this.#problems.at > PROBLEMS_MS) {
      const rules = files.outsideRules?.(root, { ignoreFiles: this.#options.indexing.ignoreFiles }).problems ?? [];
      const find = async () => [...rules, ...((await vcs.problems?.(root)) ?? [])];
      this.#problems = { at: now, found: find() };
    }
    return this.#problems.found;
  }

  /** Whether objects that the view lacked may have been fetched since it was published. */
  async #isBehindFetch({ info }: Snapshot): Promise<boolean> {
    if (!info.coverage.skippedReasons.unreadable) return false;
    return (await this.#ports.vcs.gainedSince?.(this.row.root, info.publishedAt)) === true;
  }

  /** Whether a job would read the same files differently today: all files of a view were read the same way. */
  async #isOutdated(snapshot: Snapshot): Promise<boolean> {
    const extractor = await snapshot.extractor();
    return extractor !== undefined && withoutTextOnly(extractor) !== extractorId(this.#options.indexing);
  }
}

function readOnlyRefusal(workspace: string, ref: string | undefined): CompassError {
  const reason = "this server is read-only, and it is not published";
  const suggestion = "Ask for a ref that list_refs shows, or publish it with `codecompass index` where it is cloned.";
  if (ref !== undefined) return new CompassError("ref_not_indexed", { ref, reason, suggestion });
  return new CompassError("index_not_ready", { workspace, reason, suggestion });
}
