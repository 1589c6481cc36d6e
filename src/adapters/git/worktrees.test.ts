import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { scratchDirectory } from "../../../test/kit/scratch.ts";
import { systemEnv } from "../env/system.ts";
import { createHash } from "../hash/hashes.ts";
import { gitWorktrees } from "./worktrees.ts";

const scratch = scratchDirectory("worktrees-ü");
const hash = await createHash();
const git = (root: string, ...args: string[]) =>
  execFileSync("git", ["-C", root, "-c", "user.name=t", "-c", "user.email=t@example.org", ...args], {
    encoding: "utf8",
    stdio: "pipe",
  }).trim();

let root: string;
let home: string;
let commit: string;
beforeEach(() => {
  const base = mkdtempSync(join(scratch, "x"));
  [root, home] = [join(base, "r"), join(base, "home")];
  mkdirSync(join(root, "d/ä"), { recursive: true });
  git(root, "init", "-q", "-b", "main");
  writeFileSync(join(root, "d/ä/b.ts"), "b\n");
  writeFileSync(join(root, "run.sh"), "#!/bin/sh\n", { mode: 0o755 });
  git(root, "add", "-A");
  git(root, "commit", "-qm", "1");
  commit = git(root, "rev-parse", "HEAD");
});

/** As a process with this number that lives as long as `alive` says. */
function worktreesOf(pid: number, alive: (pid: number) => boolean = () => true) {
  const env = {
    ...systemEnv(),
    self: { pid, incarnation: `i${pid}` },
    isAlive: (one: { pid: number }) => alive(one.pid),
  };
  return gitWorktrees({ home, env, hash });
}
const left = () =>
  existsSync(join(home, "worktrees"))
    ? readdirSync(join(home, "worktrees")).flatMap((it) => readdirSync(join(home, "worktrees", it)))
    : [];

test("the commit's files, as git sees them, and nothing in the repository knows", async () => {
  const before = [git(root, "status", "--porcelain"), git(root, "worktree", "list"), git(root, "for-each-ref")];
  const worktrees = worktreesOf(1);
  const path = await worktrees.ensure({ root, commit }, "feat/a");
  expect(readFileSync(join(path, "d/ä/b.ts"), "utf8")).toBe("b\n");
  expect(git(path, "rev-parse", "HEAD")).toBe(commit);
  expect(git(path, "status", "--porcelain")).toBe("");
  expect(await worktrees.ensure({ root, commit }, "feat/a")).toBe(path);
  expect([git(root, "status", "--porcelain"), git(root, "worktree", "list"), git(root, "for-each-ref")]).toEqual(
    before,
  );
  await worktrees.close();
  expect(left()).toEqual([]);
});

test("no filter and no hook runs", async () => {
  writeFileSync(join(root, ".gitattributes"), "* filter=canary\n");
  git(root, "config", "filter.canary.smudge", `touch ${root}/canary; cat`);
  git(root, "config", "filter.canary.clean", "cat");
  writeFileSync(join(root, ".git/hooks/post-checkout"), `#!/bin/sh\ntouch ${root}/canary\n`, { mode: 0o755 });
  git(root, "add", "-A");
  git(root, "commit", "-qm", "2");
  const worktrees = worktreesOf(1);
  await worktrees.ensure({ root, commit: git(root, "rev-parse", "HEAD") }, "main");
  expect(existsSync(join(root, "canary"))).toBe(false);
  await worktrees.close();
});

test("it stays while it is in use", async () => {
  const [one, other] = [worktreesOf(1), worktreesOf(2)];
  const path = await one.ensure({ root, commit }, "main");
  await other.ensure({ root, commit }, "main");
  await one.close();
  expect(existsSync(path)).toBe(true);
  await other.close();
  expect(left()).toEqual([]);
});

test("what a crash left is removed by the next start, half-made or whole", async () => {
  const path = await worktreesOf(1).ensure({ root, commit }, "main");
  mkdirSync(`${path}.new-7`);
  writeFileSync(join(path, "..", "other-000000000000.by-7"), "not json");
  await worktreesOf(2, (pid) => pid === 2).sweep();
  expect(left()).toEqual([]);
});

test("two refs of one spelling are distinguished by their commits, and a lost commit is refused", async () => {
  git(root, "commit", "-qm", "2", "--allow-empty");
  const second = git(root, "rev-parse", "HEAD");
  const worktrees = worktreesOf(1);
  const paths = await Promise.all([
    worktrees.ensure({ root, commit }, "feat/a"),
    worktrees.ensure({ root, commit: second }, "feat-a"),
  ]);
  expect(new Set(paths).size).toBe(2);
  await expect(worktrees.ensure({ root, commit: "0".repeat(40) }, "x")).rejects.toMatchObject({
    code: "ref_not_indexed",
  });
  await worktrees.close();
});
