/**
 * A walk lets others have their turn by time, whether or not it finds anything. The clock of these tests jumps whenever
 * it is read, so that every offer to step aside is taken, and the turns of the event loop are counted.
 */
import { afterEach, expect, test, vi } from "vitest";
import { files, tree } from "../../../test/kit/walk-paths.ts";
import { loadWalkCache, saveWalkCache } from "./walk-cache.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

let now = performance.now();

/** How often others had their turn until the work was done. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  vi.spyOn(performance, "now").mockImplementation(() => {
    now += 10;
    return now;
  });
  let turns = 0;
  let isDone = false;
  const turn = () => {
    turns++;
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isDone = true;
  return turns;
}

function names(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `directory-with-a-name-of-some-length-${at}`);
}

const empty = (paths: readonly string[]) => tree(Object.fromEntries(paths.map((path) => [path, null])));

async function walkAll(root: string): Promise<void> {
  for await (const _ of files.walk(root));
}

test("between empty directories", async () => {
  const root = empty(names(300));
  expect(await turnsDuring(() => walkAll(root))).toBeGreaterThan(300);
});

test("between levels", async () => {
  const root = empty(["d/".repeat(300)]);
  expect(await turnsDuring(() => walkAll(root))).toBeGreaterThan(300);
});

test("within the listing of a large directory", async () => {
  const directories = names(5_000).map((path) => [path, null]);
  const root = tree({ ...Object.fromEntries(directories), "!sorts-first.py": "" });
  const untilFirst = async () => {
    for await (const _ of files.walk(root)) return;
  };
  expect(await turnsDuring(untilFirst)).toBeGreaterThan(10);
});

test("while the memory of many directories is written and read", async () => {
  const file = `${tree({})}/memory`;
  const known = { stamp: "1:1", entries: ["a.py"], ignores: [], index: "" };
  const tens = new Map(names(50_000).map((name) => [`${name}/`, known]));
  expect(await turnsDuring(() => saveWalkCache(file, "rules", tens))).toBeGreaterThan(20);
  expect(await turnsDuring(() => loadWalkCache(file, "rules"))).toBeGreaterThan(20);
  const read = await loadWalkCache(file, "rules");
  expect([...read.keys()].join()).toBe([...tens.keys()].join());
  expect(read.get([...tens.keys()].at(-1)!)).toEqual(known);
  expect(await loadWalkCache(file, "other rules")).toEqual(new Map());
});
