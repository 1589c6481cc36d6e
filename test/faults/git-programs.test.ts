/**
 * I10: a repository is data. Whatever its configuration, attributes, hooks and remotes name, no tool and no command starts
 * a program, also with a git that does not know `GIT_NO_LAZY_FETCH` and fetches missing objects.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { gitHistory } from "../../src/adapters/git/history.ts";
import { openCompass } from "../../src/compose/compose.ts";
import { DEFAULTS } from "../../src/config/schema.ts";
import { TOOLS } from "../../src/tools/index.ts";
import { codecompass } from "../kit/command.ts";
import { armedRepository, HARMLESS_KEYS, olderGit, PROGRAM_SETTINGS, REMOTES } from "../kit/git-programs.ts";
import { type Sandbox, sandbox } from "../kit/sandbox.ts";
import { startServer } from "../kit/stdio.ts";

let box: Sandbox;
const path = process.env.PATH;
beforeAll(() => {
  box = sandbox();
  process.env.PATH = `${olderGit(box)}${delimiter}${path}`;
});
afterAll(() => {
  process.env.PATH = path;
  box[Symbol.dispose]();
});

/** As a user would start it, with nothing disabled. */
function plainGit(root: string, ...args: string[]): void {
  try {
    execFileSync("git", args, { cwd: root, stdio: "ignore" });
  } catch {
    // A failure of the command does not matter; only what it started does.
  }
}

for (const remote of Object.keys(REMOTES) as (keyof typeof REMOTES)[]) {
  test(`a missing object is not fetched: ${remote}`, async () => {
    const { root, missingBlob, started } = armedRepository(box, remote);
    plainGit(root, "-c", "core.hooksPath=/dev/null", "cat-file", "-e", missingBlob);
    expect(started(), "the trap works").toContain(REMOTES[remote].starts);
    const blobs = await gitHistory().blobs(root, [missingBlob], 1_000);
    expect(blobs.get(missingBlob)).toBe("missing");
    expect(started()).toEqual([]);
  });
}

test("filters and hooks of any name are disabled", async () => {
  const { root, started } = armedRepository(box, "ext");
  const compass = await openCompass({ home: box.home, workspaces: [], settings: DEFAULTS, watch: false });
  const project = await compass.register(root);
  for (const headRef of ["worktree", "other"]) {
    const { files } = await compass.diff(project, { baseRef: "main", headRef } as never);
    expect(files.map((file) => file.path)).toEqual(headRef === "worktree" ? ["new.rs"] : ["c.rs", "d/e.rs"]);
  }
  await compass.freshen(project, { ref: "other" });
  const { worktreePath } = await compass.switchRef(project, { ref: "other", session: "x", ensureWorktree: true });
  expect(existsSync(join(worktreePath!, "d/e.rs"))).toBe(true);
  await compass.close();
  expect(started()).toEqual([]);
  for (const file of ["a.rs", "b.txt", "c.py"]) plainGit(root, "diff-index", "HEAD", "--", file);
  const filters = ["filter.a=b.clean", "filter.canary.process", "filter.included.clean"];
  expect(started(), "the traps work").toEqual(expect.arrayContaining(filters));
  plainGit(root, "status");
  expect(started(), "the trap works").toContain("core.fsmonitor");
  plainGit(root, "read-tree", "HEAD");
  expect(started(), "the trap works").toContain("hook post-index-change");
});

test("no tool starts a program", async () => {
  const { root, started } = armedRepository(box, "ext");
  const server = startServer(["--workspace", root], { ...box.env, PATH: process.env.PATH });
  await server.initialize();
  expect(await server.tool("index_repo", { wait_seconds: 120 })).toMatchObject({ status: "published" });
  for (const ref of ["other", "treeless", "0".repeat(40)]) await server.tool("index_repo", { ref, wait_seconds: 120 });
  const refs = [{}, { ref: "other" }];
  const heads = ["other", "treeless", "worktree"].map((head_ref) => ({ base_ref: "main", head_ref }));
  for (const { name, example, input } of TOOLS) {
    const variants = name === "diff_context" ? heads : "ref" in input.shape ? refs : [{}];
    for (const variant of variants)
      await server.request("tools/call", { name, arguments: { ...example, ...variant, workspace: root } });
  }
  const switched = await server.tool("switch_ref", { ref: "other", ensure_worktree: true });
  expect(existsSync(join(switched.worktree_path, "d/e.rs"))).toBe(true);
  expect(await server.tool("diff_context", heads[0])).toMatchObject({ affected_files: 2 });
  await server.close();
  expect(started()).toEqual([]);
});

test("no command starts a program", async () => {
  const { root, started } = armedRepository(box, "file");
  // A git inside the repository, with PATH also naming the current directory.
  writeFileSync(join(root, "git"), "#!/bin/sh\n: > ../programs-file/started/git\n", { mode: 0o755 });
  const env = { ...box.env, PATH: `${delimiter}${process.env.PATH}` };
  const archive = join(box.home, "..", "archive.tar.zst");
  for (const line of [
    "index",
    "index --ref other",
    "search alpha",
    "search delta --ref other",
    "search delta --ref treeless",
    "search --regex delta --ref HEAD~1",
    "sync",
    "diff_context --base-ref main --head-ref worktree",
    "list_refs",
    `state export ${archive}`,
    `state import ${archive}`,
    "prune-overlays --older-than 0",
    "hooks install",
    "hooks uninstall",
    "doctor",
  ]) {
    await codecompass(line.split(" "), { cwd: root, env });
    expect({ line, started: started() }).toEqual({ line, started: [] });
  }
  expect((await codecompass(["search", "delta", "--ref", "other"], { cwd: root, env })).out).toContain("d/e.rs");
});

test("the list of settings is complete, and each is documented", () => {
  const documented = readFileSync(new URL("../../docs/git-safety.md", import.meta.url), "utf8");
  const keys = PROGRAM_SETTINGS.map((key) => key.replace(/!$/, ""));
  expect(keys.filter((key) => !documented.includes(`\`${key}\``))).toEqual([]);
  const known = execFileSync("git", ["help", "--config"], { encoding: "utf8" }).split("\n");
  const telling =
    /cmd|command|program|helper|proxy|hook|editor|pager\.|\.pager|driver|textconv|external|browser|\.vcs$|(?:upload|receive)pack$|askpass|fsmonitor|^alias|smtpserver$|tunnel|httpd|\.(?:clean|smudge|process|update)$|^(?:browser|man|\w+tool)\..*path$|diffFilter/i;
  // Versions of git spell the names in angle brackets differently.
  const plain = (key: string) => key.replace(/<[\w-]+>/, "<>").toLowerCase();
  const listed = new Set(keys.map(plain));
  const unlisted = known.filter((key) => telling.test(plain(key)) && !listed.has(plain(key)));
  expect(unlisted.filter((key) => !HARMLESS_KEYS.some((harmless) => harmless.test(key)))).toEqual([]);
});
