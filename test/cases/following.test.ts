/** A running server follows HEAD: checkout, commit, pull, rebase, reset, stash; and C61, concurrent syncs. */
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { codecompass } from "../kit/command.ts";
import { until } from "../kit/faults.ts";
import { commit, git, write } from "../kit/sandbox.ts";
import { serveTree } from "../kit/served-tree.ts";

const POLLING = { timeout: 60_000, interval: 50 };

const { box, root, server } = await serveTree((box) => {
  const root = box.repository({ "a.rs": "fn alpha() {}\n", "b.rs": "fn beta() {}\n" });
  git(root, "switch", "-qc", "feat");
  write(root, { "a.rs": "fn alpha(x: u8) {}\n", "c.rs": "fn gamma() {}\n" });
  commit(root, "feat");
  git(root, "switch", "-q", "main");
  return root;
});
await until("the tree is watched", async () => (await server.tool("health_check")).watcher === "native");

interface Seen {
  readonly ref: string;
  readonly freshness: string;
  readonly alpha: string[];
}

/** A query that starts nothing, so only the server's own watcher can update the answer. */
async function shown(): Promise<Seen> {
  const { results, metadata } = await server.tool("locate_symbol", { name: "alpha", freshness_policy: "best_effort" });
  const alpha = results.map((hit: { signature: string }) => hit.signature);
  return { ref: metadata.ref, freshness: metadata.freshness_status, alpha };
}

const check = (name: string, move: () => void, ref: string | (() => string), alpha: string) =>
  test(`${name} is followed`, async () => {
    move();
    const wanted = { ref: typeof ref === "string" ? ref : ref(), freshness: "fresh", alpha: [alpha] };
    await expect.poll(shown, POLLING).toEqual(wanted);
  });
const head = () => git(root, "rev-parse", "HEAD").trim();
check("checkout of a branch", () => git(root, "switch", "-q", "feat"), "feat", "fn alpha(x: u8)");
check("an edit", () => write(root, { "a.rs": "fn alpha(y: u8) {}\n" }), "feat", "fn alpha(y: u8)");
check("a commit", () => commit(root, "y"), "feat", "fn alpha(y: u8)");
check("checkout back", () => git(root, "switch", "-q", "main"), "main", "fn alpha()");
check("a merge", () => git(root, "merge", "-q", "feat"), "main", "fn alpha(y: u8)");
check("reset --hard", () => git(root, "reset", "-q", "--hard", "HEAD~1"), "main", "fn alpha(x: u8)");
check("detached HEAD", () => git(root, "switch", "-q", "--detach", "feat"), head, "fn alpha(y: u8)");
check(
  "a rebase",
  () => {
    git(root, "switch", "-qc", "third", "main~1");
    write(root, { "t.rs": "fn third() {}\n" });
    commit(root, "third");
    git(root, "rebase", "-q", "main");
  },
  "third",
  "fn alpha(x: u8)",
);
check(
  "amend",
  () => {
    write(root, { "a.rs": "fn alpha(amended: u8) {}\n" });
    git(root, "commit", "-qa", "--amend", "-m", "amended");
  },
  "third",
  "fn alpha(amended: u8)",
);
check(
  "a stash",
  () => {
    write(root, { "a.rs": "fn alpha(dirty: u8) {}\n" });
    git(root, "stash", "-q");
  },
  "third",
  "fn alpha(amended: u8)",
);
check("a branch rename", () => git(root, "branch", "-m", "fourth"), "fourth", "fn alpha(amended: u8)");
check(
  "a pull",
  () => {
    const origin = join(root, "..", "origin");
    git(root, "clone", "-q", "--bare", root, origin);
    const other = join(root, "..", "clone");
    git(root, "clone", "-q", "-b", "fourth", origin, other);
    write(other, { "a.rs": "fn alpha(pulled: u8) {}\n" });
    commit(other, "pulled");
    git(other, "push", "-q");
    git(root, "remote", "add", "origin", origin);
    git(root, "pull", "-q", "--ff-only", "origin", "fourth");
  },
  "fourth",
  "fn alpha(pulled: u8)",
);

test("a lock file left by a killed git delays following but does not end it", async () => {
  const lock = join(root, ".git", "index.lock");
  writeFileSync(lock, "");
  try {
    write(root, { "a.rs": "fn alpha(locked: u8) {}\n" });
    await expect.poll(async () => (await shown()).alpha, POLLING).toEqual(["fn alpha(locked: u8)"]);
  } finally {
    rmSync(lock);
  }
  git(root, "checkout", "-q", "--", "a.rs");
  await expect.poll(async () => (await shown()).alpha, POLLING).toEqual(["fn alpha(pulled: u8)"]);
});

test("strict rejects a moved HEAD; balanced answers and catches up", async () => {
  const before = head();
  git(root, "commit", "-q", "--allow-empty", "-m", "empty");
  const strict = await server.tool("locate_symbol", { name: "alpha", freshness_policy: "strict" });
  if (strict.error !== undefined)
    expect(strict.error).toMatchObject({
      code: "index_stale",
      data: { last_indexed_commit: before, current_head: head() },
    });
  const balanced = await server.tool("locate_symbol", { name: "alpha" });
  expect(balanced.results).toHaveLength(1);
  await expect.poll(async () => (await shown()).freshness, POLLING).toBe("fresh");
});

test("C61: a kill during an overlay's sync leaves the old overlay, and the next sync completes", async () => {
  expect((await server.tool("locate_symbol", { name: "gamma", ref: "feat" })).results).toMatchObject([
    { path: "c.rs" },
  ]);
  const tree = git(root, "rev-parse", "main~1^{tree}").trim();
  const next = git(root, "commit-tree", "-m", "without gamma", "-p", "feat", tree).trim();
  git(root, "update-ref", "refs/heads/feat", next);
  const env = { ...box.env, CODECOMPASS_FAILPOINT: "commit:before" };
  expect((await codecompass(["sync", "--ref", "feat"], { cwd: root, env })).code).toBeNull();
  const held = await server.tool("locate_symbol", { name: "gamma", ref: "feat", freshness_policy: "best_effort" });
  expect(held.metadata.freshness_status).toBe("stale");
  expect(held.results).toHaveLength(1);
  expect((await server.tool("sync_repo", { ref: "feat", wait_seconds: 60 })).status).toBe("published");
  expect((await server.tool("locate_symbol", { name: "gamma", ref: "feat" })).results).toEqual([]);
});

test("C61: a second sync of a ref is rejected while one runs", async () => {
  write(
    root,
    Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`many/f${i}.rs`, `fn many_${i}() {}\n`.repeat(20)])),
  );
  git(root, "stash", "-q", "-u");
  const many = git(root, "rev-parse", "stash@{0}^3").trim();
  git(root, "branch", "-f", "many", many);
  const [first, second] = await Promise.all([
    server.tool("sync_repo", { ref: "many", wait_seconds: 60 }),
    server.tool("sync_repo", { ref: "many", wait_seconds: 60 }),
  ]);
  expect([first, second].map((it) => it.error?.code ?? it.status).sort()).toEqual(["published", "sync_in_progress"]);
  expect(readdirSync(root).includes("many")).toBe(false);
});
