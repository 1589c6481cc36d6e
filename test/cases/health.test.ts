/** C26 and C27: health while a job runs and while the index is prewarmed, over a core with a paused indexer. */
import { expect, test, vi } from "vitest";
import { tarArchives } from "../../src/adapters/archive/archives.ts";
import { diskFiles, diskSelection } from "../../src/adapters/disk/files.ts";
import { systemEnv } from "../../src/adapters/env/system.ts";
import { gitHistory } from "../../src/adapters/git/history.ts";
import { gitObjects } from "../../src/adapters/git/objects.ts";
import { gitVcs } from "../../src/adapters/git/vcs.ts";
import { gitWorktrees } from "../../src/adapters/git/worktrees.ts";
import { createHash } from "../../src/adapters/hash/hashes.ts";
import { diskRegistry } from "../../src/adapters/registry/registry.ts";
import { createCompass } from "../../src/compass/open.ts";
import type { CompassPorts } from "../../src/compass/ports.ts";
import { ParserPool } from "../../src/compose/parsers.ts";
import { threadScanner } from "../../src/compose/scanner.ts";
import type { Generation } from "../../src/model/ids.ts";
import type { IndexReport } from "../../src/model/jobs.ts";
import type { Indexer } from "../../src/ports/indexer.ts";
import type { Store } from "../../src/ports/store.ts";
import { serveForTest } from "../kit/http.ts";
import { memoryStores } from "../kit/memory/stores.ts";
import { git, sandbox } from "../kit/sandbox.ts";
import { PLAIN_SETTINGS } from "../kit/settings.ts";

const REPORT: IndexReport = {
  generation: 1 as Generation,
  published: true,
  changedFiles: 0,
  removedFiles: 0,
  parsedFiles: 0,
  hashedFiles: 0,
  coverage: { filesIndexed: 0, filesSkipped: 0, skippedReasons: {} },
  symbolCount: 0,
  isCollectionDue: false,
  durationMs: 1,
};

/** An indexer whose job runs until it is released. */
function heldIndexer(): Indexer & { letGo(): void; hold(): void; readonly refs: string[] } {
  let gate = Promise.withResolvers<void>();
  const refs: string[] = [];
  return {
    refs,
    hold: () => {
      gate = Promise.withResolvers<void>();
    },
    run: async ({ name }, onProgress, signal) => {
      refs.push(name ?? "");
      signal?.addEventListener("abort", () => gate.resolve());
      onProgress({ stage: "parsing", filesScanned: 3, filesTotal: 3, filesIndexed: 1, symbolsExtracted: 9 });
      await gate.promise;
      return REPORT;
    },
    close: async () => gate.resolve(),
    letGo: () => gate.resolve(),
  };
}

async function compassOver(home: string, tree: string, indexer: Indexer, slow?: Promise<void>) {
  const env = systemEnv();
  const hash = await createHash();
  const stores = memoryStores({ env });
  const ports: CompassPorts = {
    env,
    hash,
    files: diskFiles(),
    vcs: gitVcs(),
    history: gitHistory(),
    objects: gitObjects(diskSelection),
    archives: tarArchives(),
    worktrees: gitWorktrees({ home, env, hash }),
    registry: diskRegistry({ home, hash, now: env.now }),
    stores: { ...stores, open: async (...args) => delayed(await stores.open(...args), slow) },
    indexer,
    scanner: threadScanner(),
    parsers: new ParserPool(),
    grammars: async () => ({ available: [], missing: [] }),
    memoryBytes: () => 0,
    version: "0",
  };
  const indexing = PLAIN_SETTINGS;
  return createCompass(ports, { workspaces: [tree], bootstrapWaitMs: 0, prewarm: slow !== undefined, indexing });
}

/** The store during prewarming: its first snapshot takes as long as the test wants. */
function delayed(store: Store, slow: Promise<void> | undefined): Store {
  if (slow === undefined) return store;
  let first = true;
  return new Proxy(store, {
    get: (target, key) => {
      const value = Reflect.get(target, key);
      if (key !== "snapshot") return typeof value === "function" ? value.bind(target) : value;
      return async (ref: string) => {
        if (first) {
          first = false;
          await slow;
        }
        return target.snapshot(ref);
      };
    },
  });
}

test("a long job of one ref does not delay queries for another", async () => {
  using box = sandbox();
  const indexer = heldIndexer();
  const root = box.repository({ "a.py": "x = 1\n" });
  for (const name of ["long", "other"]) git(root, "branch", name);
  const compass = await compassOver(box.home, root, indexer);
  const project = await compass.project();
  const sync = (ref: string) => compass.index(project, { ref, mode: "incremental", force: false, waitMs: 0 });
  const { id } = await sync("long");
  await expect(sync("long")).rejects.toMatchObject({ code: "sync_in_progress" });
  const queued = await sync("other");
  expect(queued).toMatchObject({ ref: "other", status: "queued" });
  await expect(sync("other")).rejects.toMatchObject({ code: "sync_in_progress", data: { job_id: queued.id } });
  const { activeJob, recentJobs } = await compass.status(project);
  expect([activeJob, ...recentJobs].map((job) => [job?.id, job?.ref, job?.status])).toEqual([
    [id, "long", "running"],
    [queued.id, "other", "queued"],
  ]);
  const asked = compass.read(project, { ref: "other", policy: "balanced" }, async () => "answered");
  await expect(asked).rejects.toMatchObject({ code: "overlay_not_ready", data: { ref: "other" } });
  indexer.letGo();
  await vi.waitFor(() => expect(indexer.refs).toEqual(["long", "other"]));
  await compass.close();
});

test("a caller that waits for the job of another ref gets its own, unless it leaves or the server stops", async () => {
  using box = sandbox();
  const indexer = heldIndexer();
  const root = box.repository({ "a.py": "x = 1\n" });
  for (const name of ["long", "patient", "gone", "late"]) git(root, "branch", name);
  const compass = await compassOver(box.home, root, indexer);
  const project = await compass.project();
  const sync = (ref: string, waitMs: number, signal = new AbortController().signal) =>
    compass.index(project, { ref, mode: "incremental", force: false, waitMs, signal });
  await sync("long", 0);
  const leaving = new AbortController();
  const [patient, gone] = [sync("patient", 60_000), sync("gone", 60_000, leaving.signal)];
  leaving.abort();
  await expect(gone).rejects.toThrow(/abort/);
  indexer.letGo();
  expect(await patient).toMatchObject({ ref: "patient", status: "published" });
  expect(indexer.refs).toEqual(["long", "patient"]);
  indexer.hold();
  await sync("long", 0);
  await sync("late", 0);
  await compass.close();
  expect(indexer.refs).toEqual(["long", "patient", "long"]);
});

test("C26: a running job makes the server `indexing`, with the job's figures", async () => {
  using box = sandbox();
  const indexer = heldIndexer();
  const compass = await compassOver(box.home, box.tree({ "a.py": "x = 1\n" }), indexer);
  const project = await compass.project();
  await compass.index(project, { mode: "full", force: false, waitMs: 0 });
  const health = await compass.health();
  expect(health.status).toBe("indexing");
  expect(health.projects[0]!.activeJob).toMatchObject({ status: "running", progress: { symbolsExtracted: 9 } });
  await expect(compass.index(project, { mode: "full", force: false, waitMs: 0 })).rejects.toMatchObject({
    code: "index_in_progress",
  });
  await expect(compass.index(project, { mode: "incremental", force: false, waitMs: 0 })).rejects.toMatchObject({
    code: "sync_in_progress",
  });
  indexer.letGo();
  await compass.close();
});

test("before the first index is published, a file or symbol that a call names is not called missing", async () => {
  using box = sandbox();
  const indexer = heldIndexer();
  const compass = await compassOver(box.home, box.tree({ "a.py": "def a():\n    pass\n" }), indexer);
  const server = await serveForTest(compass);
  const named: readonly [string, object][] = [
    ["get_file_outline", { path: "a.py" }],
    ["find_references", { symbol_name: "a" }],
    ["get_symbol_hierarchy", { symbol_name: "a" }],
    ["find_related_symbols", { symbol_name: "a" }],
    ["get_call_graph", { symbol_name: "a" }],
    ["impact", { symbol_name: "a" }],
    ["explain_ranking", { query: "a", result_path: "a.py", result_line_start: 1 }],
  ];
  await compass.index(await compass.project(), { mode: "full", force: false, waitMs: 0 });
  for (const freshness_policy of ["best_effort", "balanced", "strict"])
    for (const [tool, input] of named) {
      const { error, metadata } = await server.tool(tool, { ...input, freshness_policy });
      expect([tool, error.code, metadata.indexing_status]).toEqual([tool, "index_not_ready", "indexing"]);
    }
  indexer.letGo();
  await compass.close();
});

test("C27: warming comes before indexing", async () => {
  using box = sandbox();
  const indexer = heldIndexer();
  const slow = Promise.withResolvers<void>();
  const compass = await compassOver(box.home, box.tree({ "a.py": "x = 1\n" }), indexer, slow.promise);
  const project = await compass.project();
  compass.prewarm();
  await new Promise((resolve) => setImmediate(resolve));
  await compass.index(project, { mode: "full", force: false, waitMs: 0 });
  expect((await compass.health()).status).toBe("warming");
  slow.resolve();
  await expect.poll(async () => (await compass.health()).prewarm).toBe("complete");
  expect((await compass.health()).status).toBe("indexing");
  indexer.letGo();
  await compass.close();
});
