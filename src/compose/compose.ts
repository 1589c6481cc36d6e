/** Which adapter backs which port. The only place where the core and the outside world meet. */
import { tarArchives } from "../adapters/archive/archives.ts";
import { diskFiles, diskSelection } from "../adapters/disk/files.ts";
import { systemEnv } from "../adapters/env/system.ts";
import { delegateGitRuns, endGitAtExit } from "../adapters/git/command.ts";
import { gitHistory } from "../adapters/git/history.ts";
import { gitObjects } from "../adapters/git/objects.ts";
import { locateRepository } from "../adapters/git/repository-files.ts";
import { gitVcs } from "../adapters/git/vcs.ts";
import { gitWorktrees } from "../adapters/git/worktrees.ts";
import { createHash } from "../adapters/hash/hashes.ts";
import { diskRegistry, type RegistryOptions } from "../adapters/registry/registry.ts";
import { grammarSources } from "../adapters/treesitter/locate.ts";
import type { Compass } from "../compass/compass.ts";
import { createCompass } from "../compass/open.ts";
import type { Discovery } from "../compass/ports.ts";
import { registerWorkspace } from "../compass/projects/resolve-workspace.ts";
import { version } from "../config/manifest.ts";
import type { Config } from "../config/schema.ts";
import { LANGUAGES } from "../languages/index.ts";
import type { Env } from "../ports/env.ts";
import type { Watcher } from "../ports/files.ts";
import type { Indexer } from "../ports/indexer.ts";
import type { Registry } from "../ports/registry.ts";
import type { StoreOpener } from "../ports/store.ts";
import type { Worktrees } from "../ports/vcs.ts";
import { guardedFiles, guardedRegistry, guardedWorktrees } from "./access-filter.ts";
import { embeddersOf, embeddingOf } from "./embedders.ts";
import { GitThread } from "./git-thread.ts";
import { serverIndexer, threadIndexer } from "./indexer.ts";
import { ParserPool } from "./parsers.ts";
import { ReaderPool, type ReadersOptions } from "./readers.ts";
import { threadScanner } from "./scanner.ts";
import { sharedHome, sharedName, sharedRegistry, sharedVcs } from "./shared-store.ts";
import { isShared, shownStore, storesOf } from "./stores.ts";
import { surveyingInThread } from "./survey.ts";
import { optimisedKernel } from "./v8-flags.ts";

export interface OpenOptions {
  /** The data directory. */
  readonly home: string;
  readonly workspaces: readonly string[];
  readonly defaultWorkspace?: string;
  readonly settings: Config;
  /** Trees that calls may name without a registration. */
  readonly discovery?: Discovery;
  /** Answer questions in threads: all of them, or those about large views. */
  readonly readers?: "all" | "large_views";
  /** Follow edits while open. */
  readonly watch: boolean;
  /** For the daemon of the command line: starts no job, and keeps what it has read until it is closed. */
  readonly daemon?: true;
  /** Callers are principals of the shared store: each is shown what it may see, and nothing else. */
  readonly guarded?: boolean;
  /** Number of repositories to index in parallel. */
  readonly jobs?: number;
}

/** A first question about a tree that was never indexed waits this long before it answers with what there is. */
const BOOTSTRAP_WAIT_MS = 8_000;
/** About 200,000 lines: below, no question takes more than some 20 ms. */
const LARGE_VIEW_CHUNKS = 5_000;

export async function openCompass(options: OpenOptions): Promise<Compass> {
  const { settings } = options;
  const env = systemEnv();
  const hash = await createHash();
  const embedding = embeddingOf(settings);
  const embedders = embeddersOf(embedding);
  const { store, read_store: readStore } = settings;
  const guarded = options.guarded === true;
  const indexerOf = options.readers === undefined ? threadIndexer : serverIndexer;
  const horizon = { at: 0 };
  const stores = storesOf({
    store,
    readStore,
    horizon,
    env,
    hash,
    kernelOf: optimisedKernel,
    cacheShare: options.readers === "all" ? 0.7 : 1,
    connections: settings["server.connections"],
    guarded,
  });
  endGitAtExit();
  if (options.readers !== undefined) startGitInThread();
  const disk = surveyingInThread(diskFiles());
  const known = registryOf({ home: options.home, store, hash, now: env.now });
  const worktrees = sweptWorktrees(gitWorktrees({ home: options.home, env, hash }));
  const vcs = isShared(store) ? sharedVcs(gitVcs(), hash) : gitVcs();
  if (guarded) await registerAll(options.workspaces, { files: disk, registry: known, vcs });
  const registry = guarded ? guardedRegistry(known, stores) : known;
  return createCompass(
    {
      env,
      hash,
      files: guarded ? guardedFiles(disk, registry) : disk,
      vcs,
      history: gitHistory(),
      objects: gitObjects(diskSelection),
      archives: tarArchives(),
      worktrees: guarded ? guardedWorktrees(worktrees) : worktrees,
      registry,
      stores,
      indexer: seeing(indexerOf(store, options.jobs), stores),
      scanner: threadScanner(),
      parsers: new ParserPool(),
      ...(options.readers !== undefined && {
        readers: new ReaderPool({
          ...readersOf(options.readers, settings),
          embedding,
          store,
          readStore,
          guarded,
          horizon,
        }),
      }),
      ...(options.watch && { watcher: lazyWatcher }),
      ...(embedders && { embedders }),
      grammars: async () => presentGrammars(),
      memoryBytes: residentBytes(env),
      repositoryName: sharedName,
      version: version(),
    },
    {
      workspaces: options.workspaces,
      ...(options.defaultWorkspace !== undefined && { defaultWorkspace: options.defaultWorkspace }),
      ...(options.discovery !== undefined && { discovery: options.discovery }),
      ...(guarded && { discreet: true, readOnly: true }),
      ...(options.daemon && { readOnly: true, keepsMemory: true }),
      warmset: settings["server.warmset"],
      bootstrapWaitMs: BOOTSTRAP_WAIT_MS,
      prewarm: settings["server.prewarm"],
      wideDeadlineMs: settings["query.wide_deadline_ms"],
      indexing: {
        maxFileBytes: settings["index.max_file_bytes"],
        includeSecrets: settings["index.include_secrets"],
        hidden: settings["index.hidden"],
        ignoreFiles: settings["index.ignore_files"],
        workers: settings["index.workers"],
        embedding,
      },
    },
  );
}

/** One for the process, as what it replaces. */
function startGitInThread(): void {
  const thread = new GitThread();
  delegateGitRuns((args) => thread.run(args));
}

/** A path that is no directory is the name of a repository, or gone: a call that names it gets an error. */
async function registerAll(trees: readonly string[], ports: Parameters<typeof registerWorkspace>[1]): Promise<void> {
  for (const tree of trees) await registerWorkspace(tree, ports).catch(() => {});
}

/** What was just indexed is seen by the next question, also where questions are read from a replica. */
function seeing(indexer: Indexer, stores: StoreOpener): Indexer {
  return {
    run: async (...job) => {
      const report = await indexer.run(...job);
      await stores.shared?.look();
      return report;
    },
    warm: (rehearsal) => indexer.warm?.(rehearsal),
    close: () => indexer.close(),
  };
}

/** What is registered with a shared store is apart from what this machine indexes for itself. */
function registryOf({ store, home, hash, now }: RegistryOptions & { readonly store: string }): Registry {
  if (!isShared(store)) return diskRegistry({ home, hash, now });
  return sharedRegistry(diskRegistry({ home: sharedHome(home, shownStore(store), hash), hash, now }));
}

const MEMORY_MS = 1_000;

/** Asking the system takes a millisecond; a load balancer asks ten times a second. */
function residentBytes({ monotonic }: Env): () => number {
  let asked = Number.NEGATIVE_INFINITY;
  let bytes = 0;
  return () => {
    if (monotonic() - asked < MEMORY_MS) return bytes;
    asked = monotonic();
    bytes = process.memoryUsage.rss();
    return bytes;
  };
}

/** A client of its own gets one thread, and only for views that take longer than starting one is worth. */
function readersOf(kind: "all" | "large_views", settings: Config): ReadersOptions {
  if (kind === "all") return { threads: settings["server.readers"], leastChunks: 0 };
  return { threads: 1, leastChunks: LARGE_VIEW_CHUNKS };
}

/** The first answer goes first. */
const SWEEP_AFTER_MS = 1_000;

/** What a killed process left behind is removed in the background when the next one starts. */
function sweptWorktrees(worktrees: Worktrees): Worktrees {
  setTimeout(() => void worktrees.sweep().catch(() => {}), SWEEP_AFTER_MS).unref();
  return worktrees;
}

/** The native watcher is a shared library: loaded when the first tree is watched, not at start. */
const lazyWatcher: Watcher = {
  watch: async (root, events) => {
    const { treeWatcher } = await import("../adapters/watch/watcher.ts");
    const gitDirectory = (at: string) => locateRepository(at)?.gitDir;
    return treeWatcher({ files: diskFiles(), gitDirectory }).watch(root, events);
  },
};

interface PresentGrammars {
  readonly available: readonly string[];
  readonly missing: readonly string[];
}

/** Looked for once: what is installed does not change while a process lives, and every status request needs it. */
let grammars: PresentGrammars | undefined;

function presentGrammars(): PresentGrammars {
  grammars ??= findGrammars();
  return grammars;
}

function findGrammars(): PresentGrammars {
  const sources = grammarSources(LANGUAGES);
  const ids = LANGUAGES.filter(({ grammar }) => grammar !== undefined && grammar.of === undefined).map(({ id }) => id);
  return {
    available: ids.filter((id) => sources.has(id)).sort(),
    missing: ids.filter((id) => !sources.has(id)).sort(),
  };
}
