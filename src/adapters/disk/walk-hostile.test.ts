/** I1, I3, I6–I8: trees that were made to break a walk, or that come apart under it. */
import { Buffer } from "node:buffer";
import { execFileSync } from "node:child_process";
import { chmodSync, linkSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { files, tree, walkPaths } from "../../../test/kit/walk-paths.ts";

test("I6: odd names are found, read and keep their spelling", async () => {
  const root = tree({});
  const names = [
    "new\nline.ts",
    "-rf",
    "..foo",
    "😀.ts",
    "\u00e9.ts",
    "e\u0301.ts",
    "Case.ts",
    "case.ts",
    "back\\slash",
    " space ",
    `${"n".repeat(250)}.ts`,
  ];
  for (const name of names) writeFileSync(join(root, name), name);
  const raw = Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0x6c, 0xe9, 0xff, 0x2e, 0x74, 0x73])]);
  writeFileSync(raw, "raw");
  const found = await walkPaths(root, { hidden: true });
  expect(found).toEqual([...names, "l\\xe9\\xff.ts"].sort());
  for (const path of found) {
    const result = await files.read(root, path, 1000);
    expect(result.ok && Buffer.from(result.bytes).toString()).toBe(path.startsWith("l\\x") ? "raw" : path);
    expect(await files.stamp(root, path)).toBe(result.ok && result.stamp);
  }
});

test("I7: nothing is followed, nothing blocks, nothing outside is read", async () => {
  const outside = tree({ "secret.ts": "no" });
  const root = tree({ "a.ts": "x", "d/b.ts": "" });
  symlinkSync(root, join(root, "d/loop"));
  symlinkSync("nowhere", join(root, "broken"));
  symlinkSync(join(outside, "secret.ts"), join(root, "out.ts"));
  symlinkSync("/proc", join(root, "proc"));
  linkSync(join(root, "a.ts"), join(root, "hard.ts"));
  execFileSync("mkfifo", [join(root, "fifo")]);
  const server = createServer().listen(join(root, "socket"));
  await new Promise((done) => server.once("listening", done));
  expect(await walkPaths(root)).toEqual([
    "a.ts",
    "broken (symlink)",
    "d/b.ts",
    "d/loop (symlink)",
    "fifo (not_regular)",
    "hard.ts",
    "out.ts (symlink)",
    "proc (symlink)",
    "socket (not_regular)",
  ]);
  expect(await walkPaths(root, { only: ["d/loop/a.ts", "proc/self"] })).toEqual(["d/loop (symlink)", "proc (symlink)"]);
  for (const [path, reason] of [
    ["fifo", "not_regular"],
    ["out.ts", "symlink"],
    ["broken", "symlink"],
    ["d", "gone"],
    ["none", "gone"],
  ] as const) {
    expect(await files.read(root, path, 1000)).toEqual({ ok: false, reason });
  }
  server.close();
});

test("I1: a huge file is refused without being read", async () => {
  const root = tree({ "big.bin": "" });
  truncateSync(join(root, "big.bin"), 2 ** 30);
  expect(await files.read(root, "big.bin", 1 << 20)).toEqual({ ok: false, reason: "too_large" });
});

test("I3: 2,000 levels are walked or listed", async () => {
  const root = tree({});
  // Longer paths than the system allows can only be made step by step.
  const script =
    "for (let i = 0; i < 2100; i++) { require('fs').mkdirSync('d'); process.chdir('d'); if (i % 500 === 0) require('fs').writeFileSync('f.ts', ''); }";
  execFileSync(process.execPath, ["-e", script], { cwd: root });
  const found = await walkPaths(root);
  expect(found.filter((line) => line.endsWith("f.ts"))).toHaveLength(5 - (found.at(-1)?.includes("f.ts") ? 0 : 1));
  expect(found.some((line) => line.endsWith("(path_too_long)"))).toBe(true);
  execFileSync("rm", ["-rf", root]);
});

/** Root may read everything, so root steps down for a while. */
async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return work();
  process.seteuid?.(65_534);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

test("I8: what may not be read is listed, the rest is walked", async () => {
  const root = tree({ "a/x.ts": "", "b.ts": "", "c.ts": "" });
  chmodSync(root, 0o755);
  chmodSync(join(root, "a"), 0);
  chmodSync(join(root, "b.ts"), 0);
  expect(await asNobody(() => walkPaths(root))).toEqual(["a/ (unreadable)", "b.ts", "c.ts"]);
  expect(await asNobody(() => files.read(root, "b.ts", 100))).toEqual({ ok: false, reason: "unreadable" });
  chmodSync(join(root, "a"), 0o700);
});

test("a root that is gone is no empty root", async () => {
  await expect(walkPaths(join(tree({}), "gone"))).rejects.toMatchObject({ code: "workspace_not_allowed" });
});

test("a stamp changes with the file", async () => {
  const root = tree({ "a.ts": "1" });
  const before = await files.stamp(root, "a.ts");
  writeFileSync(join(root, "a.ts"), "22");
  expect(await files.stamp(root, "a.ts")).not.toBe(before);
  expect(await files.stamp(root, "b.ts")).toBeUndefined();
  expect(await files.realDirectory(join(root, "a.ts"))).toBeUndefined();
});
