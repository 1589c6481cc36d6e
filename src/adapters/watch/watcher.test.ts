import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import type { Watch } from "../../ports/files.ts";
import { diskFiles } from "../disk/files.ts";
import { treeWatcher, type WatcherOptions } from "./watcher.ts";

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

async function follow(options: Partial<WatcherOptions> = {}, prepare: (root: string) => void = () => {}) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "watch-")));
  cleanUp.push(() => rmSync(root, { recursive: true, force: true }));
  prepare(root);
  const seen = new Set<string>();
  const degraded: string[] = [];
  const watch: Watch = await treeWatcher({ files: diskFiles(), ...options }).watch(root, {
    onChange: (paths) => {
      for (const path of paths === "everything" ? [paths] : paths) seen.add(path);
    },
    onDegraded: (reason) => degraded.push(reason),
  });
  cleanUp.push(() => watch.close());
  const reported = (path: string) =>
    vi.waitFor(() => expect([...seen]).toContain(path), { timeout: 20_000, interval: 20 });
  return { root, seen, degraded, watch, reported };
}

test("new, edited, moved and deleted files are reported", async () => {
  const { root, watch, reported, seen } = await follow();
  expect(watch.mode).toBe("native");
  mkdirSync(join(root, "d"));
  writeFileSync(join(root, "a.ts"), "1");
  await reported("a.ts");
  writeFileSync(join(root, "d/b.ts"), "1");
  await reported("d/b.ts");
  seen.clear();
  renameSync(join(root, "a.ts"), join(root, "c.ts"));
  rmSync(join(root, "d"), { recursive: true });
  await Promise.all([reported("a.ts"), reported("c.ts"), reported("d")]);
});

test.each([
  ["moved away and back", (root: string) => renameSync(`${root}-away`, root)],
  ["gone, and another one is there", (root: string) => mkdirSync(root)],
])("a tree that was %s is followed again", async (_, back) => {
  const { root, seen, watch, reported } = await follow({}, (at) => writeFileSync(join(at, "a.ts"), "1"));
  cleanUp.push(() => rmSync(`${root}-away`, { recursive: true, force: true }));
  renameSync(root, `${root}-away`);
  back(root);
  await reported("everything");
  seen.clear();
  writeFileSync(join(root, "b.ts"), "1");
  await reported("b.ts");
  expect(watch.mode).toBe("native");
});

test("no other program is started to watch", async () => {
  const root = mkdtempSync(join(tmpdir(), "watch-"));
  cleanUp.push(() => rmSync(root, { recursive: true, force: true }));
  writeFileSync(join(root, "watchman"), '#!/bin/sh\n: > "$(dirname "$0")/asked"\n', { mode: 0o755 });
  // The library reads the PATH that the process had when it started.
  const watches = `const { watchNatively } = await import(${JSON.stringify(new URL("./native.ts", import.meta.url).href)});
    await (await watchNatively(${JSON.stringify(root)}, { onPaths() {}, onLost() {}, onError() {} })).close();`;
  const env = { ...process.env, PATH: `${root}:${process.env.PATH}` };
  execFileSync(process.execPath, ["--input-type=module", "-e", watches], { env });
  expect(existsSync(join(root, "asked"))).toBe(false);
});

test("pending changes can be read before the burst ends, with or without ignored ones", async () => {
  let report: (paths: readonly string[]) => void = () => {};
  const native: WatcherOptions["native"] = async (_root, events) => {
    report = events.onPaths;
    return { close: async () => {} };
  };
  const { watch, seen, reported } = await follow({ native }, (at) => {
    writeFileSync(join(at, ".gitignore"), "out/\n");
    mkdirSync(join(at, "out"));
  });
  expect(watch.gathered()).toEqual([]);
  report(["out/x.js", "a.ts"]);
  const first = watch.gathered();
  expect(first).toEqual(["a.ts", "out/x.js"]);
  expect(await watch.outsideIgnored(first as string[])).toEqual(["a.ts"]);
  expect(watch.gathered()).toBe(first);
  report(["a.ts"]);
  expect(watch.gathered()).not.toBe(first);
  expect([...seen]).toEqual([]);
  await reported("a.ts");
  expect(watch.gathered()).toEqual([]);
});

test("ignored directories stay silent", async () => {
  const { root, reported, seen } = await follow({}, (at) => {
    writeFileSync(join(at, ".gitignore"), "out/\n");
    mkdirSync(join(at, "out"));
    mkdirSync(join(at, "node_modules"));
  });
  writeFileSync(join(root, "out/x.js"), "");
  writeFileSync(join(root, "node_modules/y.js"), "");
  writeFileSync(join(root, "z.js"), "");
  await reported("z.js");
  expect([...seen].filter((path) => /out|node_modules/.test(path))).toEqual([]);
});

test("a commit that changes no file is reported", async () => {
  const git = (root: string, ...args: string[]) =>
    execFileSync("git", ["-C", root, "-c", "user.name=t", "-c", "user.email=t@example.org", ...args]);
  const { root, reported, seen } = await follow({ gitDirectory: (at) => join(at, ".git") }, (at) => {
    git(at, "init", "-q");
    git(at, "commit", "-qm", "1", "--allow-empty");
  });
  git(root, "status");
  git(root, "commit", "-qm", "2", "--allow-empty");
  await reported(".git/HEAD");
  expect([...seen]).toEqual([".git/HEAD"]);
});

test("without the system's reports the tree is polled, with a word about why", async () => {
  const native = () => Promise.reject(new Error("ENOSPC: inotify watches"));
  const { root, watch, degraded, reported } = await follow({ native });
  expect(watch.mode).toBe("polling");
  expect(degraded).toEqual(["ENOSPC: inotify watches"]);
  await reported("everything");
  writeFileSync(join(root, "a.ts"), "1");
  await reported("a.ts");
});

test("a native watcher that gives up later is replaced", async () => {
  let fail: (error: Error) => void = () => {};
  let closed = 0;
  const native: WatcherOptions["native"] = async (_root, events) => {
    fail = events.onError;
    return { close: async () => void closed++ };
  };
  const { watch, degraded } = await follow({ native });
  expect(watch.mode).toBe("native");
  fail(new Error("overflow"));
  await vi.waitFor(() => expect(degraded).toEqual(["overflow"]));
  expect(watch.mode).toBe("polling");
  // Closing a failed watcher of the system blocks the thread for good.
  await watch.close();
  expect(closed).toBe(0);
});
