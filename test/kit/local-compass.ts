/** The core over a data directory on disk, with jobs in the test's own thread: hundreds can be opened in a minute. */
import { tarArchives } from "../../src/adapters/archive/archives.ts";
import { diskFiles, diskSelection } from "../../src/adapters/disk/files.ts";
import { systemEnv } from "../../src/adapters/env/system.ts";
import { gitHistory } from "../../src/adapters/git/history.ts";
import { gitObjects } from "../../src/adapters/git/objects.ts";
import { gitVcs } from "../../src/adapters/git/vcs.ts";
import { gitWorktrees } from "../../src/adapters/git/worktrees.ts";
import { createHash } from "../../src/adapters/hash/hashes.ts";
import { diskRegistry } from "../../src/adapters/registry/registry.ts";
import { sqliteStores } from "../../src/adapters/sqlite/stores.ts";
import type { Compass } from "../../src/compass/compass.ts";
import { createCompass } from "../../src/compass/open.ts";
import { embeddersOf } from "../../src/compose/embedders.ts";
import { threadScanner } from "../../src/compose/scanner.ts";
import { index } from "../../src/ingest/pipeline.ts";
import type { FreshnessPolicy } from "../../src/model/status.ts";
import type { Indexer } from "../../src/ports/indexer.ts";
import { DEFAULT_SETTINGS } from "../../src/tools/define.ts";
import { TOOLS } from "../../src/tools/index.ts";
import { runTool } from "../../src/tools/run.ts";
import { inlineParsers } from "./inline-parsers.ts";
import { PLAIN_SETTINGS } from "./settings.ts";

const env = systemEnv();
const hash = await createHash();
const files = diskFiles();
const parsers = await inlineParsers(files);
const embedders = embeddersOf(undefined)!;

const kept = { capacity: parsers.capacity, warm: parsers.warm, read: parsers.read, close: async () => {} };

export interface LocalCompass {
  readonly compass: Compass;
  /** The tool's payload, and whether it is an error. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read replies as they come
  ask(tool: string, input: object): Promise<{ readonly isError: boolean; readonly body: any; readonly text: string }>;
  /** Does what `codecompass index` does. */
  index(): Promise<void>;
  /** Waits until every job has ended. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

export function localCompass(home: string, root: string, freshnessPolicy: FreshnessPolicy = "balanced"): LocalCompass {
  const stores = sqliteStores({ env, hash });
  const objects = gitObjects(diskSelection);
  const running = new Set<Promise<unknown>>();
  const run: Indexer["run"] = async (request, onProgress, signal) => {
    const store = await stores.open(request.storeLocation, { create: true, project: request.project });
    try {
      return await index(request, { store, files, objects, parsers: kept, hash, embedders, env }, onProgress, signal);
    } finally {
      await store.close();
    }
  };
  const indexer: Indexer = {
    run: (...job) => {
      const done = run(...job);
      const settled: Promise<unknown> = done.catch(() => {}).then(() => running.delete(settled));
      running.add(settled);
      return done;
    },
    close: () => objects.close(),
  };
  const ports = {
    env,
    hash,
    files,
    vcs: gitVcs(),
    history: gitHistory(),
    objects,
    archives: tarArchives(),
    worktrees: gitWorktrees({ home, env, hash }),
    registry: diskRegistry({ home, hash, now: env.now }),
    stores,
    indexer,
    scanner: threadScanner(),
    parsers: kept,
    embedders,
    grammars: async () => ({ available: [], missing: [] }),
    memoryBytes: () => 0,
    version: "test",
  };
  const options = { workspaces: [root], bootstrapWaitMs: 60_000, prewarm: false, indexing: PLAIN_SETTINGS };
  const compass = createCompass(ports, options);
  const context = { compass, settings: { ...DEFAULT_SETTINGS, freshnessPolicy }, version: "test" };
  return {
    compass,
    ask: async (name, input) => {
      const tool = TOOLS.find((one) => one.name === name)!;
      return runTool(tool, input, context, { onBug: (bug) => console.error(name, bug) });
    },
    index: async () => {
      const project = await compass.project();
      if (await compass.isCurrent(project)) return;
      const job = await compass.index(project, { mode: "full", force: false, waitMs: Number.POSITIVE_INFINITY });
      if (job.status !== "published") throw new Error(`the job ${job.status}: ${job.errorMessage}`);
    },
    idle: async () => {
      while (running.size > 0) await Promise.all(running);
    },
    close: () => compass.close(),
  };
}
