/** The core API over its ports: which tree, which view, which job. Each answer is made elsewhere. */
import { GrepMemo } from "../grep/memo.ts";
import { NO_LOOSE_FILES } from "../grep/texts.ts";
import type { DiffAsk } from "../model/changes.ts";
import { toReaders } from "../model/errors.ts";
import type { Job } from "../model/jobs.ts";
import type { Snapshot } from "../ports/snapshot.ts";
import { Answers } from "./answers.ts";
import { beside } from "./beside.ts";
import type {
  Compass,
  Diff,
  FreshenOptions,
  Health,
  IndexOptions,
  Place,
  Project,
  PruneOptions,
  PruneReport,
  Reading,
  ReadOptions,
  RefStatus,
  StateReport,
  SwitchAsk,
  Switched,
  WideReading,
  Workspace,
} from "./compass.ts";
import { diffOfTree } from "./diff.ts";
import { freshen, neededWork } from "./freshen.ts";
import { looseFiles } from "./loose.ts";
import { placeOf } from "./place.ts";
import type { CompassOptions, CompassPorts } from "./ports.ts";
import { Prewarm, warm } from "./prewarm.ts";
import { prune } from "./prune.ts";
import { needsCheckout, PublishedTree, publishedRefs } from "./published.ts";
import { ReadOnlyTree } from "./read-only.ts";
import { readingOf } from "./reading.ts";
import { RecordCache } from "./record-cache.ts";
import { refList } from "./ref-list.ts";
import type { Wanted } from "./refs.ts";
import { Roster } from "./roster.ts";
import { Sessions } from "./sessions.ts";
import { Shelf } from "./shelf.ts";
import { bootstrapSoon, pin } from "./standing.ts";
import { exportState, importState } from "./state.ts";
import { health, projectStatus } from "./status.ts";
import { switchRef } from "./switch-ref.ts";
import { Tree } from "./tree.ts";
import { FanOut } from "./wide/fan-out.ts";
import { wideReading } from "./wide/reading.ts";
import { timeLimit, WIDE_DEADLINE_MS } from "./wide/time-limit.ts";

export function createCompass(ports: CompassPorts, options: CompassOptions): Compass {
  return new OpenCompass(ports, options);
}

class OpenCompass implements Compass {
  readonly #ports: CompassPorts;
  readonly #options: CompassOptions;
  readonly #shelf: Shelf;
  readonly #answers: Answers | undefined;
  readonly #roster: Roster;
  readonly #seen = new RecordCache();
  readonly #grepped = new GrepMemo();
  readonly #sessions = new Sessions();
  readonly #startedAt: number;
  readonly #prewarm: Prewarm;

  constructor(ports: CompassPorts, options: CompassOptions) {
    this.#ports = ports;
    this.#options = options;
    this.#answers = ports.readers && new Answers(ports.readers);
    this.#shelf = new Shelf((row) => {
      if (row.published) return new PublishedTree(row, ports, options);
      return options.readOnly ? new ReadOnlyTree(row, ports, options) : new Tree(row, ports, options);
    }, options.warmset);
    this.#roster = new Roster(ports, options, (row) => this.#shelf.letGo(row));
    this.#startedAt = ports.env.monotonic();
    this.#prewarm = new Prewarm(options.prewarm);
  }

  get embeddingModel(): string {
    return this.#ports.embedders?.name ?? "none";
  }

  project(workspace?: string): Promise<Project> {
    return this.#told(this.#roster.project(workspace));
  }

  async place(path: string, workspace?: string): Promise<Place> {
    const find = (named?: string) => this.project(named);
    return placeOf(path, { workspace, find, files: this.#ports.files });
  }

  register(path: string): Promise<Project> {
    return this.#roster.register(path);
  }

  forget(path: string): Promise<Project> {
    return this.#roster.forget(path);
  }

  workspaces(): Promise<readonly Workspace[]> {
    return this.#roster.workspaces();
  }

  async read<T>(project: Project, options: ReadOptions, use: (reading: Reading) => Promise<T>): Promise<T> {
    return this.#using(project, (tree) => this.#reading(tree, project, options, use));
  }

  async readMany<T>(words: string, options: ReadOptions, use: (reading: WideReading) => Promise<T>): Promise<T> {
    const selection = await this.#told(this.#roster.select(words));
    const { env, scanner, stores } = this.#ports;
    const stop = timeLimit(env, this.#options.wideDeadlineMs ?? WIDE_DEADLINE_MS, options.signal);
    const read: Compass["read"] = (...asked) => this.read(...asked);
    const fan = new FanOut({ projects: selection.projects, read, options, stop });
    try {
      return await use(wideReading({ selection, fan, catalog: stores.catalog, scanner, ref: options.ref, stop }));
    } finally {
      fan.release();
    }
  }

  async #reading<T>(
    tree: Tree,
    project: Project,
    options: ReadOptions,
    use: (reading: Reading) => Promise<T>,
  ): Promise<T> {
    // S3: who asks for a tree that was just discovered is told at once that it is being indexed.
    const bootstrapWaitMs = tree.row.autoDiscovered ? 0 : this.#options.bootstrapWaitMs;
    const { snapshot, standing, wanted } = await pin(tree, { ...options, bootstrapWaitMs }, this.#ports);
    try {
      if (snapshot !== undefined) await (await tree.store()).used(wanted.view);
      const { hash, embedders } = this.#ports;
      const meaning = embedders === undefined ? {} : { embedders };
      const signal = options.signal === undefined ? {} : { signal: options.signal };
      const storeProject = await tree.idsProject();
      const layer = layerOfView(tree, project, wanted, snapshot);
      const grep = this.#grepIn(project, wanted, snapshot);
      const here = readingOf({ project, storeProject, standing, snapshot, layer, hash, grep, ...meaning, ...signal });
      const { readers } = this.#ports;
      return await use(
        beside(here, { readers, answers: this.#answers, tree, storeProject, snapshot, signal: options.signal }),
      );
    } finally {
      snapshot?.release();
      // After the answer: the native watcher takes a moment to start, on this thread.
      setImmediate(() => tree.watch());
    }
  }

  refs(project: Project): Promise<readonly RefStatus[]> {
    return this.#using(project, async (tree) => {
      if (!project.published) return refList(tree, this.#ports);
      const store = await tree.store();
      return publishedRefs(await store.views(), await store.uses());
    });
  }

  switchRef(project: Project, ask: SwitchAsk): Promise<Switched> {
    const { bootstrapWaitMs } = this.#options;
    const options = { ports: this.#ports, sessions: this.#sessions, bootstrapWaitMs };
    return this.#using(project, (tree) => switchRef(tree, project, ask, options));
  }

  sessionRef(project: Project, session: string): string | undefined {
    return this.#sessions.refOf(session, project.id);
  }

  async index(project: Project, options: IndexOptions): Promise<Job> {
    return this.#using(project, (tree) => this.#indexed(tree, options));
  }

  async #indexed(tree: Tree, options: IndexOptions): Promise<Job> {
    tree.watch();
    const { mode, force, ref } = options;
    const run = await tree.start({ mode, force, ...(ref !== undefined && { ref }) });
    if (options.onProgress !== undefined) {
      options.onProgress(run.job());
      run.onProgress(options.onProgress);
    }
    if (options.waitMs === 0) return run.job();
    options.signal?.addEventListener("abort", () => run.cancel(), { once: true });
    await Promise.race([run.finished, this.#ports.env.sleep(options.waitMs)]);
    return run.job();
  }

  async isCurrent(project: Project, ref?: string): Promise<boolean> {
    if (project.published) return true;
    return this.#using(project, async (tree) => (await neededWork(tree, ref)) === undefined);
  }

  async freshen(project: Project, options: FreshenOptions): Promise<void> {
    // What is published is as fresh as this machine can make it.
    if (project.published) return;
    return this.#using(project, (tree) => freshen(tree, options, this.#ports.env));
  }

  status(project: Project, ref?: string) {
    return this.#using(project, async (tree) => {
      if (tree.row.autoDiscovered) await bootstrapSoon(tree);
      return projectStatus(tree, project, ref);
    });
  }

  async prune(project: Project, options: PruneOptions): Promise<PruneReport> {
    requireCheckout(project, "forgetting refs");
    return this.#using(project, (tree) => prune(tree, options, this.#ports));
  }

  exportState(project: Project, file: string): Promise<StateReport> {
    return this.#using(project, (tree) => exportState(tree, file, this.#ports));
  }

  async importState(project: Project, file: string, signal = new AbortController().signal): Promise<StateReport> {
    requireCheckout(project, "importing an index");
    return this.#using(project, (tree) => importState(tree, file, this.#ports, signal));
  }

  async diff(project: Project, ask: DiffAsk, signal?: AbortSignal): Promise<Diff> {
    requireCheckout(project, "comparing refs");
    const options = { ports: this.#ports, settings: this.#options.indexing, seen: this.#seen };
    const until = signal ?? new AbortController().signal;
    return this.#using(project, (tree) => diffOfTree(tree, ask, { ...options, signal: until }));
  }

  async health(project?: Project): Promise<Health> {
    const wanted = project === undefined ? await this.#roster.known() : [project];
    const projects = await Promise.all(wanted.map((one) => this.status(one)));
    const watching = wanted[0] === undefined ? "off" : this.#tree(wanted[0]).watching;
    return health(
      projects,
      {
        startedAt: this.#startedAt,
        prewarm: this.#prewarm.state,
        prewarmEnabled: this.#options.prewarm,
        capacity: this.#shelf.capacity,
        members: this.#warmRoots(wanted),
        watcher: watching,
      },
      this.#ports,
    );
  }

  #warmRoots(seen: readonly Project[]): readonly string[] {
    const ids = this.#options.discreet ? new Set(seen.map(({ id }) => id)) : undefined;
    return this.#shelf.warm().flatMap(({ row }) => (ids === undefined || ids.has(row.id) ? [row.root] : []));
  }

  prewarm(): void {
    this.#prewarm.start(async () => {
      const known = await this.#roster.known();
      // The first is the default one: it is used last, and so the last to be closed.
      for (const project of known.slice(0, this.#shelf.capacity).reverse()) {
        await this.#using(project, (tree) => warm(tree, this.#ports.readers));
      }
    });
  }

  async close(): Promise<void> {
    await this.#shelf.close();
    const { indexer, parsers, readers, stores } = this.#ports;
    await Promise.all([
      stores.catalog?.close(),
      indexer.close(),
      parsers.close(),
      this.#ports.scanner.close(),
      readers?.close(),
      this.#ports.worktrees.close(),
    ]);
  }

  #grepIn({ root }: Project, { from }: Wanted, snapshot: Snapshot | undefined) {
    const { scanner, files } = this.#ports;
    const loose = snapshot && from === "directory" ? looseFiles(root, snapshot, files) : NO_LOOSE_FILES;
    return { scanner, loose, memo: this.#grepped };
  }

  /** Whoever may only read can register nothing, and is told what he can do instead. */
  #told<T>(found: Promise<T>): Promise<T> {
    if (!this.#options.readOnly) return found;
    return found.catch((error: unknown) => {
      throw toReaders(error);
    });
  }

  #using<T>(project: Project, work: (tree: Tree) => Promise<T>): Promise<T> {
    return this.#shelf.use(this.#roster.row(project), work);
  }

  #tree(project: Project): Tree {
    return this.#shelf.take(this.#roster.row(project));
  }
}

function requireCheckout({ root, published }: Project, doing: string): void {
  if (published) throw needsCheckout(root, doing);
}

function layerOfView(tree: Tree, project: Project, wanted: Wanted, snapshot: Snapshot | undefined): Reading["layer"] {
  if (!project.vcs || project.published) return async () => undefined;
  return tree.layers.at(wanted, snapshot);
}
