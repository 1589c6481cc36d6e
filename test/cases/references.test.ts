/** Cases C34, C37, C65 and C66 and bad input of find_references, against a real server over stdio and the CLI. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { codecompass } from "../kit/command.ts";
import { serveTree } from "../kit/served-tree.ts";
import { startServer } from "../kit/stdio.ts";

const TREE = {
  "src/auth/jwt.ts":
    "export interface Claims {\n  subject: string;\n}\n\nexport function validateToken(token: string): Claims {\n  return { subject: token };\n}\n",
  "src/middleware.ts":
    'import { validateToken } from "./auth/jwt.ts";\n\nexport function checkAuth(token: string) {\n  const claims = validateToken(token);\n  return claims.subject;\n}\n',
  "src/handler.ts":
    'import { validateToken as check } from "./auth/jwt.ts";\n\nexport class Handler {\n  run(token: string) {\n    return check(token);\n  }\n  close() {}\n}\n\nexport class Pool {\n  close() {}\n}\n',
  "src/other.ts":
    'import { validateToken } from "elsewhere";\n\nvalidateToken("not ours");\n\nexport function get(it) {\n  it.close();\n}\n',
  "lib/worker.py":
    "class Worker:\n    def step(self):\n        self.step()\n\n\ndef main(worker: Worker):\n    worker.step()\n",
  "docs/README.md": "validateToken is described here.\n",
};

const { box, root, server } = await serveTree((box) => box.repository(TREE));

const ask = (symbol_name: string, more: object = {}) => server.tool("find_references", { symbol_name, ...more });

test("C65: each reference is a location with its line, its kind and the enclosing symbol", async () => {
  const answer = await ask("validateToken");
  expect(answer.symbol).toMatchObject({ name: "validateToken", kind: "fn", path: "src/auth/jwt.ts", line_start: 5 });
  const rows = answer.references.map((it: Record<string, unknown>) => [
    it.path,
    it.line_start,
    it.edge_type,
    it.context,
  ]);
  expect(rows).toEqual([
    ["src/handler.ts", 1, "imports", 'import { validateToken as check } from "./auth/jwt.ts";'],
    ["src/handler.ts", 5, "calls", "return check(token);"],
    ["src/middleware.ts", 1, "imports", 'import { validateToken } from "./auth/jwt.ts";'],
    ["src/middleware.ts", 4, "calls", "const claims = validateToken(token);"],
  ]);
  const [imported, called] = answer.references;
  expect(imported.from_symbol).toMatchObject({ name: "handler", kind: "module" });
  expect(called.from_symbol).toMatchObject({ qualified_name: "handler.Handler.run", kind: "method" });
  expect(answer.total_references).toBe(4);
  expect(answer.certain_references).toBe(4);
  expect(answer.references_by_kind).toEqual({ imports: 2, calls: 2 });
});

test("kind filters, limit truncates after counting, handles lead to the same symbol", async () => {
  const calls = await ask("validateToken", { kind: "calls", limit: 1 });
  expect(calls.references).toHaveLength(1);
  expect(calls.total_references).toBe(2);
  expect(calls.metadata.result_completeness).toBe("truncated");
  expect(calls.suggested_next_actions[0]).toMatchObject({ tool: "find_references", limit: 2 });
  const byId = await ask("x", { symbol_id: calls.symbol.symbol_id });
  expect(byId.symbol).toEqual(calls.symbol);
  const stable = await ask("x", { symbol_stable_id: calls.symbol.symbol_stable_id });
  expect(stable.total_references).toBe(4);
});

test("a line that belongs to no symbol is named as such", async () => {
  const { error } = await ask("src/other.ts:9999");
  expect(error).toMatchObject({
    code: "symbol_not_found",
    message: expect.stringMatching(/^No symbol spans src\/other\.ts:9999 at /),
  });
  expect(error.data.remediation).toContain("get_file_outline");
});

test("matches by name only come last and are counted separately", async () => {
  const answer = await ask("Handler.close");
  expect(answer.references.map((it: Record<string, unknown>) => [it.path, it.resolution])).toEqual([
    ["src/other.ts", "name_only"],
  ]);
  expect([answer.certain_references, answer.name_only_references]).toEqual([0, 1]);
});

test("a token budget is kept, and the answer says what was left out", async () => {
  const answer = await ask("validateToken", { max_tokens: 420 });
  expect(answer.references.length).toBeLessThan(4);
  expect(answer.metadata.omitted.count).toBe(4 - answer.references.length);
  expect(answer.total_references).toBe(4);
});

describe("C37, C66: errors", () => {
  const refused = async (input: object) => (await server.tool("find_references", input)).error;

  test("a name in two classes has candidates; a path or an owner distinguishes them", async () => {
    const error = await refused({ symbol_name: "close", strict_symbol: true });
    expect(error).toMatchObject({ code: "ambiguous_symbol", data: { candidate_count: 2 } });
    expect(error.data.candidates.map((it: { qualified_name: string }) => it.qualified_name)).toEqual([
      "handler.Handler.close",
      "handler.Pool.close",
    ]);
    expect((await ask("Pool.close")).symbol.qualified_name).toBe("handler.Pool.close");
  });

  test.each([
    [{ symbol_name: "no_such_symbol" }, "symbol_not_found"],
    [{ symbol_name: "validateToken", path: "src/handler.ts" }, "symbol_not_found"],
    [{ symbol_name: "  " }, "invalid_input"],
    [{ symbol_name: "validateToken", kind: "uses" }, "invalid_input"],
    [{ symbol_name: "validateToken", limit: 0 }, "invalid_input"],
  ])("%j is %s", async (input, code) => expect((await refused(input)).code).toBe(code));

  test("a project without edges", async () => {
    const plain = box.repository({ "notes.md": "# One\n", "data.csv": "a,b\n" });
    const own = startServer(["--workspace", plain], box.env);
    await own.initialize();
    await own.tool("index_repo", { wait_seconds: 60 });
    expect((await own.tool("find_references", { symbol_name: "One" })).error.code).toBe("no_edges_available");
    await own.close();
  });
});

test("recursion is a use like any other, and a receiver's type determines the method", async () => {
  const answer = await ask("step");
  const rows = answer.references.map((it: Record<string, unknown>) => [it.line_start, it.resolution]);
  expect(rows).toEqual([
    [3, "receiver"],
    [7, "receiver"],
  ]);
});

test("an ambiguous name is answered for each symbol that has it", async () => {
  const answer = await ask("close");
  expect(answer).toMatchObject({ candidate_count: 2, references: [] });
  const names = answer.candidates.map((it: { symbol: { qualified_name: string } }) => it.symbol.qualified_name);
  expect(names.toSorted()).toEqual(["handler.Handler.close", "handler.Pool.close"]);
  const graph = await server.tool("get_call_graph", { symbol_name: "close" });
  expect(graph.candidates).toHaveLength(2);
  expect((await server.tool("impact", { symbol_name: "close" })).candidates).toHaveLength(2);
});

describe("addresses", () => {
  const check = (address: () => string, expected: string) =>
    test(expected, async () => expect((await ask(address())).symbol.qualified_name).toBe(expected));
  check(() => "src/handler.ts:7", "handler.Handler.close");
  check(() => "src/handler.ts#Pool.close", "handler.Pool.close");
  check(() => join(root, "src/auth/jwt.ts:5"), "auth.jwt.validateToken");
  test("locate_symbol takes them too", async () => {
    const { results } = await server.tool("locate_symbol", { name: "src/handler.ts:5" });
    expect(results[0].qualified_name).toBe("handler.Handler.run");
  });
});

test("the CLI gives the same answer", async () => {
  const { out, code } = await codecompass(["find_references", "validateToken"], { cwd: root, env: box.env });
  expect(code).toBe(0);
  expect(out).toContain("src/middleware.ts:4  calls  const claims = validateToken(token);");
  expect(out).toContain("4 uses");
});

test("C34: a removed import is gone after a sync, and nothing is listed twice", async () => {
  writeFileSync(join(root, "src/middleware.ts"), "export function checkAuth(token: string) {\n  return token;\n}\n");
  rmSync(join(root, "src/other.ts"));
  await server.tool("sync_repo", { wait_seconds: 60 });
  const answer = await ask("validateToken", { kind: "imports" });
  expect(answer.references.map((it: Record<string, unknown>) => it.path)).toEqual(["src/handler.ts"]);
  expect((await ask("validateToken")).total_references).toBe(2);
});
