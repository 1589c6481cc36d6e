/** C10, C55–C61, C69, C70: queries on branches that are not checked out, through a real server. */
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { codecompass } from "../kit/command.ts";
import { hostileRefs } from "../kit/hostile.ts";
import { branch, commit, git, gitState, write } from "../kit/sandbox.ts";
import { serveTree } from "../kit/served-tree.ts";
import { startServer } from "../kit/stdio.ts";

const POLLING = { timeout: 60_000, interval: 50 };
const LIB = "pub fn shared(a: u32) -> u32 {\n    a\n}\n";

const { box, root, server } = await serveTree((box) => {
  const root = box.repository({ "src/lib.rs": LIB, "src/keep.rs": "pub fn keep_me() {}\n" });
  branch(root, "feat/add-file", () => write(root, { "src/added.rs": "pub fn added_branch_file() {}\n" }));
  branch(root, "feat/modify-sig", () => write(root, { "src/lib.rs": LIB.replace("a: u32", "a: u32, b: u32") }));
  branch(root, "feat/delete-file", () => rmSync(join(root, "src/keep.rs")));
  branch(root, "feat/rename-file", () => git(root, "mv", "src/lib.rs", "src/core.rs"));
  branch(root, "feat/rebase-target", () => write(root, { "src/target.rs": "pub fn rebase_target() {}\n" }));
  git(root, "tag", "-am", "v1", "v1.0", "feat/modify-sig");
  return root;
});

const state = () => gitState(root);

// biome-ignore lint/suspicious/noExplicitAny: replies as they come
async function locate(name: string, ref?: string): Promise<any> {
  return server.tool("locate_symbol", { name, ...(ref !== undefined && { ref }) });
}
const found = async (name: string, ref?: string) =>
  (await locate(name, ref)).results.map(
    (hit: { path: string; source_layer: string }) => `${hit.path} ${hit.source_layer}`,
  );

const check = (id: string, name: string, answers: Record<string, string[]>) =>
  test(`${id}: ${name}`, async () => {
    const before = state();
    for (const [ref, hits] of Object.entries(answers)) expect(await found(name, ref)).toEqual(hits);
    expect(state()).toEqual(before);
  });
check("C10, C55", "added_branch_file", { "feat/add-file": ["src/added.rs overlay"], main: [] });
check("C57", "keep_me", { "feat/delete-file": [], main: ["src/keep.rs base"] });
check("C58", "shared", { "feat/rename-file": ["src/core.rs overlay"] });
check("C61a", "shared", {
  main: ["src/lib.rs base"],
  "feat/modify-sig": ["src/lib.rs overlay"],
  "feat/add-file": ["src/lib.rs base"],
});

test("C56: one hit with the branch's signature; main keeps its own", async () => {
  const [on, off] = [await locate("shared", "feat/modify-sig"), await locate("shared", "main")];
  expect(on.results).toHaveLength(1);
  expect(on.results[0]).toMatchObject({ signature: "pub fn shared(a: u32, b: u32) -> u32", source_layer: "overlay" });
  expect(on.metadata).toMatchObject({
    ref: "feat/modify-sig",
    freshness_status: "fresh",
    result_completeness: "complete",
  });
  expect(off.results).toMatchObject([{ signature: "pub fn shared(a: u32) -> u32", source_layer: "base" }]);
  expect(on.results[0].symbol_id).toBe(off.results[0].symbol_id);
});

test("tags, commits, remote-like names and git's special names are refs, too", async () => {
  const tip = git(root, "rev-parse", "feat/modify-sig").trim();
  for (const ref of [
    "v1.0",
    "refs/tags/v1.0",
    "refs/heads/feat/modify-sig",
    tip,
    tip.slice(0, 10),
    "feat/modify-sig~0",
  ]) {
    expect((await locate("shared", ref)).results[0].signature).toContain("b: u32");
  }
  expect((await locate("shared", "v1.0")).metadata.ref).toBe("v1.0");
  expect((await locate("shared", "refs/heads/feat/modify-sig")).metadata.ref).toBe("feat/modify-sig");
  expect((await locate("shared", `${tip.slice(0, 10)}`)).metadata.ref).toBe(tip);
  expect((await locate("shared", "HEAD")).metadata.ref).toBe("main");
});

test("other tools accept the ref, too", async () => {
  expect((await server.tool("get_file_outline", { path: "src/added.rs", ref: "feat/add-file" })).symbols).toHaveLength(
    1,
  );
  expect((await server.tool("get_file_outline", { path: "src/added.rs" })).error.code).toBe("file_not_found");
  const { results } = await server.tool("search_code", { query: "added_branch_file", ref: "feat/add-file" });
  expect(results[0]).toMatchObject({ path: "src/added.rs", source_layer: "overlay" });
  expect((await server.tool("index_status", { ref: "feat/add-file" })).file_count).toBe(3);
});

test("C59, C60: main changes; a branch gets it by a rebase and not before", async () => {
  write(root, { "src/evolves.rs": "pub fn main_evolves() {}\n" });
  commit(root, "main evolves");
  // The watcher may be faster than the explicit sync_repo.
  await expect.poll(() => found("main_evolves", "main"), POLLING).toEqual(["src/evolves.rs base"]);
  expect(await found("main_evolves", "feat/add-file")).toEqual([]);
  expect(await found("rebase_target", "feat/rebase-target")).toEqual(["src/target.rs overlay"]);
  git(root, "rebase", "-q", "main", "feat/rebase-target");
  git(root, "switch", "-q", "main");
  const before = state();
  expect(await server.tool("sync_repo", { ref: "feat/rebase-target", wait_seconds: 60 })).toMatchObject({
    status: "published",
    changed_files: 1,
  });
  expect(await found("main_evolves", "feat/rebase-target")).toEqual(["src/evolves.rs base"]);
  expect(await found("rebase_target", "feat/rebase-target")).toEqual(["src/target.rs overlay"]);
  expect(state()).toEqual(before);
});

test("C61b: a reverted deletion shows the file again", async () => {
  git(root, "switch", "-q", "feat/delete-file");
  git(root, "revert", "--no-edit", "HEAD");
  git(root, "switch", "-q", "main");
  await server.tool("sync_repo", { ref: "feat/delete-file", wait_seconds: 60 });
  expect(await found("keep_me", "feat/delete-file")).toEqual(["src/keep.rs base"]);
});

test("a ref that moved is stale, and answered after a background sync", async () => {
  const tree = git(root, "rev-parse", "feat/add-file^{tree}").trim();
  const next = git(root, "commit-tree", "-m", "next", "-p", "feat/add-file", tree).trim();
  git(root, "update-ref", "refs/heads/feat/add-file", next);
  const strict = await server.tool("locate_symbol", {
    name: "shared",
    ref: "feat/add-file",
    freshness_policy: "strict",
  });
  expect(strict.error).toMatchObject({ code: "index_stale", data: { current_head: next } });
  const lax = await server.tool("locate_symbol", {
    name: "shared",
    ref: "feat/add-file",
    freshness_policy: "best_effort",
  });
  expect(lax.metadata.freshness_status).toBe("stale");
  expect((await locate("shared", "feat/add-file")).results).toHaveLength(1);
  await expect
    .poll(async () => (await locate("shared", "feat/add-file")).metadata.freshness_status, { timeout: 30_000 })
    .toBe("fresh");
});

test("unknown and unreadable refs are errors, hostile ones do nothing", async () => {
  const before = state();
  const refs = [
    "nope",
    "a..b",
    "x y",
    "@{1",
    "refs/../HEAD",
    "$(touch canary)",
    ";id",
    "feat/add-file:src",
    "main^99",
    "0".repeat(40),
    "--output=canary",
    "-c",
  ];
  for (const ref of refs) expect((await locate("shared", ref)).error.code).toBe("ref_not_indexed");
  for (const ref of ["a\nb", ""]) expect((await locate("shared", ref)).error.code).toBe("invalid_input");
  expect(existsSync(join(root, "canary"))).toBe(false);
  expect(state()).toEqual(before);
});

test("S5: no ref of any tool is an option or a command", async () => {
  const before = state();
  const hostile = hostileRefs();
  const { result } = await server.request("tools/list", {});
  const tools = result?.tools as { name: string; inputSchema: { properties: object; required?: string[] } }[];
  let asked = 0;
  for (const { name, inputSchema } of tools) {
    const needed = Object.fromEntries((inputSchema.required ?? []).map((field) => [field, "shared"]));
    for (const field of Object.keys(inputSchema.properties).filter((it) => /(^|_)ref$/.test(it))) {
      const call = (ref: string) => server.request("tools/call", { name, arguments: { ...needed, [field]: ref } });
      // Each of them starts git: a parameter gets every third by default, and the next one gets the next ones.
      const sent = hostile.filter((_, at) => process.env.CODECOMPASS_LONG !== undefined || at % 3 === asked % 3);
      for (const reply of await Promise.all(sent.map(call)))
        expect(JSON.stringify(reply)).toMatch(/code\W+(ref_not_indexed|invalid_input)/);
      asked++;
    }
  }
  expect(asked).toBeGreaterThan(10);
  expect(existsSync(join(root, "canary"))).toBe(false);
  expect(state()).toEqual(before);
}, 240_000);

test("a branch whose name begins with a dash can be queried by that name", async () => {
  git(root, "update-ref", "refs/heads/-dash", "feat/add-file");
  expect(await found("added_branch_file", "-dash")).toEqual(["src/added.rs overlay"]);
  expect((await server.tool("switch_ref", { ref: "-dash" })).ref).toBe("-dash");
  expect(await found("added_branch_file")).toEqual(["src/added.rs overlay"]);
  expect((await server.tool("diff_context", { head_ref: "-dash" })).changes).toMatchObject([
    { symbol: "added_branch_file", change_type: "added" },
  ]);
  const { refs } = await server.tool("list_refs");
  expect(refs.map((it: { ref: string }) => it.ref)).toContain("-dash");
  await server.tool("switch_ref", { ref: "main" });
  const checkedOut = box.repository({ "a.rs": "pub fn alone() {}\n" });
  git(checkedOut, "symbolic-ref", "HEAD", "refs/heads/-x");
  commit(checkedOut, "on -x");
  const asked = await codecompass(["locate_symbol", "alone", "--ref=-x", "--json"], { cwd: checkedOut, env: box.env });
  expect(asked.json()).toMatchObject({ results: [{ path: "a.rs" }], metadata: { ref: "-x" } });
});

test.each(["search_code", "search"])("%s --json reports a missing ref as the tool does", async (command) => {
  const ran = await codecompass([command, "shared", "--ref", "nope", "--json"], { cwd: root, env: box.env });
  expect([ran.code, ran.err]).toEqual([2, ""]);
  expect(ran.json()).toMatchObject({ error: { code: "ref_not_indexed" }, metadata: { ref: "nope" } });
});

test("C69: list_refs lists what is indexed, the default first", async () => {
  const { refs, total_refs, vcs_mode } = await server.tool("list_refs");
  expect(vcs_mode).toBe(true);
  expect(total_refs).toBe(refs.length);
  expect(refs[0]).toMatchObject({
    ref: "main",
    is_default: true,
    file_count: 3,
    merge_base_commit: null,
    status: "active",
  });
  const modified = refs.find((it: { ref: string }) => it.ref === "feat/modify-sig");
  expect(modified).toMatchObject({ is_default: false, file_count: 1, symbol_count: 1, status: "active" });
  expect(modified.merge_base_commit).toBe(git(root, "merge-base", "main", "feat/modify-sig").trim());
});

test("C69: before the first commit the files on disk are the default", async () => {
  const unborn = box.tree({ "a.rs": "fn a() {}\n" });
  git(unborn, "init", "-q");
  const other = startServer(["--workspace", unborn], box.env);
  await other.initialize();
  await other.tool("index_repo", { wait_seconds: 60 });
  const { refs, vcs_mode } = await other.tool("list_refs");
  expect({ refs, vcs_mode }).toMatchObject({
    refs: [{ ref: "live", is_default: true, file_count: 1 }],
    vcs_mode: true,
  });
  await other.close();
});

test("C69: outside git there is one ref", async () => {
  const plain = box.tree({ "a.rs": "fn a() {}\n" });
  const other = startServer(["--workspace", plain], box.env);
  await other.initialize();
  await other.tool("index_repo", { wait_seconds: 60 });
  const listed = await other.tool("list_refs");
  expect(listed).toMatchObject({
    total_refs: 1,
    vcs_mode: false,
    refs: [{ ref: "live", is_default: true, file_count: 1 }],
  });
  expect((await other.tool("locate_symbol", { name: "a" })).results[0].source_layer).toBeUndefined();
  expect((await other.tool("locate_symbol", { name: "a", ref: "main" })).error.code).toBe("ref_not_indexed");
  await other.close();
});

test("C70: switch_ref applies to the session", async () => {
  const before = state();
  const second = startServer(["--workspace", root], box.env);
  await second.initialize();
  expect(await server.tool("switch_ref", { ref: "feat/modify-sig" })).toMatchObject({
    ref: "feat/modify-sig",
    previous_ref: "main",
    status: "active",
  });
  const mine = await server.tool("locate_symbol", { name: "shared" });
  expect(mine.metadata.ref).toBe("feat/modify-sig");
  expect(mine.results[0].signature).toContain("b: u32");
  expect((await second.tool("locate_symbol", { name: "shared" })).metadata.ref).toBe("main");
  expect((await server.tool("switch_ref", { ref: "nope" })).error).toMatchObject({ code: "ref_not_indexed" });
  expect((await server.tool("locate_symbol", { name: "shared" })).metadata.ref).toBe("feat/modify-sig");
  // S4: an existing ref that is not indexed is an error that says what to do.
  git(root, "branch", "feat/unindexed", "feat/add-file");
  const { error } = await server.tool("switch_ref", { ref: "feat/unindexed" });
  expect(error).toMatchObject({ code: "ref_not_indexed", data: { ref: "feat/unindexed" } });
  expect(JSON.stringify(error)).toContain("index_repo");
  expect((await server.tool("locate_symbol", { name: "shared" })).metadata.ref).toBe("feat/modify-sig");
  await server.tool("index_repo", { ref: "feat/unindexed", wait_seconds: 60 });
  expect((await server.tool("switch_ref", { ref: "feat/unindexed" })).status).toBe("active");
  expect(await found("added_branch_file")).toEqual(["src/added.rs overlay"]);
  git(root, "branch", "-D", "feat/unindexed");
  expect((await server.tool("switch_ref", { ref: "feat/modify-sig" })).status).toBe("active");
  expect((await server.tool("switch_ref", { ref: "main" })).previous_ref).toBe("feat/modify-sig");
  expect((await second.tool("list_refs")).refs[0]).toMatchObject({ ref: "main", is_default: true });
  await second.close();
  expect(state()).toEqual(before);
});

test("ensure_worktree writes the files, which are removed with the process", async () => {
  const before = state();
  const own = startServer(["--workspace", root], box.env);
  await own.initialize();
  const { worktree_path: path } = await own.tool("switch_ref", { ref: "feat/rename-file", ensure_worktree: true });
  expect(path.startsWith(box.home)).toBe(true);
  expect(existsSync(join(path, "src/core.rs"))).toBe(true);
  expect((await own.tool("switch_ref", { ref: "main", ensure_worktree: true })).worktree_path).toBe(root);
  await own.close();
  expect(existsSync(path)).toBe(false);
  expect(state()).toEqual(before);
});

test("ensure_worktree after a crash: the next start cleans up", async () => {
  const own = startServer(["--workspace", root], box.env);
  await own.initialize();
  const { worktree_path: path } = await own.tool("switch_ref", { ref: "feat/rename-file", ensure_worktree: true });
  own.process.kill("SIGKILL");
  await new Promise((gone) => own.process.once("exit", gone));
  expect(existsSync(path)).toBe(true);
  const next = startServer(["--workspace", root], box.env);
  await next.initialize();
  await next.tool("health_check");
  await expect.poll(() => existsSync(path), POLLING).toBe(false);
  await next.close();
});
