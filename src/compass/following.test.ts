import { expect, test } from "vitest";
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
