import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { childrenOf, commandOf } from "../../../test/kit/processes.ts";
import type { WalkItem } from "../../ports/files.ts";
import { diskFiles, diskSelection } from "../disk/files.ts";
import { gitObjects } from "./objects.ts";

const objects = gitObjects(diskSelection);
const scratch = realpathSync(mkdtempSync(join(tmpdir(), "objects-")));
afterAll(async () => {
  await objects.close();
  rmSync(scratch, { recursive: true, force: true });
});

const IDENTITY = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"];
const git = (root: string, ...args: string[]) =>
  execFileSync("git", ["-C", root, ...IDENTITY, ...args], { encoding: "utf8", stdio: "pipe" }).trim();

let made = 0;
function repository(files: Record<string, string>, ...init: string[]): string {
  const root = join(scratch, `r${++made}`);
  mkdirSync(root);
  git(root, "init", "-q", "-b", "main", ...init);
  commit(root, files);
  return root;
}

function commit(root: string, files: Record<string, string>): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  git(root, "add", "-Af");
  git(root, "commit", "-qm", "x");
  return git(root, "rev-parse", "HEAD");
}

const shown = (items: readonly WalkItem[]) =>
  items.map((item) => ("file" in item ? item.file.path : `${item.skip.path} (${item.skip.reason})`));

async function ofDisk(root: string): Promise<string[]> {
  const items: WalkItem[] = [];
  for await (const batch of diskFiles().walk(root)) items.push(...batch);
  return shown(items);
}

const FILES = {
  ".gitignore": "*.log\ngen/\n",
  ".codecompassignore": "!keep.log\n",
  "a.ts": "1",
  "keep.log": "",
  "x.log": "",
  "gen/g.ts": "",
  "node_modules/x/i.js": "",
  ".github/ci.yml": "",
  ".secret/x": "",
  "d/.gitignore": "/top\n",
  "d/top": "",
  "d/e/top": "",
  "ä/ü.ts": "",
  "CVS/Root": "",
  "d.ts": "",
  "d-e/f.ts": "",
};

const equal = (name: string, files: Record<string, string>, under = "", ...init: string[]) =>
  test(`a commit is walked as its checkout: ${name}`, async () => {
    const top = repository(files, ...init);
    const root = join(top, under);
    const items = await objects.walk({ root, commit: git(top, "rev-parse", "HEAD") });
    expect(shown(items)).toEqual(await ofDisk(root));
    for (const item of items)
      if ("file" in item) expect(item.file.stamp).toBe(git(top, "rev-parse", `HEAD:${join(under, item.file.path)}`));
  });
equal("every layer of rules", FILES);
equal("a directory of it", { ...FILES, "d/x.log": "", "d/gen/y.ts": "" }, "d");
equal("sha256", FILES, "", "--object-format=sha256");

test("links and submodules are not entered", async () => {
  const inner = repository({ "i.ts": "" });
  const root = repository({ "a.ts": "" });
  symlinkSync("a.ts", join(root, "l.ts"));
  git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", inner, "sub");
  git(root, "add", "-A");
  git(root, "commit", "-qm", "y");
  const items = await objects.walk({ root, commit: git(root, "rev-parse", "HEAD") });
  expect(shown(items)).toEqual([".gitmodules (hidden)", "a.ts", "l.ts (symlink)"]);
});

test("only the requested part is walked, under the rules of the whole tree", async () => {
  const root = repository(FILES);
  const at = { root, commit: git(root, "rev-parse", "HEAD") };
  expect(shown(await objects.walk(at, { only: ["d", "x.log", "none", "a.ts"] }))).toEqual([
    "a.ts",
    "d/.gitignore (hidden)",
    "d/e/top",
    "d/top",
    "x.log",
  ]);
});

test("changed paths: files, whole directories, kinds", async () => {
  const root = repository({ "a.ts": "1", "d/b.ts": "1", "d/c.ts": "1", "gone/x.ts": "", k: "" });
  const from = git(root, "rev-parse", "HEAD");
  rmSync(join(root, "gone"), { recursive: true });
  rmSync(join(root, "k"));
  const to = commit(root, { "a.ts": "2", "d/c.ts": "2", "new/y.ts": "", "k/z.ts": "" });
  expect(await objects.changed(root, from, to)).toEqual(["a.ts", "d/c.ts", "gone", "k", "new"]);
  expect(await objects.changed(join(root, "d"), from, to)).toEqual(["c.ts"]);
  expect(await objects.changed(root, from, from)).toEqual([]);
  expect(await objects.changed(root, "0".repeat(40), to)).toBeUndefined();
});

test("blobs: many at once, too large, missing, sizes", async () => {
  const texts = Array.from({ length: 300 }, (_, i) => `${i}\n`.repeat(i));
  const root = repository(Object.fromEntries(texts.map((text, i) => [`f${i}`, text])));
  const ids = texts.map((_, i) => git(root, "rev-parse", `HEAD:f${i}`));
  const reads = await Promise.all(ids.map((id) => objects.read(root, id, 1_000)));
  for (const [i, read] of reads.entries()) {
    if (texts[i]!.length > 1_000) expect(read).toEqual({ ok: false, reason: "too_large" });
    else expect(read.ok && Buffer.from(read.bytes).toString()).toBe(texts[i]);
  }
  expect(await objects.read(root, "0".repeat(40), 10)).toEqual({ ok: false, reason: "unreadable" });
  const at = { root, commit: git(root, "rev-parse", "HEAD") };
  const sizes = await objects.sizes(at, [...ids, "0".repeat(40)]);
  expect(texts.map((_, i) => sizes.get(ids[i]!))).toEqual(texts.map((text) => text.length));
});

test("a damaged object costs itself, not its neighbours", async () => {
  const root = repository({ "a.ts": "aaaa", "b.ts": "bbbb", "c.ts": "cccc" });
  const [a, b, c] = ["a", "b", "c"].map((name) => git(root, "rev-parse", `HEAD:${name}.ts`)) as [
    string,
    string,
    string,
  ];
  const file = join(root, ".git/objects", b.slice(0, 2), b.slice(2));
  rmSync(file);
  writeFileSync(file, "not an object");
  const reads = await Promise.all([a, b, c].map((id) => objects.read(root, id, 100)));
  expect(reads.map((read) => read.ok)).toEqual([true, false, true]);
  const sizes = await objects.sizes({ root, commit: git(root, "rev-parse", "HEAD") }, [b, a, c]);
  expect([a, b, c].map((id) => sizes.get(id))).toEqual([4, undefined, 4]);
});

test("a commit without its tree is refused, and a repository that went away too", async () => {
  const root = repository({ "d/a.ts": "" });
  const at = { root, commit: git(root, "rev-parse", "HEAD") };
  const tree = git(root, "rev-parse", "HEAD:d");
  rmSync(join(root, ".git/objects", tree.slice(0, 2), tree.slice(2)));
  const missing = { code: "ref_not_indexed", data: { reason: expect.stringContaining("missing from the repository") } };
  await expect(objects.walk(at)).rejects.toMatchObject(missing);
  const away = repository({ "a.ts": "" });
  const there = { root: away, commit: git(away, "rev-parse", "HEAD") };
  rmSync(away, { recursive: true });
  await expect(objects.walk(there)).rejects.toMatchObject(missing);
});

test("a repository that git refuses altogether is not called damaged", async () => {
  const root = repository({ "a.ts": "" });
  const at = { root, commit: git(root, "rev-parse", "HEAD") };
  git(root, "config", "core.repositoryFormatVersion", "99");
  await expect(objects.walk(at)).rejects.toMatchObject({
    code: "ref_not_indexed",
    data: { cause: "refused", reason: expect.stringMatching(/^git cannot read the repository: .*99/i) },
  });
});

test("a partial clone says which blobs it lacks and asks no remote", async () => {
  const origin = repository({ "a.ts": "a" });
  const old = git(origin, "rev-parse", "HEAD");
  const present = git(origin, "rev-parse", "HEAD:a.ts");
  commit(origin, { "a.ts": "b" });
  git(origin, "config", "uploadpack.allowFilter", "true");
  const root = join(scratch, "partial");
  execFileSync("git", ["clone", "-q", "--filter=blob:none", `file://${origin}`, root], { stdio: "pipe" });
  expect((await objects.sizes({ root, commit: old }, [present])).size).toBe(0);
  expect(await objects.read(root, present, 10)).toEqual({ ok: false, reason: "unreadable" });
  expect(shown(await objects.walk({ root, commit: old }))).toEqual(["a.ts"]);
  expect(readdirSync(root).sort()).toEqual([".git", "a.ts"]);
});

test("idle git processes end except the last ones; a later request is answered", async () => {
  const own = gitObjects(diskSelection);
  const roots = Array.from({ length: 5 }, (_, i) => repository({ [`f${i}.ts`]: "1" }));
  const listed = async (root: string) => shown(await own.walk({ root, commit: git(root, "rev-parse", "HEAD") }));
  const processes = (root: string) =>
    childrenOf(process.pid).filter((pid) => commandOf(pid).includes(`${root} `)).length;
  for (const [i, root] of roots.entries()) {
    expect(await listed(root)).toEqual([`f${i}.ts`]);
    own.releaseIdle(root);
  }
  await vi.waitFor(
    () => expect(roots.map((root) => processes(root) > 0)).toEqual([false, false, false, true, true]),
    8_000,
  );
  const [first] = roots as [string];
  // One that is at work again is not among those that rest.
  expect(await listed(first)).toEqual(["f0.ts"]);
  for (const root of roots.slice(1)) own.releaseIdle(root);
  expect(processes(first)).toBeGreaterThan(0);
  await own.close();
});

test("a walk continues when its other callers give up", async () => {
  const own = gitObjects(diskSelection);
  const root = repository({ "a/b/c.ts": "1", "d.ts": "2" });
  const others = Array.from({ length: 3 }, () => repository({ "x.ts": "1" }));
  const place = (of: string) => ({ root: of, commit: git(of, "rev-parse", "HEAD") });
  for (const other of others) await own.walk(place(other));
  const walking = own.walk(place(root));
  for (const one of [root, ...others]) own.releaseIdle(one);
  expect(shown(await walking)).toEqual(["a/b/c.ts", "d.ts"]);
  await own.close();
});

test("sizes and contents come from two processes, also with a git that does not know --batch-command", async () => {
  const root = repository({ "a.ts": "abc", "empty.ts": "", "large.ts": "x".repeat(100_000) });
  const at = { root, commit: git(root, "rev-parse", "HEAD") };
  const [small, empty, large] = ["a.ts", "empty.ts", "large.ts"].map((path) => git(root, "rev-parse", `HEAD:${path}`));
  const unknown = "0".repeat(40);
  const answers = async (own: ReturnType<typeof gitObjects>) => ({
    shown: shown(await own.walk(at)),
    sizes: await own.sizes(at, [large!, unknown, empty!, small!, small!]),
    small: await own.read(root, small!, 10),
    large: await own.read(root, large!, 10),
    processes: childrenOf(process.pid).filter((pid) => commandOf(pid).includes(`${root} `)).length,
  });
  const answer = async () => {
    const own = gitObjects(diskSelection);
    const told = await answers(own);
    await own.close();
    await vi.waitFor(() => expect(childrenOf(process.pid).map(commandOf).join("\n")).not.toContain(`${root} `), 8_000);
    return told;
  };
  const one = await answer();
  expect(one).toMatchObject({ small: { ok: true }, large: { ok: false, reason: "too_large" }, processes: 2 });
  expect(one.sizes).toEqual(new Map([[large, 100_000], [empty, 0], [small, 3]])); // biome-ignore format: a table
  const old = join(scratch, "old-git");
  mkdirSync(old);
  const real = execFileSync("which", ["git"], { encoding: "utf8" }).trim();
  const script = `#!/bin/sh\ncase "$*" in *--batch-command*) exit 129 ;; esac\nexec ${real} "$@"\n`;
  writeFileSync(join(old, "git"), script, { mode: 0o755 });
  vi.stubEnv("PATH", `${old}:${process.env.PATH}`);
  try {
    expect(await answer()).toEqual(one);
  } finally {
    vi.unstubAllEnvs();
  }
});
