import { expect, test } from "vitest";
import type { WorkspaceRow } from "../ports/registry.ts";
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
