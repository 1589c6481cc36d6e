/** Acceptance cases C35–C43 and C66 against a real server over stdio: hierarchy, related symbols, context, errors. */
import { describe, expect, test } from "vitest";
import { F_RUST } from "../kit/repos/f-rust.ts";
import { serveTree } from "../kit/served-tree.ts";

type Row = Record<string, never> & { readonly name: string; readonly relation: string; readonly children: Row[] };

const { server } = await serveTree((box) =>
  box.repository({
    ...F_RUST,
    "src/twins.rs": "pub fn twice() {}\n\npub struct Twin;\n\nimpl Twin {\n    pub fn open(&self) {}\n}\n",
    "tools/twins.rs": "pub fn twice() {}\n",
  }),
);

test("C35: the ancestors of a method, leaf first", async () => {
  const answer = await server.tool("get_symbol_hierarchy", { symbol_name: "has_role" });
  expect(answer.direction).toBe("ancestors");
  expect(answer.chain_length).toBe(answer.hierarchy.length);
  expect(answer.hierarchy.map((node: Row) => node.depth)).toEqual(answer.hierarchy.map((_: Row, i: number) => i));
  expect(answer.hierarchy[0]).toMatchObject({ name: "has_role", path: "src/types.rs", depth: 0 });
  expect(["impl", "struct"]).toContain(answer.hierarchy[1].kind);
  expect(answer.hierarchy[1].name).toBe("User");
});

test("C36: a type with all its members, including those of its impl blocks", async () => {
  const answer = await server.tool("get_symbol_hierarchy", { symbol_name: "User", direction: "descendants" });
  expect(answer.hierarchy).toHaveLength(1);
  const [root] = answer.hierarchy;
  expect(root).toMatchObject({ name: "User", kind: "struct", depth: 0 });
  const names = root.children.map((child: Row) => child.name);
  expect(names).toEqual(expect.arrayContaining(["has_role", "deactivate"]));
  const count = (node: Row): number => 1 + (node.children ?? []).reduce((sum, child) => sum + count(child), 0);
  expect(answer.chain_length).toBe(count(root));
});

test("C37: a name in two files is ambiguous, with both as candidates; a path decides", async () => {
  for (const tool of ["get_symbol_hierarchy", "find_related_symbols", "find_references", "get_call_graph"]) {
    const { error } = await server.tool(tool, { symbol_name: "twice", strict_symbol: true });
    expect(error.code).toBe("ambiguous_symbol");
    expect(error.data.candidate_count).toBe(2);
    expect(error.data.candidates.map((one: Row) => one.path).toSorted()).toEqual(["src/twins.rs", "tools/twins.rs"]);
    const decided = await server.tool(tool, { symbol_name: "twice", path: "tools/twins.rs" });
    expect(decided.error).toBeUndefined();
    const byId = await server.tool(tool, { symbol_name: "twice", symbol_id: error.data.candidates[0].symbol_id });
    expect(byId.error).toBeUndefined();
  }
});

test("C38: related symbols of the file, without the symbol itself", async () => {
  const answer = await server.tool("find_related_symbols", { symbol_name: "validate_token" });
  expect(answer.scope_used).toBe("file");
  expect(answer.anchor.name).toBe("validate_token");
  expect(answer.related.length).toBeGreaterThan(2);
  for (const one of answer.related) expect(one).toMatchObject({ relation: "same_file", path: "src/auth.rs" });
  expect(answer.related.map((one: Row) => one.name)).not.toContain("validate_token");
});

test("C39: related symbols of the module and imported ones, closest relation first", async () => {
  const answer = await server.tool("find_related_symbols", { symbol_name: "AuthHandler", scope: "module", limit: 60 });
  const relations = answer.related.map((one: Row) => one.relation);
  expect(relations).toEqual(expect.arrayContaining(["same_file", "same_module", "imported"]));
  const rank = ["same_file", "same_module", "same_package", "imported"];
  expect(relations).toEqual(relations.toSorted((a: string, b: string) => rank.indexOf(a) - rank.indexOf(b)));
  const few = await server.tool("find_related_symbols", { symbol_name: "AuthHandler", scope: "module", limit: 6 });
  expect(new Set(few.related.map((one: Row) => one.relation)).size).toBe(3);
  expect(few.total_found).toBe(answer.total_found);
});

describe("C40–C42: context within a budget", () => {
  const ask = (strategy: string, max_tokens: number) =>
    server.tool("get_code_context", { query: "validate a token", strategy, max_tokens });

  test("C40: breadth has no bodies", async () => {
    const answer = await ask("breadth", 200);
    expect(answer.estimated_tokens).toBeLessThanOrEqual(200);
    expect(answer.context_items.length).toBeGreaterThan(0);
    for (const item of answer.context_items) expect(item).not.toHaveProperty("body");
  });

  test("C41: depth has bodies, and fewer of them", async () => {
    const [wide, deep] = [await ask("breadth", 1_000), await ask("depth", 1_000)];
    expect(deep.context_items.length).toBeGreaterThan(0);
    expect(deep.context_items.length).toBeLessThan(wide.context_items.length);
    for (const item of deep.context_items) expect(item.body.length).toBeGreaterThan(0);
    expect(wide.metadata).toMatchObject({ strategy: "breadth", returned: wide.context_items.length });
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])("C42: %i tokens fit nothing, and the answer says so", async (budget) => {
    for (const strategy of ["breadth", "depth"]) {
      const answer = await ask(strategy, budget);
      expect(answer).toMatchObject({ context_items: [], truncated: true });
      expect(answer.estimated_tokens).toBeLessThanOrEqual(budget);
      expect(answer.metadata.suggestion).toMatch(/max_tokens/);
    }
  });

  test.each([50, 100, 500, 1_000, 4_000])("C42: never above %i", async (budget) => {
    for (const strategy of ["breadth", "depth"]) {
      const answer = await ask(strategy, budget);
      expect(answer.estimated_tokens).toBeLessThanOrEqual(budget);
    }
  });
});

test("C43, C66: errors", async () => {
  const codes = async (tool: string, input: object) => (await server.tool(tool, input)).error?.code;
  expect(await codes("get_symbol_hierarchy", { symbol_name: "no_such_symbol" })).toBe("symbol_not_found");
  expect(await codes("get_code_context", { query: "token", strategy: "wide" })).toBe("invalid_strategy");
  for (const max_tokens of [0, -1]) {
    expect(await codes("get_code_context", { query: "token", max_tokens })).toBe("invalid_max_tokens");
  }
  for (const tool of ["find_references", "get_call_graph", "impact"]) {
    expect(await codes(tool, { symbol_name: "no_such_symbol" })).toBe("symbol_not_found");
  }
  expect(await codes("impact", { path: "../elsewhere" })).toBe("invalid_input");
});
