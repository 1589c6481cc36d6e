import { expect, test } from "vitest";
import { markOf } from "../ingest/extractor.ts";
import type { WorkspaceRow } from "../ports/registry.ts";
import type { Snapshot } from "../ports/snapshot.ts";
import { Following } from "./following.ts";
import type { CompassOptions, CompassPorts } from "./ports.ts";

/** A tree that is watched, the indexer it has, and a clock that stands until it is told to go on. */
function watched() {
  const waits: (() => void)[] = [];
  const warmed: string[] = [];
  const ports = {
    env: { sleep: () => new Promise<void>((resolve) => waits.push(resolve)) },
    watcher: { watch: async () => ({ mode: "native", close: async () => {} }) },
  } as unknown as CompassPorts;
  const following = new Following({ root: "/tree" } as WorkspaceRow, ports, {} as CompassOptions, {
    onReport: () => {},
    onWatched: () => void warmed.push("watched"),
  });
  following.watch();
  const goOn = async () => {
    await expect.poll(() => waits.length).toBe(1);
    waits[0]!();
  };
  return { following, goOn, warmed };
}

test("who is watched is made ready for its first change, after the first answers", async () => {
  const { following, goOn, warmed } = watched();
  await expect.poll(() => following.mode).toBe("native");
  expect(warmed).toEqual([]);
  await goOn();
  await expect.poll(() => warmed).toEqual(["watched"]);
  await following.close();
});

test("nothing is started for a tree that was closed meanwhile", async () => {
  const { following, goOn, warmed } = watched();
  await expect.poll(() => following.mode).toBe("native");
  await following.close();
  await goOn();
  await new Promise(setImmediate);
  expect(warmed).toEqual([]);
});

test("before a first checkout the disk is looked at as it would be then, in a few directories", async () => {
  const { following, looked } = seen(["a.c", "b.c", ...Array.from({ length: 50 }, (_, i) => `d${i}/f.c`)]);
  await following.rehearse(looked.snapshot);
  expect(looked.stamped).toHaveLength(16);
  expect(looked.walked).toEqual(looked.stamped);
  expect(looked.walked.slice(0, 2)).toEqual(["a.c", "d0/f.c"]);
});

/** A tree of one file that is watched and as indexed; what is reported of it, and which files are looked at then. */
async function followed() {
  const looked: string[] = [];
  let report: (paths: readonly string[]) => void = () => {};
  const watcher = {
    watch: async (_: string, { onChange }: { onChange: typeof report }) => {
      report = onChange;
      return { mode: "native", close: async () => {} };
    },
  };
  const files = {
    survey: async (_: string, __: object, see: (path: string, stamp: string) => void) => see("a.c", "1"),
    stamp: async (_: string, path: string) => {
      looked.push(path);
      return "1";
    },
  };
  const ports = { env: { sleep: () => new Promise(() => {}) }, watcher, files } as unknown as CompassPorts;
  const events = { onReport: () => {}, onWatched: () => {} };
  const options = { indexing: {} } as CompassOptions;
  const following = new Following({ root: "/tree" } as WorkspaceRow, ports, options, events);
  const info = { ref: "worktree", commit: "1", generation: 1 };
  const snapshot = { info, stamps: async () => new Map([["a.c", markOf("1")]]) } as unknown as Snapshot;
  const drift = (during?: "job") =>
    following.drift(snapshot, { view: "worktree", ref: "main", commit: "1", from: "directory" }, during);
  following.watch();
  await expect.poll(() => following.mode).toBe("native");
  expect(await drift()).toBeUndefined();
  return { drift, looked, report: (...paths: string[]) => report(paths) };
}

test("what is reported while a job runs is believed, and looked at when it has ended", async () => {
  const { drift, looked, report } = await followed();
  report("a.c");
  expect(await drift("job")).toMatchObject({ paths: ["a.c"] });
  expect(looked).toEqual([]);
  expect(await drift()).toBeUndefined();
  expect(looked).toEqual(["a.c"]);
});

test("that HEAD was written is not called a file that changed", async () => {
  const { drift, report } = await followed();
  report(".git/HEAD", "a.c");
  expect(await drift("job")).toMatchObject({ paths: ["a.c"] });
});

function seen(paths: readonly string[]) {
  const looked = {
    stamped: [] as string[],
    walked: [] as string[],
    snapshot: { stamps: async () => new Map(paths.map((path) => [path, "s"])) } as unknown as Snapshot,
  };
  const files = {
    stamp: async (_: string, path: string) => void looked.stamped.push(path),
    walk: async function* (_: string, { only }: { only: readonly string[] }) {
      looked.walked.push(...only);
      yield [];
    },
  };
  const ports = { files } as unknown as CompassPorts;
  const options = { indexing: {} } as CompassOptions;
  const events = { onReport: () => {}, onWatched: () => {} };
  return { following: new Following({ root: "/tree" } as WorkspaceRow, ports, options, events), looked };
}
