/** Acceptance cases C2–C8, C13–C24, C29 and C33 against a real server over stdio, on the Rust fixture. */
import { expect, test } from "vitest";
import { F_RUST, F_RUST_HOMES } from "../kit/repos/f-rust.ts";
import { serveTree } from "../kit/served-tree.ts";
import { REQUIRED_METADATA } from "../kit/tool-examples.ts";

const { server } = await serveTree((box) => box.repository(F_RUST));

const lineOf = (path: string, needle: string) =>
  F_RUST[path]!.slice(0, F_RUST[path]!.indexOf(needle)).split("\n").length;

test("C2: a definition is located with its exact lines and handles", async () => {
  const { results } = await server.tool("locate_symbol", { name: "validate_token" });
  expect(results[0].path).toBe("src/auth.rs");
  expect(results[0].line_start).toBe(lineOf("src/auth.rs", "pub fn validate_token"));
  expect(results[0].line_end).toBe(lineOf("src/auth.rs", "/// Refuses callers") - 2);
  expect(results[0].qualified_name).toBe("auth::validate_token");
  expect(results[0].symbol_id).toMatch(/^sym_[0-9A-HJKMNP-TV-Z]{26}$/);
  expect(results[0].symbol_stable_id).toMatch(/^b3:[0-9a-f]{64}$/);
});

test("C3: kind filters by any alias, and a kind that does not fit finds nothing", async () => {
  const fn = await server.tool("locate_symbol", { name: "validate_token", kind: "fn" });
  expect(fn.results.length).toBeGreaterThanOrEqual(1);
  const struct = await server.tool("locate_symbol", { name: "validate_token", kind: "struct" });
  expect(struct.results).toEqual([]);
  const alias = await server.tool("locate_symbol", { name: "validate_token", kind: "Function" });
  expect(alias.results).toEqual(fn.results);
  const method = await server.tool("locate_symbol", { name: "has_role", kind: "method" });
  expect(method.results[0].kind).toBe("fn");
});

test("C4: an unknown name gives an empty answer with the number of files searched", async () => {
  const answer = await server.tool("locate_symbol", { name: "no_such_symbol" });
  expect(answer.results).toEqual([]);
  expect(answer.total_candidates).toBe(0);
  expect(answer.metadata.result_completeness).toBe("complete");
  expect(answer.metadata.coverage.files_indexed).toBe(Object.keys(F_RUST).length);
});

test("C5: every name of the fixture leads to its file first", async () => {
  const misses: string[] = [];
  for (const [name, path] of F_RUST_HOMES) {
    const located = await server.tool("locate_symbol", { name });
    const searched = await server.tool("search_code", { query: name });
    if (located.results[0]?.path !== path) misses.push(`locate ${name}: ${located.results[0]?.path}`);
    if (searched.results[0]?.path !== path) misses.push(`search ${name}: ${searched.results[0]?.path}`);
  }
  expect(misses).toEqual([]);
});

test("C6: an error text is classified as an error query", async () => {
  const answer = await server.tool("search_code", { query: "error: invalid token" });
  expect(answer.query_intent).toBe("error");
  expect(answer.results[0].path).toBe("src/auth.rs");
});

test("C7: a path finds its file", async () => {
  const answer = await server.tool("search_code", { query: "src/handler.rs" });
  expect(answer.query_intent).toBe("path");
  expect(answer.results[0].path).toBe("src/handler.rs");
});

test("C8: snippets name the enclosing symbol", async () => {
  const answer = await server.tool("search_code", { query: "where are callers with a low role refused" });
  expect(answer.query_intent).toBe("natural_language");
  const hit = answer.results.find((result: { name?: string }) => result.name === "require_role");
  expect(hit).toMatchObject({
    symbol_id: expect.stringMatching(/^sym_/),
    symbol_stable_id: expect.stringMatching(/^b3:/),
    kind: "fn",
    qualified_name: "auth::require_role",
  });
});

test("C13: the text of a reply is the JSON of its structured content", async () => {
  const reply = await server.request("tools/call", { name: "locate_symbol", arguments: { name: "Claims" } });
  const [content] = reply.result!.content as { type: string; text: string }[];
  expect(content!.type).toBe("text");
  expect(JSON.parse(content!.text)).toEqual(reply.result!.structuredContent);
  expect(Object.keys(JSON.parse(content!.text).metadata)).toEqual(expect.arrayContaining(REQUIRED_METADATA));
});

test("C14–C17: detail levels", async () => {
  const at = async (detail_level?: string, compact?: boolean) =>
    (await server.tool("search_code", { query: "handle_request", detail_level, compact })).results[0];
  const location = await at("location");
  expect(location).toMatchObject({ path: "src/handler.rs", kind: "fn", name: "handle_request" });
  for (const absent of ["signature", "qualified_name", "visibility", "body_preview"]) {
    expect(location).not.toHaveProperty(absent);
  }
  const signature = await at(undefined);
  expect(signature).toMatchObject({
    qualified_name: expect.any(String),
    signature: expect.any(String),
    language: "rust",
  });
  expect(signature).not.toHaveProperty("body_preview");
  const context = await at("context");
  expect(context.body_preview).toContain("validate_token(&request.token");
  expect(context.parent).toMatchObject({ kind: "impl", name: "AuthHandler", path: "src/handler.rs" });
  const compact = await at("context", true);
  for (const absent of ["snippet", "body_preview", "parent", "related_symbols"]) {
    expect(compact).not.toHaveProperty(absent);
  }
  expect(compact).toMatchObject({ symbol_id: context.symbol_id, score: context.score });
  expect(JSON.stringify(compact).length).toBeLessThan(JSON.stringify(context).length);
});

test("C20: results contain no duplicates", async () => {
  const { results, metadata } = await server.tool("search_code", { query: "validate_token", limit: 20 });
  expect(metadata.suppressed_duplicate_count).toBeGreaterThan(0);
  const keys = results.map((hit: Record<string, unknown>) => `${hit.path}:${hit.line_start}-${hit.line_end}`);
  expect(new Set(keys).size).toBe(keys.length);
});

test("C21–C24: outlines", async () => {
  const outline = await server.tool("get_file_outline", { path: "src/types.rs" });
  expect(outline.language).toBe("rust");
  const impl = outline.symbols.find((node: { kind: string }) => node.kind === "impl");
  expect(impl.children.map((child: { name: string }) => child.name)).toEqual(["has_role", "deactivate"]);
  for (const child of impl.children) {
    expect(child.line_start).toBeGreaterThanOrEqual(impl.line_start);
    expect(child.line_end).toBeLessThanOrEqual(impl.line_end);
  }
  const lines = outline.symbols.map((node: { line_start: number }) => node.line_start);
  expect(lines).toEqual([...lines].sort((a, b) => a - b));
  const top = await server.tool("get_file_outline", { path: "src/types.rs", depth: "top" });
  for (const node of top.symbols) expect(node).not.toHaveProperty("children");
  const missing = await server.tool("get_file_outline", { path: "src/nope.rs" });
  expect(missing.error).toMatchObject({ code: "file_not_found", data: { path: "src/nope.rs" } });
  const plain = await server.tool("get_file_outline", { path: "docs/README.md" });
  expect(plain.symbols).toEqual([]);
});

test("C25: health after indexing", async () => {
  const health = await server.tool("health_check");
  expect(health).toMatchObject({ status: "ready", sqlite_ok: true, tantivy_ok: true });
  expect(health.grammars.available).toEqual(expect.arrayContaining(["rust", "typescript", "python", "go"]));
  expect(health.startup_checks.index.status).toBe("compatible");
});

test("C29: ranking reasons", async () => {
  const ask = (ranking_explain_level: string) =>
    server.tool("search_code", { query: "validate_token", ranking_explain_level });
  const [full, basic, off] = [await ask("full"), await ask("basic"), await ask("off")];
  expect(full.metadata.ranking_reasons).toHaveLength(full.results.length);
  expect(Object.keys(full.metadata.ranking_reasons[0]).sort()).toEqual(
    [
      "bm25_score",
      "definition_boost",
      "exact_match_boost",
      "final_score",
      "kind_match",
      "path_affinity",
      "qualified_name_boost",
      "result_index",
    ].sort(),
  );
  expect(off.metadata).not.toHaveProperty("ranking_reasons");
  expect(JSON.stringify(basic.metadata.ranking_reasons).length).toBeLessThan(
    JSON.stringify(full.metadata.ranking_reasons).length,
  );
});

test("C67, C68: explain_ranking matches search_code, always the same; another line is an error", async () => {
  const query = "validate token";
  const { results } = await server.tool("search_code", { query, limit: 5 });
  expect(results.length).toBeGreaterThan(1);
  const caps = { exact_match: 0.2, qualified_name: 0.1, path_affinity: 0.1, definition_boost: 0.15, kind_match: 0.05 };
  const totals: number[] = [];
  for (const { path, line_start } of results) {
    const ask = { query, result_path: path, result_line_start: line_start };
    const explained = await server.tool("explain_ranking", ask);
    expect(JSON.stringify(await server.tool("explain_ranking", ask))).toBe(JSON.stringify(explained));
    const { total, ...parts } = explained.scoring as Record<string, number>;
    expect(Object.values(parts).reduce((sum, part) => sum + part, 0)).toBeCloseTo(total!, 6);
    expect(parts.bm25).toBeGreaterThanOrEqual(0);
    for (const [name, cap] of Object.entries(caps)) {
      expect(parts[name]).toBeGreaterThanOrEqual(0);
      expect(parts[name]).toBeLessThanOrEqual(cap);
    }
    totals.push(total!);
    const elsewhere = await server.tool("explain_ranking", { ...ask, result_line_start: 9_999 });
    expect(elsewhere.error.code).toBe("result_not_found");
  }
  expect(totals).toEqual(totals.toSorted((a, b) => b - a));
});

test("C33: search, outline, locate and explain agree on names", async () => {
  const found = await server.tool("search_code", { query: "rolls back when it fails" });
  const hit = found.results[0];
  const outline = await server.tool("get_file_outline", { path: hit.path });
  expect(outline.file_path).toBe(hit.path);
  const located = await server.tool("locate_symbol", { name: hit.name, symbol_id: hit.symbol_id });
  expect(located.results[0]).toMatchObject({ path: hit.path, symbol_id: hit.symbol_id });
  const context = await server.tool("locate_symbol", { name: hit.name, path: hit.path, detail_level: "context" });
  expect(context.results[0].body_preview).toContain(hit.name);
  const explained = await server.tool("explain_ranking", {
    query: "rolls back when it fails",
    result_path: hit.path,
    result_line_start: hit.line_start,
  });
  const { total, ...parts } = explained.scoring as Record<string, number>;
  expect(Object.values(parts).reduce((sum, part) => sum + part, 0)).toBeCloseTo(total!, 6);
});
