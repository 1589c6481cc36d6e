import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { commit, git, sandbox, write } from "../../../test/kit/sandbox.ts";
import { gitHistory } from "./history.ts";

const history = gitHistory();
const box = sandbox();
afterAll(() => box[Symbol.dispose]());

function branched() {
  const root = box.repository({ "a.txt": "one\n", "sub/b.txt": "two\n", "gone.txt": "x\n" });
  const fork = git(root, "rev-parse", "HEAD").trim();
  git(root, "switch", "-qc", "feat");
  write(root, { "a.txt": "changed\n", "sub/new ünï.txt": "n\n" });
  rmSync(join(root, "gone.txt"));
  const head = commit(root, "feat");
  git(root, "switch", "-q", "main");
  write(root, { "main.txt": "m\n" });
  return { root, fork, head, main: commit(root, "main") };
}

const statesOf = (root: string) =>
  ["status --porcelain", "rev-parse HEAD", "for-each-ref", "worktree list"].map((line) =>
    git(root, ...line.split(" ")),
  );

test("merge base, changed paths and their blobs; git's state is untouched", async () => {
  const { root, fork, head, main } = branched();
  const before = statesOf(root);
  expect(await history.mergeBase(root, main, head)).toBe(fork);
  const changes = (await history.changedPaths(root, fork, head))!;
  expect(changes.map(({ path, before, after }) => [path, before !== undefined, after !== undefined])).toEqual([
    ["a.txt", true, true],
    ["gone.txt", true, false],
    ["sub/new ünï.txt", false, true],
  ]);
  const { before: old, after } = changes[0]!;
  const ids = [old!.id, after !== "disk" ? after!.id : ""];
  const blobs = await history.blobs(root, [...ids, "0".repeat(40), "--help"], 100);
  expect(ids.map((id) => Buffer.from(blobs.get(id) as Uint8Array).toString())).toEqual(["one\n", "changed\n"]);
  expect(blobs.get("0".repeat(40))).toBe("missing");
  expect(blobs.has("--help")).toBe(false);
  expect((await history.blobs(root, ids, 5)).get(ids[1]!)).toBe("too_large");
  expect(statesOf(root)).toEqual(before);
});

test("a sub-directory sees its own paths", async () => {
  const { root, fork, head } = branched();
  const changes = await history.changedPaths(join(root, "sub"), fork, head);
  expect(changes?.map(({ path }) => path)).toEqual(["new ünï.txt"]);
});

test("the files on disk: staged, unstaged, untracked and removed, ignored ones not", async () => {
  const { root, main } = branched();
  write(root, {
    "a.txt": "dirty\n",
    "staged.txt": "s\n",
    "free.txt": "f\n",
    "junk.log": "j\n",
    ".gitignore": "*.log\n",
  });
  git(root, "add", "staged.txt");
  rmSync(join(root, "main.txt"));
  const before = statesOf(root);
  const changes = (await history.changedPaths(root, main, "worktree"))!;
  expect(changes.map(({ path, before, after }) => [path, before !== undefined, after])).toEqual([
    [".gitignore", false, "disk"],
    ["a.txt", true, "disk"],
    ["free.txt", false, "disk"],
    ["main.txt", true, undefined],
    ["staged.txt", false, expect.anything()],
  ]);
  expect(statesOf(root)).toEqual(before);
});

test("a file in conflict is what is on disk, once", async () => {
  const { root, fork } = branched();
  write(root, { "a.txt": "mine\n" });
  commit(root, "mine");
  expect(() => git(root, "merge", "feat")).toThrow();
  const changes = (await history.changedPaths(root, fork, "worktree"))!.filter(({ path }) => path === "a.txt");
  expect(changes).toEqual([{ path: "a.txt", before: expect.anything(), after: "disk" }]);
});

test("unrelated histories have no base, unknown commits no changes", async () => {
  const { root, main } = branched();
  git(root, "switch", "-q", "--orphan", "alone");
  writeFileSync(join(root, "z.txt"), "z\n");
  const alone = commit(root, "alone");
  expect(await history.mergeBase(root, main, alone)).toBeUndefined();
  expect(await history.changedPaths(root, main, "f".repeat(40))).toBeUndefined();
});

test("core.worktree does not point the comparison at another directory", async () => {
  const { root, main } = branched();
  const elsewhere = box.tree({ "secret-name.txt": "s\n" });
  write(root, { "new.txt": "n\n" });
  git(root, "config", "core.worktree", elsewhere);
  const changes = await history.changedPaths(root, main, "worktree");
  expect(changes).toEqual([{ path: "new.txt", after: "disk" }]);
});
