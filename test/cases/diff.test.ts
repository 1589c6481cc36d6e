/** C62–C64 and the other promises of `diff_context`, through a real server on real repositories; nothing is indexed first. */
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { estimateTokens } from "../../src/text/tokens.ts";
import { branch, commit, git, gitState, type Sandbox, sandbox, write } from "../kit/sandbox.ts";
import { type StdioServer, startServer } from "../kit/stdio.ts";

let box: Sandbox;
let root: string;
let server: StdioServer;

const LIB = "pub fn shared(a: u32) -> u32 {\n    a + 1\n}\n\npub fn keep_me() -> u32 {\n    2\n}\n";
const LONG =
  "export function mean(list: number[]): number {\n  let sum = 0;\n  for (const one of list) sum += one;\n  return sum / list.length;\n}\n";

beforeAll(async () => {
  box = sandbox();
  root = box.repository({
    "src/lib.rs": LIB,
    "src/stats.ts": LONG,
    "src/stats.test.ts": 'import { mean } from "./stats";\ntest("mean", () => mean([1, 2]));\n',
    "src/page.ts":
      'import { mean } from "./stats";\nexport function page(): string {\n  return String(mean([1]));\n}\n',
    "logo.png": "\0PNG",
    "docs/README.md": "# Title\n\ntext\n",
  });
  branch(root, "feat/modify-sig", () => write(root, { "src/lib.rs": LIB.replace("a: u32", "a: u32, mode: u8") }));
  branch(root, "feat/body", () => write(root, { "src/lib.rs": LIB.replace("a + 1", "a + 3") }));
  branch(root, "feat/add-file", () =>
    write(root, { "src/added.rs": "pub fn added_branch_file() {}\n", "logo.png": "\0PNG2" }),
  );
  branch(root, "feat/rename-file", () => git(root, "mv", "src/lib.rs", "src/core.rs"));
  branch(root, "feat/rename-fn", () => write(root, { "src/stats.ts": LONG.replace("mean(", "average(") }));
  branch(root, "feat/delete", () => rmSync(join(root, "src/stats.ts")));
  branch(root, "feat/wide", () =>
    write(root, Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`src/gen/f${i}.rs`, `pub fn f${i}() {}\n`]))),
  );
  branch(root, "feat/move-and-edit", () => {
    git(root, "mv", "src/lib.rs", "src/a_moved.rs");
    write(root, { "src/stats.ts": LONG.replace("sum = 0", "sum = 1") });
  });
  git(root, "switch", "-q", "--orphan", "alone");
  write(root, { "z.rs": "fn z() {}\n" });
  commit(root, "alone");
  git(root, "switch", "-q", "main");
  write(root, { "src/evolves.rs": "pub fn main_evolves() {}\n" });
  commit(root, "main goes on");
  git(root, "tag", "-am", "v1", "v1.0", "feat/modify-sig");
  git(root, "branch", "ünï/a.b", "feat/body");
  server = startServer(["--workspace", root], box.env);
  await server.initialize();
});
afterAll(async () => {
  await server.close();
  box[Symbol.dispose]();
});

const state = () => gitState(root);

// biome-ignore lint/suspicious/noExplicitAny: replies as they come
async function diff(input: object): Promise<any> {
  const before = state();
  const answer = await server.tool("diff_context", input);
  expect(state()).toEqual(before);
  return answer;
}
const named = (answer: { changes: { change_type: string; symbol: string; renamed_from?: string }[] }) =>
  answer.changes.map((it) => `${it.change_type} ${it.symbol}${it.renamed_from ? ` from ${it.renamed_from}` : ""}`);

test("C62: one change with both signatures, one stable id, git's merge base", async () => {
  const answer = await diff({ base_ref: "main", head_ref: "feat/modify-sig" });
  expect(named(answer)).toEqual(["modified shared"]);
  const [{ before, after, path, lines }] = answer.changes;
  expect([before.signature, after.signature]).toEqual([
    "pub fn shared(a: u32) -> u32",
    "pub fn shared(a: u32, mode: u8) -> u32",
  ]);
  expect(after.symbol_stable_id).toBe(before.symbol_stable_id);
  expect(after.symbol_id).toBe(before.symbol_id);
  expect(after).toMatchObject({ kind: "fn", path: "src/lib.rs", line_start: 1, line_end: 3 });
  expect([path, lines]).toEqual(["src/lib.rs", { start: 1, end: 3 }]);
  expect(answer).toMatchObject({
    base_ref: "main",
    head_ref: "feat/modify-sig",
    affected_files: 1,
    file_changes: [{ path: "src/lib.rs", change_type: "modified" }],
    merge_base_commit: git(root, "merge-base", "main", "feat/modify-sig").trim(),
    total_changes: 1,
    truncated: false,
    metadata: { ref: "feat/modify-sig", result_completeness: "complete", freshness_status: "fresh" },
  });
});

const check = (what: string, input: object, changes: readonly string[], files?: readonly string[]) =>
  test(what, async () => {
    const answer = await diff(input);
    expect(named(answer)).toEqual(changes);
    const shown = answer.file_changes.map(
      (it: { change_type: string; path: string; renamed_from?: string; not_parsed?: string }) =>
        `${it.change_type} ${it.path}${it.renamed_from ? ` from ${it.renamed_from}` : ""}${it.not_parsed ? ` (${it.not_parsed})` : ""}`,
    );
    if (files) expect(shown).toEqual(files);
  });

check("C63: a body", { head_ref: "feat/body" }, ["modified shared"]);
check("a tag", { head_ref: "v1.0" }, ["modified shared"]);
check("a branch with slashes, dots and umlauts", { head_ref: "ünï/a.b" }, ["modified shared"]);
check("the default branch is the base, HEAD the head: nothing between them", {}, []);
check("commits", { base_ref: "HEAD~1", head_ref: "HEAD" }, ["added main_evolves"]);
check(
  "what only the base has is not shown as deleted",
  { base_ref: "main", head_ref: "feat/add-file" },
  ["added added_branch_file"],
  ["modified logo.png (binary)", "added src/added.rs"],
);
check(
  "a renamed file",
  { head_ref: "feat/rename-file" },
  ["modified shared from src/lib.rs", "modified keep_me from src/lib.rs"],
  ["modified src/core.rs from src/lib.rs"],
);
check("a renamed function", { head_ref: "feat/rename-fn" }, ["modified average from stats.mean"]);
check("a deleted file", { head_ref: "feat/delete" }, ["deleted mean"], ["deleted src/stats.ts"]);
check("C64: a path that changed nothing", { head_ref: "feat/body", path_filter: "docs/" }, [], []);
check("a path that is a directory", { head_ref: "feat/body", path_filter: "./src" }, ["modified shared"]);
check("a path that only begins like it", { head_ref: "feat/body", path_filter: "src/li" }, []);
check("a path by a detour", { head_ref: "feat/body", path_filter: "docs/../src/" }, ["modified shared"]);
check("a path that no longer exists", { head_ref: "feat/delete", path_filter: "src/stats.ts" }, ["deleted mean"]);

test("a path as spelled on disk", async () => {
  const head = { head_ref: "feat/body" };
  expect(named(await diff({ ...head, path_filter: join(root, "src") }))).toEqual(["modified shared"]);
  expect(named(await diff({ ...head, path_filter: root }))).toEqual(["modified shared"]);
});

test.each(["../x", "src/../../x", "/etc", "..", "..\\x"])(
  "a path outside the workspace is rejected: %s",
  async (path) => {
    const data = { parameter: "path_filter", reason: `${path} lies outside the workspace` };
    expect((await diff({ head_ref: "feat/body", path_filter: path })).error).toMatchObject({
      code: "invalid_input",
      data,
    });
  },
);

test("Markdown without a pack is rejected", async () => {
  const { error } = await diff({ head_ref: "feat/body", format: "markdown" });
  expect(error).toMatchObject({ code: "invalid_input", data: { parameter: "format" } });
  expect(error.message).toMatch(/pass pack/);
});

test("C64: a limit truncates, and the answer says what was left out", async () => {
  const answer = await diff({ head_ref: "feat/wide", limit: 1 });
  expect(answer.changes).toHaveLength(1);
  expect(answer).toMatchObject({ truncated: true, total_changes: 60, affected_files: 60 });
  expect(answer.metadata.result_completeness).toBe("truncated");
});

test("a token budget is kept", async () => {
  for (const max_tokens of [300, 1_000, 3_000]) {
    const answer = await diff({ head_ref: "feat/wide", max_tokens });
    expect(estimateTokens(JSON.stringify(answer))).toBeLessThanOrEqual(max_tokens);
    expect(answer.metadata.omitted.count).toBeGreaterThan(0);
  }
});

describe("the dirty work tree", () => {
  test("staged, unstaged, untracked, removed and reverted edits", async () => {
    write(root, { "src/lib.rs": LIB.replace("    2", "    20"), "src/free.rs": "fn free() {}\n", "src/page.ts": "" });
    git(root, "add", "src/page.ts");
    const lib = join(root, "src/stats.ts");
    rmSync(lib);
    write(root, { "src/stats.ts": LONG, "src/evolves.rs": "pub fn main_evolves() {}\r\n" });
    const answer = await diff({ base_ref: "HEAD", head_ref: "worktree" });
    expect(named(answer)).toEqual(["added free", "modified keep_me", "deleted page"]);
    expect(answer.file_changes.map((it: { path: string }) => it.path)).toEqual([
      "src/free.rs",
      "src/lib.rs",
      "src/page.ts",
    ]);
    git(root, "reset", "-q", "--hard");
    rmSync(join(root, "src/free.rs"));
  });

  test("a branch's base and uncommitted work together", async () => {
    git(root, "switch", "-q", "feat/body");
    write(root, { "src/extra.rs": "fn extra() {}\n" });
    expect(named(await diff({ head_ref: "worktree" }))).toEqual(["added extra", "modified shared"]);
    expect(named(await diff({}))).toEqual(["modified shared"]);
    rmSync(join(root, "src/extra.rs"));
    git(root, "switch", "-q", "main");
  });
});

test("a session that switched compares the ref it switched to", async () => {
  await server.tool("index_repo", { ref: "feat/body", wait_seconds: 60 });
  await server.tool("switch_ref", { ref: "feat/body" });
  expect(named(await diff({}))).toEqual(["modified shared"]);
  await server.tool("switch_ref", { ref: "main" });
});

describe("errors", () => {
  const refused = (input: object, code: string) =>
    test(`${JSON.stringify(input)} → ${code}`, async () => {
      const { error } = await diff(input);
      expect(error.code).toBe(code);
      expect(error.data.remediation).toBeTruthy();
    });
  test("an error names the head ref", async () => {
    expect((await diff({ head_ref: "alone" })).metadata.ref).toBe("alone");
  });
  refused({ head_ref: "no/such/branch" }, "ref_not_indexed");
  refused({ base_ref: "f".repeat(40) }, "ref_not_indexed");
  refused({ head_ref: "alone" }, "merge_base_failed");
  refused({ head_ref: "--output=x" }, "ref_not_indexed");
  refused({ head_ref: "a\nb" }, "invalid_input");
  refused({ head_ref: "" }, "invalid_input");
  refused({ limit: 0 }, "invalid_input");
  refused({ pack: 0 }, "invalid_input");
  refused({ format: "html" }, "invalid_input");

  test("S5: no ref is an option or a command", async () => {
    const words = [
      "-c core.pager=touch",
      "--help",
      ";touch canary",
      "$(touch canary)",
      "`touch canary`",
      "|touch canary",
    ];
    for (const word of [...words, "main;touch canary", "..", "@{-1}x", ":/", "HEAD^{/x", "refs/heads/"]) {
      for (const field of ["base_ref", "head_ref"]) {
        const { error } = await diff({ [field]: word });
        expect(["invalid_input", "ref_not_indexed"]).toContain(error?.code);
      }
    }
    expect(existsSync(join(root, "canary"))).toBe(false);
    expect(readdirSync(root).sort()).toEqual([".git", "docs", "logo.png", "src"]);
  });

  test("an unborn branch, and no repository at all", async () => {
    const [empty, plain] = [box.tree({}), box.tree({ "a.rs": "fn a() {}\n" })];
    git(empty, "init", "-q", "-b", "main");
    const other = startServer(["--workspace", empty, "--workspace", plain], box.env);
    await other.initialize();
    for (const workspace of [empty, plain]) {
      expect((await other.tool("diff_context", { workspace })).error.code).toBe("ref_not_indexed");
    }
    const { error } = await other.tool("diff_context", { workspace: empty });
    expect(error).toMatchObject({ message: expect.stringContaining("no commit yet"), data: { ref: "main" } });
    await other.close();
  });

  test("a damaged object loses its file, not the answer", async () => {
    const broken = box.repository({ "a.rs": "fn a() {}\n", "b.rs": "fn b() {}\n" });
    write(broken, { "a.rs": "fn a() { 1; }\n", "b.rs": "fn b() { 1; }\n" });
    commit(broken, "second");
    const blob = git(broken, "rev-parse", "HEAD:a.rs").trim();
    rmSync(join(broken, ".git/objects", blob.slice(0, 2), blob.slice(2)), { force: true });
    const other = startServer(["--workspace", broken], box.env);
    await other.initialize();
    const answer = await other.tool("diff_context", { base_ref: "HEAD~1" });
    expect(named(answer)).toEqual(["modified b"]);
    expect(answer.file_changes[0]).toMatchObject({ path: "a.rs", not_parsed: "unreadable" });
    expect(answer.metadata).toMatchObject({
      result_completeness: "partial",
      warnings: [expect.stringContaining("cannot be read: 1")],
    });
    await other.close();
  });
});

describe("a review pack", () => {
  beforeAll(async () => {
    await server.tool("index_repo", { wait_seconds: 60 });
  });

  test("has the code before and after, the users of what changed and the likely tests", async () => {
    const answer = await diff({ head_ref: "feat/rename-fn", pack: 3_000 });
    expect(answer.changes[0].code).toBe(
      "-export function mean(list: number[]): number {\n+export function average(list: number[]): number {\n   let sum = 0;\n   for (const one of list) sum += one;",
    );
    expect(answer.likely_tests[0]).toMatchObject({ path: "src/stats.test.ts", reason: "named_alike" });
    expect(estimateTokens(JSON.stringify(answer))).toBeLessThanOrEqual(3_000);
  });

  test("lists changes before moves", async () => {
    const answer = await diff({ head_ref: "feat/move-and-edit", pack: 3_000 });
    expect(named(answer)).toEqual([
      "modified mean",
      "modified shared from src/lib.rs",
      "modified keep_me from src/lib.rs",
    ]);
  });

  test("finds uses of a removed symbol by name", async () => {
    const answer = await diff({ head_ref: "feat/delete", pack: 3_000 });
    const uses = answer.callers.map((it: { path: string; resolution: string }) => `${it.path} ${it.resolution}`);
    expect(new Set(uses)).toEqual(new Set(["src/page.ts name_only", "src/stats.test.ts name_only"]));
  });

  test("a test that uses an ambiguous name is likely only if it means the changed symbol", async () => {
    const methods = (name: string, text: string) =>
      `export class ${name} {\n  header() {\n    return "${text}";\n  }\n}\n`;
    const other = box.repository({
      "src/out.ts": methods("Out", "a"),
      "src/elsewhere.ts": methods("Elsewhere", "a"),
      "src/means.test.ts": 'import { Out } from "./out";\ntest("h", () => new Out().header());\n',
      "src/says.test.ts": "declare const reply: any;\ntest('h', () => reply.header());\n",
    });
    branch(other, "feat", () => write(other, { "src/out.ts": methods("Out", "b") }));
    const packs = startServer(["--workspace", other], box.env);
    await packs.initialize();
    await packs.tool("index_repo", { wait_seconds: 60 });
    const { likely_tests } = await packs.tool("diff_context", { head_ref: "feat", pack: 2_000 });
    expect(likely_tests).toEqual([
      { path: "src/means.test.ts", reason: "uses", distance: 1, uses: expect.arrayContaining(["header"]) },
    ]);
    await packs.close();
  });

  test("is Markdown that repository text cannot break out of", async () => {
    git(root, "switch", "-qc", "evil");
    write(root, {
      "src/evil.ts": "export function evil() {\n  // ```\n  // @everyone <script> ````\n  return 1;\n}\n",
    });
    commit(root, "evil");
    git(root, "switch", "-q", "main");
    const { markdown } = await diff({ head_ref: "evil", pack: 2_000, format: "markdown" });
    expect(markdown).toMatch(/^### Symbols changed: `main\.\.\.evil`\n\n1 file, 1 symbol since `[0-9a-f]{12}`\n/);
    expect(markdown).toContain("- **added** fn `evil.evil` in `src/evil.ts:1`\n\n  `````diff\n");
    expect(markdown.trimEnd().endsWith("`````")).toBe(true);
  });

  test("stays within any budget", async () => {
    for (const pack of [250, 600, 2_000]) {
      for (const format of ["json", "markdown"]) {
        const answer = await diff({ head_ref: "feat/wide", pack, format, limit: 60 });
        expect(estimateTokens(JSON.stringify(answer))).toBeLessThanOrEqual(pack);
        expect(answer).toMatchObject({ truncated: true, total_changes: 60 });
      }
    }
  });
});
