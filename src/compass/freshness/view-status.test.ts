import { expect, test } from "vitest";
import type { Snapshot } from "../../ports/snapshot.ts";
import type { CompassPorts } from "../ports.ts";
import type { Tree } from "../projects/tree.ts";
import { pin } from "./view-status.ts";

/** A tree whose files differ from its view, and the sync requests it gets; `job` is what runs when a query arrives. */
function drifted(job: "job" | undefined) {
  const synced: string[] = [];
  let running: unknown = job;
  const info = { ref: "worktree", commit: "1", generation: 1, coverage: { skippedReasons: {} } };
  const tree = {
    resolve: async () => ({ view: "worktree", ref: "main", commit: "1", from: "directory" }),
    store: async () => ({ snapshot: async () => ({ info, release: () => {} }) as unknown as Snapshot }),
    activeRun: () => running,
    drift: async () => {
      running = undefined;
      return { paths: ["a.ts"] };
    },
    syncSoon: async ({ paths }: { paths: readonly string[] }) => void synced.push(...paths),
    warnings: async () => [],
  } as unknown as Tree;
  const ask = () => pin(tree, { policy: "balanced", bootstrapWaitMs: 0 }, {} as CompassPorts);
  return { ask, synced };
}

test("what differs is synced", async () => {
  const { ask, synced } = drifted(undefined);
  expect((await ask()).status.freshness).toBe("stale");
  expect(synced).toEqual(["a.ts"]);
});

test("what differs from a state that a job has replaced meanwhile is not synced once more", async () => {
  const { ask, synced } = drifted("job");
  expect((await ask()).status.freshness).toBe("syncing");
  expect(synced).toEqual([]);
});

test("a state that a job replaces while it is opened is not answered from", async () => {
  let running: unknown = "job";
  const open = new Set<number>();
  let generation = 0;
  const snapshot = async () => {
    const info = { ref: "worktree", generation: ++generation, coverage: { skippedReasons: {} } };
    open.add(info.generation);
    running = undefined;
    return { info, release: () => void open.delete(info.generation) } as unknown as Snapshot;
  };
  const tree = {
    resolve: async () => ({ view: "worktree", ref: "main", from: "directory" }),
    store: async () => ({ snapshot }),
    activeRun: () => running,
    drift: async ({ info }: Snapshot) => (info.generation === 1 ? { paths: ["a.ts"] } : undefined),
    warnings: async () => [],
  } as unknown as Tree;
  const { snapshot: shown, status } = await pin(tree, { policy: "balanced", bootstrapWaitMs: 0 }, {} as CompassPorts);
  expect(shown!.info.generation).toBe(2);
  expect(status.freshness).toBe("fresh");
  expect([...open]).toEqual([2]);
});
