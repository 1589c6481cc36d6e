/** The library: its documented example runs as printed, and its answers and refusals are those of the tools. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { open, type WorkspaceHandle } from "../../src/index.ts";
import { type Sandbox, sandbox } from "../kit/sandbox.ts";

const FILES = {
  "src/auth.py":
    '"""Tokens."""\n\n\ndef validate_token(token):\n    """Validates a token."""\n    return token == "ok"\n',
  "src/app.py": "from auth import validate_token\n\n\ndef handle(request):\n    return validate_token(request)\n",
};

let box: Sandbox;
let root: string;
let workspace: WorkspaceHandle;

beforeAll(async () => {
  box = sandbox();
  root = box.repository(FILES);
  workspace = await open(join(root, "src"), { home: box.home });
});

afterAll(async () => {
  await workspace.close();
  box[Symbol.dispose]();
});

test("the documented example prints what the page shows", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/library.md"), "utf8");
  const [, example, output] = /```ts\n([\s\S]*?)```\n\n```text\n([\s\S]*?)```/.exec(page)!;
  const library = pathToFileURL(join(dirname(process.env.CODECOMPASS_TEST_MAIN!), "index.js")).href;
  const script = join(dirname(box.home), "example.ts");
  writeFileSync(script, example!.replace('"codecompass-mcp"', JSON.stringify(library)));
  expect(execFileSync(process.execPath, [script], { cwd: root, env: box.env, encoding: "utf8" })).toBe(output);
});

test("every method answers as its tool does, for the whole repository", async () => {
  expect(workspace.root).toBe(root);
  const [located] = (await workspace.locate("validate_token")).results;
  expect(located).toMatchObject({ path: "src/auth.py", line_start: 4 });
  const [hit] = (await workspace.search("validate_token", { limit: 3 })).results;
  expect(hit).toMatchObject({ path: "src/auth.py", name: "validate_token" });
  const uses = await workspace.references("validate_token");
  expect(uses.references.map(({ path }) => path)).toEqual(["src/app.py", "src/app.py"]);
  const context = await workspace.context("validate a token", { max_tokens: 500 });
  expect(context.context_items.length).toBeGreaterThan(0);
  expect((await workspace.diff({ base_ref: "main", head_ref: "worktree" })).total_changes).toBe(0);
  const outline = await workspace.call("get_file_outline", { path: "src/app.py", depth: "top" });
  expect(outline.symbols.map(({ name }) => name)).toContain("handle");
});

test("an edit is seen by the next answer, and nothing is written into the repository", async () => {
  writeFileSync(join(root, "src/new.py"), "def brand_new():\n    return 1\n");
  expect((await workspace.locate("brand_new")).results).toHaveLength(1);
  expect(execFileSync("git", ["status", "--porcelain"], { cwd: root, encoding: "utf8" })).toBe("?? src/new.py\n");
});

test("a refusal is an error with a code and what to do next", async () => {
  await expect(workspace.search("x", { ref: "no-such-branch" })).rejects.toMatchObject({
    code: "ref_not_indexed",
    data: { remediation: expect.any(String) },
  });
  await expect(workspace.call("no_such_tool" as never, {} as never)).rejects.toMatchObject({ code: "invalid_input" });
  await expect(open(join(root, "missing"), { home: box.home })).rejects.toMatchObject({ name: "CompassError" });
});
