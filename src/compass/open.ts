/** The core API over its ports: finds the tree of a call and hands it on. */
import { findDamage } from "../ingest/rebuild-damaged.ts";
import type { DiffRequest } from "../model/changes.ts";
import type { ScipImportReport } from "../model/compiler-edges.ts";
import { toReaders } from "../model/errors.ts";
import type { Job } from "../model/jobs.ts";
import type { WorkspaceRow } from "../ports/registry.ts";
import type { RepositoryRefs } from "../ports/vcs.ts";
import { RecordCache } from "./changes/changed-records.ts";
import { diffTree } from "./changes/diff.ts";
import type {
  Compass,
  Diff,
  FreshenOptions,
  Health,
  IndexOptions,
  MultiRepoReading,
  Project,
  PruneOptions,
  PruneReport,
  Reading,
  ReadOptions,
  RefStatus,
  ResolvedPath,
  StateReport,
  SwitchedRef,
  SwitchRequest,
  ViewContents,
  Workspace,
} from "./compass.ts";
import { freshen, neededWork } from "./freshness/freshen.ts";
import { bootstrapSoon } from "./freshness/view-status.ts";
import { importScipFile, type ScipFile } from "./jobs/import-scip.ts";
import { indexTree } from "./jobs/index-request.ts";
import { prune } from "./jobs/prune-refs.ts";
import { isWhole, type RebuildOptions, rebuildSoon, withRebuild } from "./jobs/rebuild-damaged.ts";
import { exportState, importState } from "./jobs/state-archive.ts";
import { readMany } from "./multi-repository/reading.ts";
import { MOST_OPENED } from "./multi-repository/workspace-selection.ts";
import type { CompassOptions, CompassPorts } from "./ports.ts";
import { IdleRelease, OpenTrees } from "./projects/open-trees.ts";
import { ProjectList } from "./projects/project-list.ts";
import { health, projectStatus, viewContents } from "./projects/project-status.ts";
import { needsCheckout, PublishedTree, publishedRefs } from "./projects/published-tree.ts";
import { resolvePath } from "./projects/resolve-workspace.ts";
import { Tree } from "./projects/tree.ts";
import { createTreeReader, type ReadTree, warmTree } from "./reading/read-tree.ts";
import { refList } from "./refs/ref-list.ts";
import { SessionRefs, switchRef } from "./refs/switch-ref.ts";

export function createCompass(ports: CompassPorts, options: CompassOptions): Compass {
  return new OpenCompass(ports, options);
}

const BALANCED = { policy: "balanced" } as const;

class OpenCompass implements Compass {
  readonly #ports: CompassPorts;
  readonly #options: CompassOptions;
  readonly #trees: OpenTrees;
  readonly #readTree: ReadTree;
  readonly #projects: ProjectList;
  readonly #records = new RecordCache();
  readonly #sessions = new SessionRefs();
  readonly #startedAt: number;
  #prewarm: Health["prewarm"];
  readonly #idle: IdleRelease;

  constructor(ports: CompassPorts, options: CompassOptions) {
    this.#ports = ports;
    this.#options = options;
    this.#readTree = createTreeReader(ports, options);
    const openTree = (row: WorkspaceRow) =>
      row.published ? new PublishedTree(row, ports, options) : new Tree(row, ports, options);
    this.#trees = new OpenTrees(openTree, options.warmset);
    this.#projects = new ProjectList(ports, options, (row) => this.#trees.closeIdle(row));
    this.#startedAt = ports.env.monotonic();
    this.#prewarm = options.prewarm ? "pending" : "skipped";
    this.#idle = new IdleRelease(ports.env, () => this.#releaseMemory());
  }

  get embeddingModel(): string {
    return this.#ports.embedders?.name ?? "none";
  }

  project(workspace?: string): Promise<Project> {
    return this.#forReaders(this.#projects.project(workspace));
  }

  async resolvePath(path: string, workspace?: string): Promise<ResolvedPath> {
    const find = (named?: string) => this.project(named);
    return resolvePath(path, { workspace, find, files: this.#ports.files });
  }

  register(path: string): Promise<Project> {
    return this.#projects.register(path);
  }

  forget(path: string): Promise<Project> {
    return this.#projects.forget(path);
  }

  workspaces(): Promise<readonly Workspace[]> {
    return this.#projects.workspaces();
  }

  damagedWorkspaces(): ReturnType<Compass["damagedWorkspaces"]> {
    return this.#ports.registry.damaged();
  }

  async repositories(): Promise<readonly string[]> {
    return ((await this.#ports.stores.shared?.repositories({ prefix: "" })) ?? []).map(({ name }) => name);
  }

  async complete(): Promise<void> {
    await this.#ports.stores.shared?.complete();
  }

  async read<T>(project: Project, options: ReadOptions, use: (reading: Reading) => Promise<T>): Promise<T> {
    return this.#rebuilding(project, options, async (tree) => {
      await rebuildSoon(tree, options);
      return this.#readTree(tree, project, options, use);
    });
  }

  async readMany<T>(words: string, options: ReadOptions, use: (reading: MultiRepoReading) => Promise<T>): Promise<T> {
    const selection = await this.#forReaders(this.#projects.select(words));
    const read: Compass["read"] = (...request) => this.read(...request);
    return readMany({ selection, options, read, deadlineMs: this.#options.wideDeadlineMs }, this.#ports, use);
  }

  refs(project: Project): Promise<readonly RefStatus[]> {
    // Does not wait: a new index holds one ref only, and its list would seem complete.
    return this.#rebuilding(project, { ...BALANCED, waitMs: 0 }, async (tree) => {
      if (!project.published) return refList(tree, this.#ports);
      const store = await tree.store();
      return publishedRefs(await store.views(), await store.uses());
    });
  }

  async refNames(project: Project): Promise<RepositoryRefs> {
    const names = project.vcs && !project.published ? await this.#ports.vcs.refNames?.(project.root) : undefined;
    return names ?? { branches: [], tags: [] };
  }

  switchRef(project: Project, ask: SwitchRequest): Promise<SwitchedRef> {
    const { bootstrapWaitMs } = this.#options;
    const options = { ports: this.#ports, sessions: this.#sessions, bootstrapWaitMs };
    return this.#rebuilding(project, BALANCED, (tree) => switchRef(tree, project, ask, options));
  }

  sessionRef(project: Project, session: string): string | undefined {
    return this.#sessions.refOf(session, project.id);
  }

  async index(project: Project, options: IndexOptions): Promise<Job> {
    return this.#using(project, (tree) => indexTree(tree, options, this.#ports.env));
  }

  async isCurrent(project: Project, ref?: string): Promise<boolean> {
    if (project.published) return true;
    // Indexing everything again after an upgrade is meant to upgrade the tables of the store as well.
    if ((await this.#ports.stores.shared?.look())?.isPrepared === false) return false;
    return this.#using(
      project,
      async (tree) => (await neededWork(tree, ref, "index")) === undefined && (await isWhole(tree)),
    );
  }

  async freshen(project: Project, options: FreshenOptions): Promise<void> {
    // What is published is as fresh as this machine can make it.
    if (project.published) return;
    return this.#using(project, (tree) => freshen(tree, options, this.#ports.env));
  }

  /** Does not count as use: a client that polls the status must not keep memory from being released. */
  status(project: Project, ref?: string) {
    return this.#trees.use(this.#projects.row(project), async (tree) => {
      if (tree.row.autoDiscovered) await bootstrapSoon(tree);
      return projectStatus(tree, project, ref);
    });
  }

  viewContents(project: Project, ref?: string): Promise<ViewContents> {
    return this.#using(project, async (tree) => {
      const { stores, repositoryName } = this.#ports;
      const name = project.published ? project.root : (repositoryName?.(project.root) ?? null);
      return { ...(await viewContents(tree, ref)), ...(stores.shared !== undefined && { repository: name }) };
    });
  }

  async prune(project: Project, options: PruneOptions): Promise<PruneReport> {
    requireCheckout(project, "forgetting refs");
    return this.#using(project, (tree) => prune(tree, options, this.#ports));
  }

  exportState(project: Project, file: string): Promise<StateReport> {
    return this.#using(project, (tree) => exportState(tree, file, this.#ports, this.#options.indexing));
  }

  async importState(project: Project, file: string, signal = new AbortController().signal): Promise<StateReport> {
    requireCheckout(project, "importing an index");
    return this.#using(project, (tree) => importState(tree, file, this.#ports, signal));
  }

  async importScip(project: Project, file: ScipFile, signal = new AbortController().signal): Promise<ScipImportReport> {
    requireCheckout(project, "importing a SCIP index");
    return this.#using(project, (tree) => importScipFile(tree, file, this.#ports, signal));
  }

  async diff(project: Project, ask: DiffRequest, signal?: AbortSignal): Promise<Diff> {
    requireCheckout(project, "comparing refs");
    const options = { ports: this.#ports, settings: this.#options.indexing, records: this.#records };
    const until = signal ?? new AbortController().signal;
    return this.#rebuilding(project, BALANCED, (tree) => diffTree(tree, ask, { ...options, signal: until }));
  }

  verify(project: Project): ReturnType<Compass["verify"]> {
    return this.#using(project, async (tree) => findDamage(await tree.store()));
  }

  async ingestLagMs(): Promise<number | undefined> {
    return (await this.#ports.stores.shared?.look())?.ingestLagMs;
  }

  async health(project?: Project): Promise<Health> {
    const chosen = project === undefined ? await this.#projects.known() : [project];
    const projects = await Promise.all(chosen.map((one) => this.status(one)));
    const watching = chosen[0] === undefined ? "off" : this.#tree(chosen[0]).watching;
    return health(
      projects,
      {
        startedAt: this.#startedAt,
        prewarm: this.#prewarm,
        prewarmEnabled: this.#options.prewarm,
        capacity: this.#trees.capacity,
        members: this.#warmRoots(chosen),
        watcher: watching,
      },
      this.#ports,
    );
  }

  #warmRoots(seen: readonly Project[]): readonly string[] {
    const ids = this.#options.discreet ? new Set(seen.map(({ id }) => id)) : undefined;
    return this.#trees.warm().flatMap(({ row }) => (ids === undefined || ids.has(row.id) ? [row.root] : []));
  }

  prewarm(): void {
    if (this.#prewarm !== "pending") return;
    this.#prewarm = "running";
    this.#warmTrees().then(
      () => {
        this.#prewarm = "complete";
      },
      () => {
        this.#prewarm = "failed";
      },
    );
  }

  async #warmTrees(): Promise<void> {
    const known = await this.#projects.known();
    // The default project is the first: opened last, it is the last to be closed.
    for (const project of known.slice(0, this.#trees.capacity).reverse())
      await this.#using(project, (tree) => warmTree(tree, this.#ports.readers));
    const stored = await this.#fewStored();
    // All texts first: most queries need no vectors.
    for (const part of ["text", "vectors"] as const)
      for (const project of stored) {
        // A query that comes meanwhile opens what it needs itself.
        if (this.#trees.isInUse) return;
        await this.#using(project, (tree) => warmTree(tree, this.#ports.readers, part));
      }
  }

  /** The repositories of a shared store, where a query over all of them opens each. */
  async #fewStored(): Promise<readonly Project[]> {
    const count = (await this.#ports.stores.shared?.count()) ?? 0;
    return count === 0 || count > MOST_OPENED ? [] : (await this.#projects.select("all")).all();
  }

  async close(): Promise<void> {
    await this.#trees.close();
    const { indexer, objects, parsers, readers, stores } = this.#ports;
    await Promise.all([
      stores.close(),
      indexer.close(),
      objects.close(),
      parsers.close(),
      this.#ports.scanner.close(),
      readers?.close(),
      this.#ports.worktrees.close(),
    ]);
  }

  /** A read-only caller cannot register anything: errors suggest what it can do instead. */
  #forReaders<T>(found: Promise<T>): Promise<T> {
    if (!this.#options.readOnly) return found;
    return found.catch((error: unknown) => {
      throw toReaders(error);
    });
  }

  /** As `#using`, for questions: a damaged index is rebuilt. */
  #rebuilding<T>(
    project: Project,
    by: Partial<RebuildOptions> & Pick<RebuildOptions, "policy">,
    ask: (tree: Tree) => Promise<T>,
  ) {
    const { env } = this.#ports;
    return this.#using(project, (tree) => {
      const waitMs = tree.row.autoDiscovered ? 0 : this.#options.bootstrapWaitMs;
      return withRebuild(tree, { waitMs, env, ...by }, () => ask(tree));
    });
  }

  #using<T>(project: Project, work: (tree: Tree) => Promise<T>): Promise<T> {
    return this.#trees.use(this.#projects.row(project), work).finally(() => {
      if (this.#options.keepsMemory !== true) this.#idle.used();
    });
  }

  /** Memory in use, also by a running job, is released after the next question. */
  async #releaseMemory(): Promise<void> {
    if (this.#trees.isInUse) return;
    this.#records.clear();
    for (const tree of this.#trees.all()) await tree.rest().catch(() => {});
    this.#ports.readers?.rest();
    this.#ports.env.freeMemory();
  }

  #tree(project: Project): Tree {
    return this.#trees.take(this.#projects.row(project));
  }
}

function requireCheckout({ root, published }: Project, doing: string): void {
  if (published) throw needsCheckout(root, doing);
}
