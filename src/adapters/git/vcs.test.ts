import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hostileRefs } from "../../../test/kit/hostile.ts";
import { scratchDirectory } from "../../../test/kit/scratch.ts";
import { gitVcs } from "./vcs.ts";

const vcs = gitVcs();
const scratch = scratchDirectory("vcs");

const IDENTITY = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"];
const git = (root: string, ...args: string[]) =>
  execFileSync("git", ["-C", root, ...IDENTITY, ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();

function repository(name: string, ...init: string[]): string {
  const root = join(scratch, name);
  mkdirSync(root, { recursive: true });
  git(root, "init", "-q", "-b", "main", ...init);
  return root;
}

function commit(root: string, text = "x"): string {
  writeFileSync(join(root, "a.txt"), text);
  git(root, "add", "a.txt");
  git(root, "commit", "-qm", text);
  return git(root, "rev-parse", "HEAD");
}

test("outside a repository", async () => {
  expect(await vcs.repository(scratch)).toBeUndefined();
  expect(await vcs.head(scratch)).toBeUndefined();
  expect(await vcs.defaultBranch(scratch)).toBeUndefined();
});

test("git reads packed refs that are too many to read here", async () => {
  const root = repository("many-refs");
  const id = commit(root);
  git(root, "pack-refs", "--all");
  const packed = join(root, ".git/packed-refs");
  const others = Array.from({ length: 260_000 }, (_, i) => `${id} refs/tags/t${String(i).padStart(20, "0")}\n`);
  writeFileSync(packed, readFileSync(packed, "utf8") + others.join(""));
  expect(await vcs.head(root)).toEqual({ branch: "main", commit: id });
  expect(await vcs.tip(root, "refs/heads/main")).toBe(id);
  expect(await vcs.problems?.(root)).toEqual([]);
});

test.skipIf(process.platform === "win32")("git is not started where one of its files would make it wait", async () => {
  const root = repository("waiting");
  const id = commit(root);
  rmSync(join(root, ".git/config"));
  execFileSync("mkfifo", [join(root, ".git/config")]);
  expect(await vcs.head(root)).toEqual({ branch: "main", commit: id });
  expect(await vcs.resolve(root, "HEAD~0")).toBeUndefined();
  expect(await vcs.problems?.(root)).toEqual([
    expect.stringMatching(/config is a FIFO, not a regular file: git is not run/),
  ]);
});

test("an unborn branch has no commit", async () => {
  const root = repository("unborn");
  expect(await vcs.head(root)).toEqual({ branch: "main" });
  expect(await vcs.resolve(root, "HEAD")).toBeUndefined();
});

test("git is writing while it holds the lock of the index", async () => {
  const root = repository("locked");
  expect(await vcs.isWriting(root)).toBe(false);
  writeFileSync(join(root, ".git", "index.lock"), "");
  expect(await vcs.isWriting(root)).toBe(true);
  expect(await vcs.isWriting(scratch)).toBe(false);
});

test("branch, slashes, packed refs, detached", async () => {
  const root = repository("plain");
  const first = commit(root);
  expect(await vcs.head(join(root))).toEqual({ branch: "main", commit: first });
  git(root, "switch", "-qc", "feat/a-b/ünï");
  const second = commit(root, "y");
  expect(await vcs.head(root)).toEqual({ branch: "feat/a-b/ünï", commit: second });
  git(root, "pack-refs", "--all");
  expect(await vcs.head(root)).toEqual({ branch: "feat/a-b/ünï", commit: second });
  git(root, "switch", "-q", "--detach", "main");
  expect(await vcs.head(root)).toEqual({ commit: first });
  expect(await vcs.defaultBranch(root)).toBe("main");
});

test("a sub-directory belongs to its repository, a stray .git does not make one", async () => {
  const root = repository("sub");
  mkdirSync(join(root, "in/.git"), { recursive: true });
  expect(await vcs.repository(join(root, "in"))).toMatchObject({ root, commonDir: join(root, ".git"), linked: false });
});

test("a linked worktree shares the common directory and has its own head", async () => {
  const root = repository("linked");
  const first = commit(root);
  git(root, "worktree", "add", "-qb", "other", join(scratch, "linked-2"));
  const second = commit(join(scratch, "linked-2"), "z");
  expect((await vcs.repository(join(scratch, "linked-2")))?.commonDir).toBe(join(root, ".git"));
  expect(await vcs.head(join(scratch, "linked-2"))).toEqual({ branch: "other", commit: second });
  expect(await vcs.head(root)).toEqual({ branch: "main", commit: first });
});

test("a file .git that names no repository: the error says where it should be", async () => {
  const root = repository("moved");
  commit(root);
  const [linked, below] = [join(scratch, "left"), join(scratch, "left/src")];
  git(root, "worktree", "add", "-q", linked);
  mkdirSync(below);
  expect(await vcs.lost?.(linked)).toBeUndefined();
  rmSync(root, { recursive: true });
  expect(await vcs.repository(linked)).toBeUndefined();
  const gone = join(root, ".git/worktrees/left");
  expect([await vcs.lost?.(linked), await vcs.lost?.(below)]).toEqual([gone, gone]);
  writeFileSync(join(linked, ".git"), "no pointer");
  expect(await vcs.lost?.(linked)).toBeUndefined();
  expect(await vcs.lost?.(scratch)).toBeUndefined();
});

test("sha256 repositories", async () => {
  const root = repository("sha256", "--object-format=sha256");
  const id = commit(root);
  expect(id).toHaveLength(64);
  expect(await vcs.head(root)).toEqual({ branch: "main", commit: id });
});

test("origin's HEAD names the default branch", async () => {
  const origin = repository("origin");
  commit(origin);
  git(origin, "branch", "-m", "trunk");
  execFileSync("git", ["clone", "-q", origin, join(scratch, "clone")]);
  git(join(scratch, "clone"), "switch", "-qc", "work");
  expect(await vcs.defaultBranch(join(scratch, "clone"))).toBe("trunk");
});

test("S5, I10: a ref is never an option or a command, and no configured program runs", async () => {
  const root = repository("hostile");
  const id = commit(root);
  git(root, "config", "core.fsmonitor", "touch canary");
  git(root, "config", "core.sshCommand", "touch canary");
  git(root, "config", "alias.rev-parse", "!touch canary");
  for (const ref of [
    "--output=canary",
    "-c core.pager=x",
    ";touch canary",
    "$(touch canary)",
    "a\nb",
    "",
    "\0",
    "--help",
  ]) {
    expect(await vcs.resolve(root, ref)).toBeUndefined();
  }
  expect(await vcs.resolve(root, "main")).toBe(id);
  await vcs.defaultBranch(root);
  expect(existsSync(join(root, "canary"))).toBe(false);
  expect(readdirSync(root).sort()).toEqual([".git", "a.txt"]);
});

test("S5: 200 hostile refs name nothing and make nothing", async () => {
  const root = repository("hostile-200");
  const id = commit(root);
  const refs = hostileRefs();
  expect(refs).toHaveLength(200);
  const found = await Promise.all(refs.map(async (ref) => [await vcs.named(root, ref), await vcs.tip(root, ref)]));
  expect(found.flat().filter((one) => one !== undefined)).toEqual([]);
  expect(await vcs.named(root, "main")).toEqual({ name: "main", full: "refs/heads/main", commit: id });
  expect(readdirSync(root).sort()).toEqual([".git", "a.txt"]);
  expect(existsSync("canary")).toBe(false);
});

test("a branch before a tag before a remote's branch; each by its shortest name", async () => {
  const root = repository("names");
  const first = commit(root);
  git(root, "tag", "-am", "x", "both", "HEAD");
  git(root, "tag", "light");
  const second = commit(root, "y");
  git(root, "branch", "both");
  git(root, "update-ref", "refs/remotes/origin/far", second);
  expect(await vcs.named(root, "both")).toEqual({ name: "both", full: "refs/heads/both", commit: second });
  expect(await vcs.named(root, "refs/tags/both")).toEqual({ name: "tags/both", full: "refs/tags/both", commit: first });
  expect(await vcs.named(root, "light")).toEqual({ name: "light", full: "refs/tags/light", commit: first });
  expect(await vcs.named(root, "origin/far")).toMatchObject({ name: "origin/far", commit: second });
  expect(await vcs.named(root, "HEAD~1")).toEqual({ name: first, full: first, commit: first });
  expect(await vcs.named(root, first.slice(0, 8))).toMatchObject({ full: first });
  expect(await vcs.named(root, "tags/both")).toMatchObject({ commit: first });
});

test("bare repositories and every work tree of one", async () => {
  const root = repository("trees");
  const id = commit(root);
  git(root, "worktree", "add", "-q", "-b", "side", join(scratch, "trees-2"));
  expect(await vcs.worktrees(join(scratch, "trees-2"))).toEqual([
    { path: root, head: { branch: "main", commit: id } },
    { path: join(scratch, "trees-2"), head: { branch: "side", commit: id } },
  ]);
  expect(await vcs.repository(join(scratch, "trees-2"))).toMatchObject({ linked: true, bare: false, blobs: "sha1" });
  execFileSync("git", ["clone", "-q", "--bare", root, join(scratch, "bare.git")], { stdio: "pipe" });
  expect(await vcs.repository(join(scratch, "bare.git"))).toMatchObject({ bare: true, linked: false });
  expect(await vcs.head(join(scratch, "bare.git"))).toEqual({ branch: "main", commit: id });
});
