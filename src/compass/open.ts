/** The core API over its ports: which tree, which view, which job. Each answer is made elsewhere. */
import type { DiffAsk } from "../model/changes.ts";
import { CompassError } from "../model/errors.ts";
import type { Job } from "../model/jobs.ts";
import type { WorkspaceRow } from "../ports/registry.ts";
import type { Compass, Diff, FreshenOptions, Health, IndexOptions, Place, Project, Reading, ReadOptions } from "./compass.ts";
import { diffOfTree } from "./diff.ts";
import { freshen, neededWork } from "./freshen.ts";
import { placeOf } from "./place.ts";
import type { CompassOptions, CompassPorts } from "./ports.ts";
import { readingOf } from "./reading.ts";
import { RecordCache } from "./record-cache.ts";
import { pin } from "./standing.ts";
import { health, projectStatus } from "./status.ts";
import { Tree } from "./tree.ts";
import { registerWorkspace, resolveWorkspace } from "./workspaces.ts";

export function createCompass(ports: CompassPorts, options: CompassOptions): Compass {
  return new OpenCompass(ports, options);
}

class OpenCompass implements Compass {
  readonly #ports: CompassPorts;
  readonly #options: CompassOptions;
  readonly #trees = new Map<string, Tree>();
  readonly #projects = new Map<string, Project>();
  readonly #seen = new RecordCache();
  readonly #startedAt: number;
  #prewarm: Health["prewarm"];
  #registered: Promise<void> | undefined;

  constructor(ports: CompassPorts, options: CompassOptions) {
    this.#ports = ports;
    this.#options = options;
    this.#startedAt = ports.env.monotonic();
    this.#prewarm = options.prewarm ? "pending" : "skipped";
  }

  async project(workspace?: string): Promise<Project> {
    try {
      return await this.#resolved(workspace);
    } catch (error) {
      if (!(error instanceof CompassError && /_not_(found|registered)$/.test(error.code))) throw error;
      // Somebody may have deleted the data directory since the given trees were registered.
      this.#registered = undefined;
      return this.#resolved(workspace);
    }
  }

  async place(path: string, workspace?: string): Promise<Place> {
    const find = (named?: string) => this.project(named);
    return placeOf(path, { workspace, find, files: this.#ports.files });
  }

  async register(path: string): Promise<Project> {
    return this.#projectOf(await registerWorkspace(path, this.#ports));
  }

  async read<T>(project: Project, options: ReadOptions, use: (reading: Reading) => Promise<T>): Promise<T> {
    const tree = this.#tree(project);
    const { bootstrapWaitMs } = this.#options;
    const { snapshot, standing } = await pin(tree, { ...options, bootstrapWaitMs }, this.#ports);
    try {
      const { hash } = this.#ports;
      const signal = options.signal === undefined ? {} : { signal: options.signal };
      return await use(readingOf({ project, storeProject: tree.row.id, standing, snapshot, hash, ...signal }));
    } finally {
      snapshot?.release();
      // After the answer: the native watcher takes a moment to start, on this thread.
      setImmediate(() => tree.watch());
    }
  }

  async index(project: Project, options: IndexOptions): Promise<Job> {
    const tree = this.#tree(project);
    tree.watch();
    const { mode, force, ref } = options;
    const run = await tree.start({ mode, force, ...(ref !== undefined && { ref }) });
    if (options.onProgress !== undefined) run.onProgress(options.onProgress);
    if (options.waitMs === 0) return run.job();
    options.signal?.addEventListener("abort", () => run.cancel(), { once: true });
    await Promise.race([run.finished, this.#ports.env.sleep(options.waitMs)]);
    return run.job();
  }

  async isCurrent(project: Project): Promise<boolean> {
    return (await neededWork(this.#tree(project))) === undefined;
  }

  freshen(project: Project, options: FreshenOptions): Promise<void> {
    return freshen(this.#tree(project), options, this.#ports.env);
  }

  status(project: Project, ref?: string) {
    return projectStatus(this.#tree(project), project, ref);
  }

  diff(project: Project, ask: DiffAsk, signal?: AbortSignal): Promise<Diff> {
    return diffOfTree(this.#tree(project), ask, {
      ports: this.#ports,
      settings: this.#options.indexing,
      seen: this.#seen,
      signal: signal ?? new AbortController().signal,
    });
  }

  async health(project?: Project): Promise<Health> {
    const wanted = project === undefined ? await this.#known() : [project];
    const projects = await Promise.all(wanted.map((one) => this.status(one)));
    const trees = wanted.map((one) => this.#tree(one));
    return health(
      projects,
      {
        startedAt: this.#startedAt,
        prewarm: this.#prewarm,
        prewarmEnabled: this.#options.prewarm,
        members: trees.map((tree) => tree.row.root),
        watcher: trees[0]?.watching ?? "off",
      },
      this.#ports,
    );
  }

  prewarm(): void {
    if (this.#prewarm !== "pending") return;
    this.#prewarm = "running";
    this.#warm().then(
      () => {
        this.#prewarm = "complete";
      },
      () => {
        this.#prewarm = "failed";
      },
    );
  }

  async close(): Promise<void> {
    await Promise.all([...this.#trees.values()].map((tree) => tree.close()));
    await Promise.all([this.#ports.indexer.close(), this.#ports.parsers.close()]);
  }

  /** Opens every view's full text once, so that the first question finds it in memory. */
  async #warm(): Promise<void> {
    for (const project of await this.#known()) {
      const tree = this.#tree(project);
      const now = await tree.checkedOut();
      const snapshot = await (await tree.store()).snapshot(now.ref);
      await snapshot?.lexical({ terms: [{ term: "the", weight: 1 }], limit: 1 });
      snapshot?.release();
    }
  }

  async #resolved(workspace: string | undefined): Promise<Project> {
    await this.#registerGiven();
    return this.#projectOf(await resolveWorkspace(workspace, this.#default(), this.#ports));
  }

  /** Trees named at start are registered when first needed, never during the handshake. */
  #registerGiven(): Promise<void> {
    this.#registered ??= (async () => {
      for (const path of this.#options.workspaces) await registerWorkspace(path, this.#ports);
    })().catch((error: unknown) => {
      // The next call tries again: a full disk or a missing permission may be gone by then.
      this.#registered = undefined;
      throw error;
    });
    return this.#registered;
  }

  #default(): string | undefined {
    return this.#options.workspaces[0] ?? this.#options.defaultWorkspace;
  }

  async #registeredAt(path: string): Promise<Project[]> {
    const row = await resolveWorkspace(path, undefined, this.#ports).catch(() => undefined);
    return row === undefined ? [] : [await this.#projectOf(row)];
  }

  async #known(): Promise<Project[]> {
    await this.#registerGiven();
    const { workspaces, defaultWorkspace } = this.#options;
    if (workspaces.length === 0) return defaultWorkspace === undefined ? [] : this.#registeredAt(defaultWorkspace);
    return (await Promise.all(workspaces.map((path) => this.#registeredAt(path)))).flat();
  }

  async #projectOf(row: WorkspaceRow): Promise<Project> {
    const known = this.#projects.get(row.id);
    if (known !== undefined) return known;
    const repository = await this.#ports.vcs.repository(row.root);
    const project = { id: row.id, root: row.root, vcs: repository !== undefined };
    if (!this.#trees.has(row.id)) this.#trees.set(row.id, new Tree(row, this.#ports, this.#options));
    this.#projects.set(row.id, project);
    return project;
  }

  #tree(project: Project): Tree {
    const tree = this.#trees.get(project.id);
    if (tree === undefined) throw new Error(`project ${project.id} was not made by this compass`);
    return tree;
  }
}
