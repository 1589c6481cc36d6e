import { expect, test } from "vitest";
import { storedStamp } from "../../ingest/extractor.ts";
import type { Snapshot } from "../../ports/snapshot.ts";
import type { CompassOptions, CompassPorts } from "../ports.ts";
import type { Tree } from "../projects/tree.ts";
import { TreeFollower } from "./tree-follower.ts";

const TREE = {
  row: { root: "/tree" },
  readsOnly: false,
  idsProject: async () => "p",
  checkedOut: async () => ({ view: "worktree", ref: "main", commit: "1", from: "directory" }),
  withSnapshot: async () => undefined,
  store: async () => ({ views: async () => [] }),
} as unknown as Tree;

/** A watched tree, what its indexer prepares, and a clock that stops until `elapse`. */
function watched() {
  const waits: (() => void)[] = [];
  const warmed: string[] = [];
  const ports = {
    env: { sleep: () => new Promise<void>((resolve) => waits.push(resolve)) },
    files: {},
    indexer: { warm: ({ ref }: { ref: string }) => void warmed.push(ref) },
    watcher: { watch: async () => ({ mode: "native", gathered: () => [], close: async () => {} }) },
  } as unknown as CompassPorts;
  const follower = new TreeFollower(TREE, ports, { indexing: {} } as CompassOptions);
  follower.watch();
  const elapse = async () => {
    await expect.poll(() => waits.length).toBe(1);
    waits[0]!();
  };
  return { follower, elapse, warmed };
}

test("the job thread is prepared for the first change of a watched tree, after the first answers", async () => {
  const { follower, elapse, warmed } = watched();
  await expect.poll(() => follower.mode).toBe("native");
  expect(warmed).toEqual([]);
  await elapse();
  await expect.poll(() => warmed).toEqual(["worktree"]);
  await follower.close();
});

test("nothing is started for a tree that was closed meanwhile", async () => {
  const { follower, elapse, warmed } = watched();
  await expect.poll(() => follower.mode).toBe("native");
  await follower.close();
  await elapse();
  await new Promise(setImmediate);
  expect(warmed).toEqual([]);
});

/**
 * A tree of one file that is watched and as indexed; what is reported of it, which files are looked at then, and how
 * often all are. `held` is what the watcher has gathered and not passed on.
 */
async function followed(more: (current: () => Snapshot) => object = () => ({})) {
  const looked: string[] = [];
  const held: string[] = [];
  const disk = { stamp: "1", surveys: 0 };
  let report: (paths: readonly string[]) => void = () => {};
  const watcher = {
    watch: async (_: string, { onChange }: { onChange: typeof report }) => {
      report = onChange;
      const outsideIgnored = async (paths: readonly string[]) => paths.filter((path) => !path.startsWith("out/"));
      return { mode: "native", gathered: () => [...held], outsideIgnored, close: async () => {} };
    },
  };
  const files = {
    survey: async (_: string, __: object, see: (path: string, stamp: string) => void) => {
      disk.surveys++;
      await new Promise(setImmediate);
      see("a.c", disk.stamp);
    },
    stamp: async (_: string, path: string) => {
      looked.push(path);
      return disk.stamp;
    },
    walk: async function* () {
      yield [{ skip: { path: "out/", reason: "ignored" } }];
    },
  };
  const vcs = { isWriting: async () => false };
  const ports = { env: { sleep: () => new Promise(() => {}) }, watcher, files, vcs } as unknown as CompassPorts;
  const tree = { ...TREE, ...more(() => snapshot) } as unknown as Tree;
  const follower = new TreeFollower(tree, ports, { indexing: {} } as CompassOptions);
  const info = { stateId: "1", ref: "worktree", commit: "1", generation: 1 };
  const skips = async () => [];
  const snapshot = {
    info,
    stamps: async () => new Map([["a.c", storedStamp("1", { includeSecrets: false })]]),
    skips,
    skipped: skips,
  } as unknown as Snapshot;
  const drift = (by?: "job" | "look") =>
    follower.drift(snapshot, { view: "worktree", ref: "main", commit: "1", from: "directory" }, by);
  follower.watch();
  await expect.poll(() => follower.mode).toBe("native");
  expect(await drift()).toBeUndefined();
  return { drift, follower, info, looked, held, disk, report: (...paths: string[]) => report(paths) };
}

test("a query sees an edit that the watcher still collects", async () => {
  const { drift, held, disk } = await followed();
  disk.stamp = "2";
  expect(await drift()).toBeUndefined();
  held.push("a.c", "out/b.c");
  expect(await drift("job")).toBeUndefined();
  expect((await drift())!.paths).toEqual(["a.c"]);
});

test("a scan finds an edit that was never reported; concurrent queries share the next scan", async () => {
  const { drift, disk } = await followed();
  const before = disk.surveys;
  const first = drift("look");
  await expect.poll(() => disk.surveys).toBe(before + 1);
  disk.stamp = "2";
  const later = await Promise.all(Array.from({ length: 10 }, () => drift("look")));
  expect(later).toEqual(Array.from({ length: 10 }, () => expect.objectContaining({ paths: ["a.c"] })));
  await first;
  expect(disk.surveys).toBe(before + 2);
});

test("what is reported while a job runs is believed, and looked at when it has ended", async () => {
  const { drift, looked, report } = await followed();
  report("a.c");
  expect(await drift("job")).toMatchObject({ paths: ["a.c"] });
  expect(looked).toEqual([]);
  expect(await drift()).toBeUndefined();
  expect(looked).toEqual(["a.c"]);
});

test("a query that arrives during a scan of reported paths waits for it", async () => {
  const { drift, looked, report } = await followed();
  report("a.c");
  expect(await Promise.all([drift(), drift(), drift()])).toEqual([undefined, undefined, undefined]);
  expect(looked).toEqual(["a.c"]);
});

test("what is reported while others are looked at is looked at, too, before it is called a change", async () => {
  const { drift, looked, report } = await followed();
  report("a.c");
  const asked = drift();
  report("a.c");
  expect(await asked).toBeUndefined();
  expect(looked).toEqual(["a.c", "a.c"]);
});

test("that HEAD was written is not called a file that changed", async () => {
  const { drift, report } = await followed();
  report(".git/HEAD", "a.c");
  expect(await drift("job")).toMatchObject({ paths: ["a.c"] });
});

test("what an answer found before a job ended is looked for again, and starts no second job", async () => {
  const jobs: string[] = [];
  const { drift, follower, info, held, disk } = await followed((current) => ({
    withSnapshot: async (_: string, use: (snapshot: Snapshot) => unknown) => use(current()),
    resolve: async () => {
      jobs.push("launched");
      throw new Error("no job can be run here");
    },
  }));
  disk.stamp = "2";
  held.push("a.c");
  const found = (await drift())!;
  // The job was published meanwhile, and its state shows the edit.
  disk.stamp = "1";
  info.stateId = "2";
  info.generation = 2;
  await follower.syncSoon(found);
  expect(jobs).toEqual([]);
  disk.stamp = "3";
  await follower.syncSoon((await drift())!);
  expect(jobs).toEqual(["launched"]);
});
