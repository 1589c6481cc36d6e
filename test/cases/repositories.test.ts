/**
 * I9: every shape a repository can have. The checked-out state and every other ref are answered like a fresh
 * index of a checkout, with the right name and freshness, and git's own state does not change.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Compass, Project } from "../../src/compass/compass.ts";
import { openCompass } from "../../src/compose/compose.ts";
import { DEFAULTS } from "../../src/config/schema.ts";
import { commit, git, type Sandbox, sandbox, write } from "../kit/sandbox.ts";

let box: Sandbox;
let compass: Compass;
beforeAll(async () => {
  box = sandbox();
  compass = await openCompass({ home: box.home, workspaces: [], settings: DEFAULTS, watch: false });
});
afterAll(async () => {
  await compass.close();
  box[Symbol.dispose]();
});

const FILES = { "a.rs": "fn alpha() {}\n", "d/b.rs": "fn beta() { alpha(); }\n" };
const ALSO = { "a.rs": "fn alpha(x: u8) {}\n", "c.rs": "fn gamma() {}\n" };

/** A repository with `main` and a branch `other` that differs. */
function repository(more: Record<string, string> = {}): string {
  const root = box.repository({ ...FILES, ...more });
  git(root, "switch", "-qc", "other");
  write(root, ALSO);
  commit(root, "other");
  git(root, "switch", "-q", "main");
  return root;
}

function stateOf(root: string): string[] {
  const ask = (...args: string[]) => git(root, "--no-optional-locks", ...args);
  const at = join(root, ".git", "index");
  return [
    ask("for-each-ref"),
    ask("worktree", "list"),
    existsSync(join(root, ".git", "HEAD")) ? readFileSync(join(root, ".git", "HEAD"), "utf8") : "",
    existsSync(at) ? readFileSync(at, "base64") : "",
  ];
}

interface Seen {
  readonly ref: string;
  readonly freshness: string;
  readonly symbols: string[];
}

async function seen(project: Project, ref?: string): Promise<Seen> {
  await compass.freshen(project, ref === undefined ? {} : { ref });
  return compass.read(project, { policy: "strict", ...(ref !== undefined && { ref }) }, async (reading) => {
    const names = ["alpha", "beta", "gamma", "delta", "epsilon"];
    const found = await Promise.all(names.map((name) => reading.locate({ name, limit: 20 })));
    const symbols = found.flatMap(({ hits }) => hits.map(({ path, symbol }) => `${path} ${symbol!.symbol.signature}`));
    return { ref: reading.status.ref, freshness: reading.status.freshness, symbols: symbols.sort() };
  });
}

/** The answers of a fresh index of a checkout. */
async function fresh(root: string, ref: string): Promise<string[]> {
  const tree = box.tree({});
  const archive = execFileSync("git", ["-C", root, "archive", "--format=tar", ref], { maxBuffer: 1 << 26 });
  execFileSync("tar", ["-x", "-C", tree], { input: archive });
  return (await seen(await compass.register(tree))).symbols;
}

const MAIN = ["a.rs fn alpha()", "d/b.rs fn beta()"];
const OTHER = ["a.rs fn alpha(x: u8)", "c.rs fn gamma()", "d/b.rs fn beta()"];

interface Shape {
  readonly root: string;
  /** Default: `main`. */
  readonly now?: string;
  readonly symbols?: string[];
  /** Refs besides the checked-out one; default: `other`. */
  readonly refs?: readonly string[];
}

const check = (name: string, shape: () => Shape) =>
  test(`I9: ${name}`, async () => {
    const { root, now = "main", symbols = MAIN, refs = ["other"] } = shape();
    const before = stateOf(root);
    const project = await compass.register(root);
    expect(await seen(project)).toEqual({ ref: now, freshness: "fresh", symbols });
    for (const ref of refs) {
      const at = await seen(project, ref);
      expect(at.freshness).toBe("fresh");
      expect(at.symbols).toEqual(await fresh(root, ref));
    }
    expect(stateOf(root)).toEqual(before);
  });

check("plain", () => ({ root: repository() }));

check("unborn branch", () => {
  const root = box.tree(FILES);
  git(root, "init", "-q", "-b", "main");
  return { root, now: "live", refs: [] };
});

check("detached HEAD", () => {
  const root = repository();
  git(root, "switch", "-q", "--detach", "other");
  return { root, now: git(root, "rev-parse", "HEAD").trim(), symbols: OTHER, refs: ["main", "other"] };
});

check("shallow clone", () => {
  const root = join(box.home, "..", "shallow");
  execFileSync("git", ["clone", "-q", "--depth=1", "--no-single-branch", `file://${repository()}`, root], {
    stdio: "pipe",
  });
  return { root, refs: ["origin/other"] };
});

check("partial clone: what is checked out is there", () => {
  const origin = repository();
  git(origin, "config", "uploadpack.allowFilter", "true");
  const root = join(box.home, "..", "partial");
  execFileSync("git", ["clone", "-q", "--filter=blob:none", `file://${origin}`, root], { stdio: "pipe" });
  return { root, refs: [] };
});

check("bare", () => {
  const root = join(box.home, "..", "bare.git");
  execFileSync("git", ["clone", "-q", "--bare", repository(), root], { stdio: "pipe" });
  return { root };
});

test("a bare clone's first index reports how many files it read, its second that nothing changed", async () => {
  const root = join(box.home, "..", "first.git");
  execFileSync("git", ["clone", "-q", "--bare", repository(), root], { stdio: "pipe" });
  const project = await compass.register(root);
  const indexed = () => compass.index(project, { mode: "full", force: false, waitMs: 60_000 });
  expect(await indexed()).toMatchObject({ status: "published", changedFiles: 2 });
  expect(await indexed()).toMatchObject({ status: "published", changedFiles: 0 });
});

check("linked worktree", () => {
  const main = repository();
  const root = join(box.home, "..", "linked");
  git(main, "worktree", "add", "-q", root, "other");
  return { root, now: "other", symbols: OTHER, refs: ["main"] };
});

const addSubmodule = (root: string, inner: string, at: string) => {
  git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", inner, at);
  commit(root, "sub");
};

check("submodule, checked out: its files are its own", () => {
  const root = repository();
  addSubmodule(root, box.repository({ "s.rs": "fn delta() {}\n" }), "sub");
  return { root };
});

check("submodule, absent", () => {
  const origin = repository();
  addSubmodule(origin, box.repository({ "s.rs": "fn delta() {}\n" }), "sub");
  const root = join(box.home, "..", "absent");
  execFileSync("git", ["clone", "-q", origin, root], { stdio: "pipe" });
  return { root, refs: ["origin/other"] };
});

check("the submodule itself: .git is a file", () => {
  const outer = repository();
  addSubmodule(outer, repository(), "sub");
  return { root: join(outer, "sub"), refs: ["origin/other"] };
});

check("nested repository", () => {
  const root = repository();
  const inner = box.repository({ "n.rs": "fn delta() {}\n" });
  renameSync(inner, join(root, "nested"));
  return { root };
});

check("rebase", () => {
  const root = repository();
  write(root, { "e.rs": "fn epsilon() {}\n" });
  commit(root, "main goes on");
  git(root, "rebase", "-q", "main", "other");
  git(root, "switch", "-q", "main");
  return { root, symbols: [...MAIN, "e.rs fn epsilon()"].sort() };
});

check("force-push: a branch that means something else", () => {
  const root = repository();
  git(root, "branch", "-f", "other", "main");
  return { root };
});

check("a branch deleted and made again", () => {
  const root = repository();
  git(root, "branch", "-D", "other");
  git(root, "branch", "other", "main");
  return { root };
});

check("slashes, dots and Unicode in names; feat/a beside feat-a", () => {
  const root = repository();
  for (const name of ["feat/a", "feat-a", "v1.0.x", "ünï/cödé"])
    git(root, "branch", name, name === "feat-a" ? "main" : "other");
  return { root, refs: ["feat/a", "feat-a", "v1.0.x", "ünï/cödé"] };
});

check("packed refs", () => {
  const root = repository();
  git(root, "pack-refs", "--all");
  git(root, "gc", "-q");
  return { root };
});

check("sha-256", () => {
  const root = box.tree(FILES);
  git(root, "init", "-q", "-b", "main", "--object-format=sha256");
  commit(root, "1");
  git(root, "switch", "-qc", "other");
  write(root, ALSO);
  commit(root, "2");
  git(root, "switch", "-q", "main");
  return { root };
});

check(".git as a file", () => {
  const root = repository();
  const away = join(box.home, "..", "away.git");
  renameSync(join(root, ".git"), away);
  writeFileSync(join(root, ".git"), `gitdir: ${away}\n`);
  return { root };
});

check("alternates", () => {
  const root = join(box.home, "..", "shared");
  execFileSync("git", ["clone", "-q", "--shared", repository(), root], { stdio: "pipe" });
  return { root, refs: ["origin/other"] };
});

check("grafts", () => {
  const root = repository();
  git(root, "replace", "--graft", "other");
  return { root };
});

check("a merge with 30 parents", () => {
  const root = repository();
  for (let i = 0; i < 30; i++) {
    git(root, "switch", "-qc", `p${i}`, "main");
    write(root, { [`p${i}.rs`]: "fn delta() {}\n" });
    commit(root, `p${i}`);
  }
  git(root, "switch", "-qc", "octopus", "main");
  git(root, "merge", "-q", "-m", "all", ...Array.from({ length: 30 }, (_, i) => `p${i}`));
  git(root, "switch", "-q", "main");
  return { root, refs: ["octopus", "p7"] };
});

check("LFS pointers", () => {
  const pointer =
    "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n";
  return {
    root: repository({ "big.bin.rs": pointer, ".gitattributes": "*.bin.rs filter=lfs diff=lfs merge=lfs -text\n" }),
  };
});

check("sparse checkout", () => {
  const root = repository();
  git(root, "sparse-checkout", "set", "d");
  return { root };
});

check("a and a/b: one after the other", () => {
  const root = repository();
  git(root, "branch", "a/b", "other");
  git(root, "branch", "-D", "a/b");
  git(root, "branch", "a", "main");
  return { root, refs: ["a", "other"] };
});

test("I9: a sub-directory of a repository", async () => {
  const root = repository({ ".gitignore": "*.skip.rs\n", "d/x.skip.rs": "fn delta() {}\n" });
  const project = await compass.register(join(root, "d"));
  expect((await seen(project)).symbols).toEqual(["b.rs fn beta()"]);
  expect((await seen(project, "other")).symbols).toEqual(["b.rs fn beta()"]);
});

test("I9: a partial clone reports what is missing", async () => {
  const origin = repository();
  git(origin, "config", "uploadpack.allowFilter", "true");
  const root = join(box.home, "..", "partial-2");
  execFileSync("git", ["clone", "-q", "--filter=blob:none", `file://${origin}`, root], { stdio: "pipe" });
  const project = await compass.register(root);
  await compass.freshen(project, { ref: "origin/other" });
  await compass.read(project, { policy: "strict", ref: "origin/other" }, async ({ status }) => {
    expect(status.complete).toBe(false);
    expect(status.coverage!.skippedReasons).toEqual({ unreadable: 2 });
    expect(status.warnings.join()).toContain("not in this clone");
  });
});

test("I9: objects fetched later are indexed, and each missing object is looked up once", async () => {
  const origin = repository();
  git(origin, "config", "uploadpack.allowFilter", "true");
  const root = join(box.home, "..", "partial-3");
  execFileSync("git", ["clone", "-q", "--filter=blob:none", `file://${origin}`, root], { stdio: "pipe" });
  const project = await compass.register(root);
  const [first, second] = git(root, "ls-tree", "-r", "--name-only", "origin/other").trim().split("\n");
  const standing = () => compass.read(project, { policy: "best_effort", ref: "origin/other" }, async (it) => it.status);
  await compass.freshen(project, { ref: "origin/other" });
  expect(await compass.isCurrent(project, "origin/other")).toBe(true);
  git(root, "show", `origin/other:${first}`);
  expect(await standing()).toMatchObject({ freshness: "stale", warnings: [/fetched/, /2 files/].map(matching) });
  await compass.freshen(project, { ref: "origin/other" });
  expect(await standing()).toMatchObject({ freshness: "fresh", warnings: [matching(/1 files/)] });
  git(root, "show", `origin/other:${second}`);
  await compass.freshen(project, { ref: "origin/other" });
  expect((await seen(project, "origin/other")).symbols).toEqual(OTHER);
});

const matching = (words: RegExp) => expect.stringMatching(words);

test("missing and corrupt objects are errors, and the rest answers", async () => {
  const root = repository();
  const tree = git(root, "rev-parse", "other^{tree}").trim();
  const project = await compass.register(root);
  expect((await seen(project)).symbols).toEqual(MAIN);
  rmSync(join(root, ".git/objects", tree.slice(0, 2), tree.slice(2)));
  // "Call index_repo" has just failed: the message is about the repository.
  await expect(seen(project, "other")).rejects.toMatchObject({
    code: "ref_not_indexed",
    message: expect.stringMatching(/The ref other .* missing from the repository/),
    data: { ref: "other", suggestion: expect.stringContaining("git fsck") },
  });
  await expect(compass.diff(project, { headRef: "other" })).rejects.toMatchObject({
    data: { suggestion: expect.stringContaining("git fsck") },
  });
  const blob = git(root, "rev-parse", "main:a.rs").trim();
  const file = join(root, ".git/objects", blob.slice(0, 2), blob.slice(2));
  rmSync(file);
  writeFileSync(file, "rubbish");
  expect((await seen(project)).symbols).toEqual(MAIN);
});

test("an object that was lost and restored is indexed", async () => {
  const root = repository();
  const blob = git(root, "rev-parse", "other:c.rs").trim();
  const file = join(root, ".git/objects", blob.slice(0, 2), blob.slice(2));
  const kept = readFileSync(file);
  rmSync(file);
  const project = await compass.register(root);
  expect((await seen(project, "other")).symbols).not.toEqual(OTHER);
  writeFileSync(file, kept);
  expect((await seen(project, "other")).symbols).toEqual(OTHER);
});

test("a repository deleted while the server runs: an error, and nothing lost", async () => {
  const root = repository();
  const project = await compass.register(root);
  await seen(project, "other");
  renameSync(join(root, ".git"), join(root, "..", "kept.git"));
  await expect(seen(project, "other")).rejects.toMatchObject({ code: "ref_not_indexed" });
  renameSync(join(root, "..", "kept.git"), join(root, ".git"));
  expect((await seen(project, "other")).symbols).toEqual(OTHER);
});

test("linked work trees share content and ids, each with its own edits", async () => {
  const root = repository();
  const linked = join(box.home, "..", "linked-2");
  git(root, "worktree", "add", "-q", linked, "other");
  write(linked, { "e.rs": "fn epsilon() {}\n" });
  write(root, { "a.rs": "fn alpha(edited: bool) {}\n" });
  const [one, two] = [await compass.register(root), await compass.register(linked)];
  expect((await seen(one)).symbols).toEqual(["a.rs fn alpha(edited: bool)", "d/b.rs fn beta()"]);
  expect((await seen(two)).symbols).toEqual([...OTHER, "e.rs fn epsilon()"].sort());
  // A branch that is checked out elsewhere is shown as committed.
  expect((await seen(one, "other")).symbols).toEqual(OTHER);
  expect((await seen(two, "main")).symbols).toEqual(MAIN);
  const idOf = (project: Project) =>
    compass.read(
      project,
      { policy: "strict" },
      async (it) => (await it.locate({ name: "beta", limit: 1 })).hits[0]!.symbol!.symbolId,
    );
  expect(await idOf(two)).toBe(await idOf(one));
  const byId = await compass.read(two, { policy: "strict" }, async (it) =>
    it.locate({ symbolId: await idOf(one), limit: 5 }),
  );
  expect(byId.hits).toHaveLength(1);
});

test("a submodule is not part of its parent workspace", async () => {
  const outer = repository();
  addSubmodule(outer, box.repository({ "s.rs": "fn delta() {}\n" }), "sub");
  await compass.register(outer);
  await expect(compass.project(join(outer, "sub"))).rejects.toMatchObject({ code: "workspace_not_registered" });
  expect((await compass.project(join(outer, "d"))).root).toBe(outer);
});
