/** Acceptance cases C10, C26–C28, C30–C32, K7, K16 and a first query without any set-up, over a real server. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { F_RUST } from "../kit/repos/f-rust.ts";
import { commit, git, type Sandbox, sandbox, write } from "../kit/sandbox.ts";
import { type StdioServer, startServer } from "../kit/stdio.ts";

let box: Sandbox;
let root: string;
const servers: StdioServer[] = [];

beforeEach(() => {
  box = sandbox();
  root = box.repository(F_RUST);
});

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
  box[Symbol.dispose]();
});

/** A server without a watcher, so that a test decides when the index is updated. */
async function still(...args: string[]): Promise<StdioServer> {
  const server = startServer(["--workspace", root, ...args], { ...box.env, CODECOMPASS_SERVER_WATCH: "false" });
  servers.push(server);
  await server.initialize();
  return server;
}

async function indexed(...args: string[]): Promise<StdioServer> {
  const server = await still(...args);
  expect((await server.tool("index_repo", { wait_seconds: 60 })).status).toBe("published");
  return server;
}

/** A server that watches the indexed tree. */
async function watching(): Promise<StdioServer> {
  const server = startServer(["--workspace", root], box.env);
  servers.push(server);
  await server.initialize();
  await server.tool("index_repo", { wait_seconds: 60 });
  await until(async () => (await server.tool("health_check")).watcher === "native");
  return server;
}

test("the first query indexes the tree and answers", async () => {
  const server = await still();
  const answer = await server.tool("locate_symbol", { name: "validate_token" });
  expect(answer.results[0].path).toBe("src/auth.rs");
  expect(answer.metadata).toMatchObject({ ref: "main", indexing_status: "ready", schema_status: "compatible" });
});

test("a query waits for the first build of another process", async () => {
  const [one, other] = [await still(), await still()];
  const answers = await Promise.all([one, other].map((server) => server.tool("locate_symbol", { name: "Claims" })));
  expect(answers.map((answer) => answer.results[0]?.path)).toEqual(["src/auth.rs", "src/auth.rs"]);
});

test("C10: a function that exists only on a branch is invisible on main", async () => {
  const server = await indexed();
  git(root, "checkout", "-q", "-b", "feat/extra");
  write(root, { "src/extra.rs": "pub fn only_on_branch() {}\n" });
  commit(root, "extra");
  expect((await server.tool("index_repo", { wait_seconds: 60 })).status).toBe("published");
  const branch = await server.tool("locate_symbol", { name: "only_on_branch", ref: "feat/extra" });
  expect(branch.results).toHaveLength(1);
  expect(branch.metadata.ref).toBe("feat/extra");
  const main = await server.tool("locate_symbol", { name: "only_on_branch", ref: "main" });
  expect(main.results).toEqual([]);
  expect((await server.tool("locate_symbol", { name: "x", ref: "no/such" })).error.code).toBe("ref_not_indexed");
});

test("C28: without prewarm the server says so and answers", async () => {
  const server = await indexed("--no-prewarm");
  expect((await server.tool("health_check")).prewarm_status).toBe("skipped");
  expect((await server.tool("locate_symbol", { name: "Role" })).results[0].path).toBe("src/types.rs");
});

test("C30: balanced answers from a stale index and syncs in the background", async () => {
  const server = await indexed();
  write(root, { "src/late.rs": "pub fn came_late() {}\n" });
  commit(root, "late");
  const answer = await server.tool("search_code", { query: "validate_token" });
  expect(answer.results.length).toBeGreaterThan(0);
  expect(answer.metadata.freshness_status).toBe("stale");
  await until(async () => (await server.tool("locate_symbol", { name: "came_late" })).results.length === 1);
  // A publish is visible a moment before its job has ended.
  await until(async () => {
    const { metadata } = await server.tool("search_code", { query: "came_late" });
    return metadata.freshness_status === "fresh";
  });
});

test("C31: strict rejects a stale index and says what to do", async () => {
  const server = await indexed();
  const before = git(root, "rev-parse", "HEAD").trim();
  write(root, { "src/late.rs": "pub fn came_late() {}\n" });
  const after = commit(root, "late");
  const { error } = await server.tool("search_code", { query: "validate_token", freshness_policy: "strict" });
  expect(error.code).toBe("index_stale");
  expect(error.data).toMatchObject({ last_indexed_commit: before, current_head: after, changed_files: 1 });
  expect(error.data.suggestion).toContain("sync_repo");
  const sync = await server.tool("sync_repo", { wait_seconds: 60 });
  expect(sync).toMatchObject({ status: "published", mode: "incremental", changed_files: 1 });
  const fresh = await server.tool("search_code", { query: "came_late", freshness_policy: "strict" });
  expect(fresh.metadata.freshness_status).toBe("fresh");
});

test("while a job runs, no answer claims to be fresh", async () => {
  const many = Array.from({ length: 400 }, (_, i) => [`many/m${i}.py`, `def many_${i}():\n    return ${i}\n`]);
  write(root, Object.fromEntries(many));
  const server = await indexed();
  expect((await server.tool("index_repo", { force: true })).status).toBe("running");
  const during = await server.tool("locate_symbol", { name: "Claims" });
  expect(during.results[0].path).toBe("src/auth.rs");
  expect(during.metadata.freshness_status).toBe("syncing");
  const strict = await server.tool("locate_symbol", { name: "Claims", freshness_policy: "strict" });
  expect(strict.error.code).toBe("index_stale");
  await until(async () => (await server.tool("index_status")).active_job === null);
  const after = await server.tool("locate_symbol", { name: "Claims", freshness_policy: "strict" });
  expect(after.metadata.freshness_status).toBe("fresh");
});

test("C32: best_effort answers from a stale index and starts nothing", async () => {
  const server = await indexed();
  write(root, { "src/late.rs": "pub fn came_late() {}\n" });
  const jobs = (await server.tool("index_status")).recent_jobs.length;
  const answer = await server.tool("search_code", { query: "validate_token", freshness_policy: "best_effort" });
  expect(answer.metadata.freshness_status).toBe("stale");
  const status = await server.tool("index_status");
  expect(status.active_job).toBeNull();
  expect(status.recent_jobs).toHaveLength(jobs);
});

test("K7, K16: an edit is found, the replaced text and a deleted file are gone", async () => {
  const server = await indexed();
  write(root, { "src/db.rs": "pub fn brand_new_name() {}\n" });
  rmSync(join(root, "src/types.rs"));
  await server.tool("sync_repo", { wait_seconds: 60 });
  expect((await server.tool("search_code", { query: "brand_new_name" })).results[0].path).toBe("src/db.rs");
  expect((await server.tool("locate_symbol", { name: "execute_in_transaction" })).results).toEqual([]);
  const gone = await server.tool("search_code", { query: "deactivate has_role User" });
  expect(gone.results.every((hit: { path: string }) => hit.path !== "src/types.rs")).toBe(true);
});

test("a watching server answers about an edit without a sync", async () => {
  const server = await watching();
  write(root, { "src/fresh.rs": "pub fn seen_by_the_watcher() {}\n" });
  await until(async () => {
    const answer = await server.tool("locate_symbol", { name: "seen_by_the_watcher", freshness_policy: "best_effort" });
    return answer.results.length === 1;
  });
});

test("strict never calls an outdated answer fresh, however soon the query comes", async () => {
  const server = await watching();
  for (let edit = 1; edit <= 5; edit++) {
    const name = `edited_just_now_${edit}`;
    // Two in a row: events of a burst are delayed.
    write(root, { "src/first.rs": `pub fn first_${edit}() {}\n` });
    await new Promise((resolve) => setTimeout(resolve, 100));
    write(root, { "src/second.rs": `pub fn ${name}() {}\n` });
    const { results, error } = await server.tool("locate_symbol", { name, freshness_policy: "strict" });
    expect(error?.code ?? results.length).toBe("index_stale");
    await until(async () => (await server.tool("locate_symbol", { name })).results.length === 1);
  }
});

test("nothing is written into the repository", async () => {
  const server = await indexed();
  await server.tool("search_code", { query: "validate_token" });
  expect(git(root, "status", "--porcelain", "--ignored")).toBe("");
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error("it never came true");
}
