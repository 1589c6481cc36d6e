import { expect, test } from "vitest";
import { PLAIN_SETTINGS } from "../../test/kit/settings.ts";
import type { ContentHash, Hash, ProjectId } from "../model/ids.ts";
import type { Files } from "../ports/files.ts";
import type { Snapshot } from "../ports/snapshot.ts";
import { rehearse } from "./warm-up.ts";

const TREE = "t" as ProjectId;
const request = {
  project: TREE,
  tree: TREE,
  root: "/tree",
  storeLocation: "/store",
  ref: "worktree",
  settings: PLAIN_SETTINGS,
};
const hash = (() => "h" as ContentHash) as unknown as Hash;

/** Of the whole tree. */
const ENTRIES = 10_000;

function world(paths: readonly string[]) {
  const [walked, read]: [string[], string[]] = [[], []];
  let held = 0;
  let entries = 0;
  const files = {
    walk: async function* (_root: string, { only }: { only?: readonly string[] }) {
      if (only === undefined) {
        for (; entries < ENTRIES; entries += 500) yield Array.from({ length: 500 }, () => ({ file: { path: "x" } }));
        return;
      }
      walked.push(...only);
      yield only.map((path) => ({ file: { path, size: 1, stamp: "s" } }));
    },
    read: async (_root: string, path: string) => {
      read.push(path);
      return { ok: true, bytes: new Uint8Array(1), stamp: "s" };
    },
  } as unknown as Files;
  const snapshot = {
    stamps: async () => new Map(paths.map((path) => [path, "s"])),
    release: () => void held--,
  } as unknown as Snapshot;
  const store = {
    snapshot: async (ref: string) => {
      if (ref !== request.ref) return undefined;
      held++;
      return snapshot;
    },
  };
  return { ports: { store, files, hash }, walked, read, held: () => held, entries: () => entries };
}

test("one file of each directory is looked at and read, and nothing is held afterwards", async () => {
  const { ports, walked, read, held } = world(["a.c", "b.c", "src/x.c", "src/y.c", "src/deep/z.c"]);
  expect(await rehearse(request, ports)).toBe(3);
  expect(walked).toEqual(["a.c", "src/x.c", "src/deep/z.c"]);
  expect(read).toEqual(walked);
  expect(held()).toBe(0);
});

test("of a large tree some directories are enough", async () => {
  const { ports } = world(Array.from({ length: 1_000 }, (_, i) => `d${i}/f.c`));
  expect(await rehearse(request, ports)).toBe(64);
});

test("a tree without an index has nothing to rehearse", async () => {
  const { ports, walked } = world(["a.c"]);
  expect(await rehearse({ ...request, ref: "live" }, ports)).toBe(0);
  expect(walked).toEqual([]);
});

test("the whole tree is walked, and not to its end where it is large", async () => {
  const { ports, entries } = world(["a.c"]);
  await rehearse(request, ports);
  expect(entries()).toBeGreaterThan(1_000);
  expect(entries()).toBeLessThan(ENTRIES / 2);
});
