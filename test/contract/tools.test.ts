/** The contract of the tools over the wire: listing, shapes, levels, limits, errors (C11–C19, C22–C24, C29, C77). */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { ERRORS } from "../../src/model/errors.ts";
import { estimateTokens } from "../../src/text/tokens.ts";
import { COMMON_ERRORS, DEFAULT_SETTINGS } from "../../src/tools/define.ts";
import { findTool, listTools, TOOLS } from "../../src/tools/index.ts";
import { type FakeOptions, fakeCompass, PUBLISHED, READY } from "../kit/fake-compass.ts";
import { REQUIRED_METADATA, TOOL_EXAMPLES } from "../kit/tool-examples.ts";
import { type Message, type WireServer, wireServer } from "../kit/wire.ts";

let server: WireServer;
beforeAll(() => {
  server = wireServer();
});
afterAll(() => server.end());

/** The payload of a call, validated against the tool's output schema if it is a success. */
async function ask(name: string, input: object = {}, from: WireServer = server): Promise<Message> {
  const { result } = await from.call(name, input);
  const body = JSON.parse(result.content[0].text);
  expect(result.content).toHaveLength(1);
  expect(result.structuredContent).toEqual(result.isError === true ? undefined : body);
  // An error says of the index only what it knows.
  expect(Object.keys(body.metadata)).toEqual(
    expect.arrayContaining(result.isError === true ? REQUIRED_METADATA.slice(0, 2) : REQUIRED_METADATA),
  );
  if (result.isError === true) expect(Object.keys(ERRORS)).toContain(body.error.code);
  else expect(z.safeParse(findTool(name)!.output, body).error).toBeUndefined();
  return body;
}

const LOCATION = ["kind", "line_end", "line_start", "name", "path"];

async function askOnce(options: FakeOptions, settings: object, name: string, input: object): Promise<Message> {
  const own = wireServer(fakeCompass(options), { settings: { ...DEFAULT_SETTINGS, ...settings } });
  const body = await ask(name, input, own);
  await own.end();
  return body;
}

describe("C11, C12: the listing", () => {
  const REQUIRED: Readonly<Record<string, readonly string[]>> = {
    index_repo: [],
    sync_repo: [],
    locate_symbol: ["name"],
    search_code: ["query"],
    index_status: [],
    get_file_outline: ["path"],
    health_check: [],
    get_symbol_hierarchy: ["symbol_name"],
    find_related_symbols: ["symbol_name"],
    get_code_context: ["query"],
    diff_context: [],
    find_references: ["symbol_name"],
    explain_ranking: ["query", "result_path", "result_line_start"],
    list_refs: [],
    switch_ref: ["ref"],
    semantic_search: ["query"],
    regex_search: ["pattern"],
    hybrid_search: ["query"],
    reindex: [],
    get_call_graph: ["symbol_name"],
    impact: [],
    unused: [],
  };
  const LISTS = [
    "results",
    "symbols",
    "changes",
    "hierarchy",
    "related",
    "context_items",
    "references",
    "edges",
    "affected",
    "refs",
  ];
  const ENUMS: Readonly<Record<string, readonly string[]>> = {
    detail_level: ["location", "signature", "context"],
    freshness_policy: ["strict", "balanced", "best_effort"],
    ranking_explain_level: ["off", "basic", "full"],
    depth: ["top", "all"],
  };

  test("order, schemas, annotations and sizes", async () => {
    const { tools } = (await server.request("tools/list")).result;
    expect(tools.map((tool: Message) => tool.name)).toEqual(Object.keys(REQUIRED));
    for (const tool of tools) {
      const { inputSchema: input, outputSchema: output, annotations, name } = tool;
      expect(input.type).toBe("object");
      expect(input.required ?? []).toEqual(REQUIRED[name]);
      expect(input.properties.workspace.type).toBe("string");
      expect(JSON.stringify(input)).not.toMatch(/anyOf|oneOf|allOf|\$ref/);
      expect(output.type).toBe("object");
      expect(output.required).toContain("metadata");
      expect(Buffer.byteLength(tool.description)).toBeLessThan(2048);
      expect(annotations.readOnlyHint).toBe(!/^(index_repo|sync_repo|reindex|switch_ref)$/.test(name));
      expect(annotations).toMatchObject({ destructiveHint: false, idempotentHint: true, openWorldHint: false });
      const loads = name === "search_code" || name === "locate_symbol";
      expect(tool._meta).toEqual(loads ? { "anthropic/alwaysLoad": true } : undefined);
      for (const [field, values] of Object.entries(ENUMS)) {
        const { enum: given } = input.properties[field] ?? {};
        if (given) expect(given).toEqual(values);
      }
    }
  });

  test("every tool that returns a list accepts max_tokens; examples are valid; error codes are registered", () => {
    for (const tool of TOOLS) {
      expect(tool.input.safeParse(tool.example).success).toBe(true);
      for (const code of [...tool.errors, ...COMMON_ERRORS]) expect(ERRORS[code]).toBeDefined();
      const lists = LISTS.some((list) => list in tool.output.shape);
      expect("max_tokens" in tool.input.shape).toBe(lists);
    }
    expect(listTools("core").map((tool) => tool.name)).toEqual([
      "locate_symbol",
      "search_code",
      "get_file_outline",
      "get_code_context",
      "diff_context",
      "find_references",
      "regex_search",
      "impact",
    ]);
  });
});

describe("C13–C17: results", () => {
  test("C13: a call by JSON-RPC", async () => {
    const body = await ask("locate_symbol", { name: "validate_token" });
    expect(body.total_candidates).toBe(1);
    expect(body.results[0]).toMatchObject({ path: "src/auth.rs", line_start: 4, line_end: 96, kind: "fn" });
    expect(body.metadata).not.toHaveProperty("coverage");
  });

  for (const [tool, input] of [
    ["locate_symbol", { name: "has_role" }],
    ["search_code", { query: "has_role" }],
  ] as const) {
    test(`C14: ${tool} at location`, async () => {
      const [first] = (await ask(tool, { ...input, detail_level: "location" })).results;
      expect(Object.keys(first).toSorted()).toEqual([...LOCATION, "source_layer", "symbol_id"]);
      expect(estimateTokens(JSON.stringify(first))).toBeLessThanOrEqual(60);
    });

    test(`C15: ${tool} by default is at signature`, async () => {
      const [byDefault] = (await ask(tool, input)).results;
      const [asked] = (await ask(tool, { ...input, detail_level: "signature" })).results;
      expect(byDefault).toEqual(asked);
      expect(byDefault).toMatchObject({
        qualified_name: "types::User::has_role",
        signature: "pub fn has_role(&self, role: Role) -> bool",
        language: "rust",
        visibility: "public",
        symbol_stable_id: expect.stringMatching(/^b3:[0-9a-f]{64}$/),
      });
      expect(byDefault).not.toHaveProperty("body_preview");
      expect(JSON.stringify(byDefault).length / 4).toBeLessThanOrEqual(120);
    });

    test(`C16: ${tool} at context`, async () => {
      const [first] = (await ask(tool, { ...input, detail_level: "context" })).results;
      expect(first.body_preview).toContain("self.role == role");
      expect(first.parent).toEqual({ kind: "impl", name: "User", path: "src/types.rs", line: 5 });
      expect(first.related_symbols[0]).toEqual({ kind: "fn", name: "validate_token", path: "src/auth.rs", line: 4 });
    });
  }

  test("C16: a long body is cut with a marker and keeps its end", async () => {
    const [first] = (await ask("search_code", { query: "validate_token", detail_level: "context" })).results;
    expect(first.body_preview).toContain("// ... truncated ...\n}");
    expect(estimateTokens(JSON.stringify(first))).toBeLessThanOrEqual(620);
    expect(estimateTokens(JSON.stringify(first))).toBeGreaterThanOrEqual(300);
  });

  test("C17: compact keeps ids, location and score in a fifth of the bytes", async () => {
    const input = { query: "validate_token", detail_level: "context", limit: 1 };
    const [whole] = (await ask("search_code", input)).results;
    const [compact] = (await ask("search_code", { ...input, compact: true })).results;
    for (const key of ["symbol_id", "symbol_stable_id", "path", "line_start", "line_end", "score"]) {
      expect(compact[key]).toEqual(whole[key]);
    }
    for (const key of ["snippet", "body_preview", "parent", "related_symbols"]) expect(compact).not.toHaveProperty(key);
    expect(JSON.stringify(compact).length).toBeLessThanOrEqual(JSON.stringify(whole).length / 5);
  });

  test("a snippet has its own handle and that of its symbol, and shows the match", async () => {
    const [first] = (await ask("search_code", { query: "check token claims" })).results;
    expect(first).toMatchObject({ result_type: "snippet", name: "validate_token", kind: "fn" });
    expect(first.result_id).toMatch(/^snip_/);
    expect(first.symbol_id).toMatch(/^sym_/);
    expect(first.snippet).toMatch(/^pub fn validate_token/);
    expect(JSON.stringify(first).length / 4).toBeLessThanOrEqual(145);
  });

  test("an empty answer is complete and reports the number of files searched", async () => {
    const body = await ask("locate_symbol", { name: "no_such_symbol" });
    expect(body).toMatchObject({ results: [], total_candidates: 0, metadata: { result_completeness: "complete" } });
    expect(body.metadata.coverage).toEqual({
      files_indexed: 3,
      files_skipped: 2,
      skipped_reasons: { binary: 1, secret: 1 },
    });
    expect(body.suggested_next_actions).toEqual([{ tool: "search_code", query: "no_such_symbol", ref: "main" }]);
  });

  test("while the first index is built, answers are partial", async () => {
    const standing = { ...READY, complete: false, indexing: "indexing", schema: "not_indexed" } as const;
    const body = await askOnce({ standing }, {}, "search_code", { query: "role" });
    expect(body.metadata).toMatchObject({ indexing_status: "indexing", result_completeness: "partial" });
  });

  test("debug fields appear in debug mode only", async () => {
    expect(await ask("search_code", { query: "role" })).not.toHaveProperty("debug");
    const body = await askOnce({}, { debug: true }, "search_code", { query: "role" });
    expect(body.debug.join_status).toEqual({ hits: body.results.length, misses: 0 });
  });
});

describe("C18, C19: limits", () => {
  for (const [tool, input] of [
    ["search_code", { query: "role token", detail_level: "context", limit: 50 }],
    ["locate_symbol", { name: "validate_token", detail_level: "context", limit: 50 }],
  ] as const) {
    for (const maxResponseBytes of [1_024, 4_096, 20_000]) {
      test(`${tool} within ${maxResponseBytes} bytes`, async () => {
        const body = await askOnce({ times: 20 }, { maxResponseBytes }, tool, input);
        expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThanOrEqual(maxResponseBytes);
        expect(body.metadata).toMatchObject({ result_completeness: "truncated", safety_limit_applied: true });
        expect(body.metadata.omitted.count).toBeGreaterThan(0);
        expect(body.suggested_next_actions[0]).toMatchObject({ tool, detail_level: "location", ref: "main" });
      });
    }

    for (const max_tokens of [300, 1_000, 4_000]) {
      test(`${tool} within ${max_tokens} tokens`, async () => {
        const body = await askOnce({ times: 20 }, {}, tool, { ...input, max_tokens });
        expect(estimateTokens(JSON.stringify(body))).toBeLessThanOrEqual(max_tokens);
        expect(body.metadata.omitted.count).toBeGreaterThan(0);
        expect(body.metadata).not.toHaveProperty("safety_limit_applied");
      });
    }
  }

  test("reasons are removed with their results", async () => {
    const input = { query: "role token", ranking_explain_level: "full", detail_level: "context", limit: 50 };
    const body = await askOnce({ times: 20 }, { maxResponseBytes: 9_000 }, "search_code", input);
    expect(body.metadata.ranking_reasons).toHaveLength(body.results.length);
  });

  test("an outline loses its last nodes, never a parent before its child", async () => {
    const body = await ask("get_file_outline", { path: "src/types.rs", max_tokens: 215 });
    expect(body.metadata.result_completeness).toBe("truncated");
    expect(body.symbols[0].name).toBe("Role");
  });

  test("limit above 200 is clamped with a warning", async () => {
    const body = await ask("search_code", { query: "role", limit: 5_000 });
    expect(body.metadata.warnings).toEqual(["limit 5000 was clamped to 200."]);
  });

  test("unknown parameters are ignored with a warning; null means absent", async () => {
    const body = await ask("search_code", { query: "role", limt: 3, ref: null });
    expect(body.metadata.warnings).toEqual(['Unknown parameters were ignored: "limt" (did you mean limit?).']);
  });

  test("a query of any size is answered", async () => {
    const body = await ask("search_code", { query: "role ".repeat(100_000) });
    expect(body.metadata.warnings[0]).toContain("query was cut");
  });
});

describe("C22–C24: outlines", () => {
  test("nested by default", async () => {
    const body = await ask("get_file_outline", { path: "./src//types.rs" });
    expect(body).toMatchObject({ file_path: "src/types.rs", language: "rust", metadata: { symbol_count: 4 } });
    expect(body.symbols[2]).toMatchObject({
      kind: "impl",
      children: [{ kind: "fn", name: "has_role", visibility: "pub" }],
    });
  });
  test("C22: depth top has no children", async () => {
    const body = await ask("get_file_outline", { path: "src/types.rs", depth: "top" });
    expect(JSON.stringify(body.symbols)).not.toContain("children");
  });
  test("C23: a missing file", async () => {
    const body = await ask("get_file_outline", { path: "src/none.rs" });
    expect(body.error).toMatchObject({ code: "file_not_found", data: { path: "src/none.rs", ref: "main" } });
  });
  test("C24: a file without symbols", async () => {
    expect((await ask("get_file_outline", { path: "docs/README.md" })).symbols).toEqual([]);
  });
});

describe("C29: ranking reasons", () => {
  const reasons = async (level?: string) =>
    (await ask("search_code", { query: "role", ...(level && { ranking_explain_level: level }) })).metadata
      .ranking_reasons;

  test("full has eight fields, basic fewer bytes, off none", async () => {
    const full = await reasons("full");
    const basic = await reasons("basic");
    expect(Object.keys(full[0])).toEqual([
      "result_index",
      "exact_match_boost",
      "qualified_name_boost",
      "path_affinity",
      "definition_boost",
      "kind_match",
      "bm25_score",
      "final_score",
    ]);
    expect(full[0]).toMatchObject({ result_index: 0, exact_match_boost: 1, kind_match: 0.5, definition_boost: 1 });
    expect(Object.keys(basic[0])).toEqual([
      "result_index",
      "exact_match_boost",
      "definition_boost",
      "path_affinity",
      "semantic_similarity",
      "final_score",
    ]);
    expect(JSON.stringify(basic).length).toBeLessThan(JSON.stringify(full).length);
    expect(await reasons("off")).toBeUndefined();
    expect(await reasons()).toBeUndefined();
  });

  test("the configured level applies if a call sets none", async () => {
    const body = await askOnce({}, { rankingExplainLevel: "full" }, "locate_symbol", { name: "Role" });
    expect(body.metadata.ranking_reasons).toHaveLength(body.results.length);
  });

  test("explain_ranking: six components, further factors, and their sum as total", async () => {
    const input = { query: "role", result_path: "src/types.rs", result_line_start: 1 };
    const body = await ask("explain_ranking", input);
    const { total, ...parts } = body.scoring;
    expect(Object.keys(parts)).toEqual([
      "bm25",
      "exact_match",
      "qualified_name",
      "path_affinity",
      "definition_boost",
      "kind_match",
      "test_penalty",
    ]);
    expect(Object.values(parts as Record<string, number>).reduce((a, b) => a + b, 0)).toBeCloseTo(total, 6);
    expect(Object.keys(body.scoring_details)).toEqual([
      "bm25_source",
      "exact_match_reason",
      "qualified_name_reason",
      "path_affinity_reason",
      "definition_boost_reason",
      "kind_match_reason",
      "test_penalty_reason",
    ]);
    expect(await ask("explain_ranking", input)).toEqual(body);
    const wrong = await ask("explain_ranking", { ...input, result_line_start: 999 });
    expect(wrong.error.code).toBe("result_not_found");
  });
});

describe("jobs and status", () => {
  test("index_repo answers at once with nulls, and with counts once published", async () => {
    const running = await ask("index_repo");
    expect(running).toMatchObject({
      job_id: "job1",
      progress_token: "index-job-job1",
      status: "running",
      file_count: null,
    });
    const done = await askOnce({ jobs: async () => PUBLISHED }, {}, "index_repo", { wait_seconds: 5 });
    expect(done).toMatchObject({ status: "published", file_count: 3 });
    const synced = await askOnce({ jobs: async () => PUBLISHED }, {}, "sync_repo", { wait_seconds: 5 });
    expect(synced).toMatchObject({ status: "published", changed_files: 3 });
    expect((await ask("sync_repo")).changed_files).toBeNull();
  });

  test("index_status: the fields of both families", async () => {
    const body = await ask("index_status", { path: "/work/fixture" });
    expect(body).toMatchObject({
      project_id: "a1b2c3d4e5f60718",
      index_status: "ready",
      last_indexed_at: "2026-02-23T10:29:15Z",
      active_job: null,
      indexed: true,
      total_chunks: 9,
      languages: ["markdown", "rust"],
      excluded_files: 2,
      indexing_time_seconds: 45.2,
    });
    expect(body.recent_jobs[0]).toMatchObject({ status: "published", changed_files: 3, duration_ms: 45_000 });
  });

  test("a running job is shown with its progress", async () => {
    const standing = { ...READY, complete: false, indexing: "indexing" } as const;
    const status = await askOnce({ standing }, {}, "index_status", {});
    expect(status).toMatchObject({ index_status: "indexing", last_indexed_at: null, indexed: false });
    expect(status.active_job).toMatchObject({ files_scanned: 40, files_indexed: 10, estimated_completion_pct: 25 });
    const health = await askOnce({ standing }, {}, "health_check", {});
    expect(health).toMatchObject({ status: "indexing", active_job: { job_id: "job1" } });
  });

  test("health_check: both vocabularies", async () => {
    const body = await ask("health_check");
    expect(body).toMatchObject({
      status: "ready",
      health: "healthy",
      uptime_seconds: 3600,
      memory_usage_mb: 100,
      active_connections: 1,
      tantivy_ok: true,
      sqlite_ok: true,
      interrupted_recovery_report: null,
      startup_checks: { index: { status: "compatible", message: null } },
      projects: [{ index_status: "ready", freshness_status: "fresh" }],
    });
    const other = await askOnce({}, { statusWords: "health" }, "health_check", {});
    expect(other).toMatchObject({ status: "healthy", readiness: "ready" });
  });
});

describe("errors", () => {
  const refused: readonly [tool: string, input: object, code: string, message: string | RegExp][] = [
    ["search_code", {}, "invalid_input", "Invalid input: query must be a string"],
    ["search_code", { query: "  " }, "invalid_input", "Invalid input: query must not be empty"],
    ["search_code", { query: 5 }, "invalid_input", "Invalid input: query must be a string"],
    ["search_code", { query: "x", limit: 0 }, "invalid_input", "Invalid input: limit must be at least 1"],
    ["search_code", { query: "x", limit: 2.5 }, "invalid_input", "Invalid input: limit must be a whole number"],
    ["search_code", { query: "x", limit: "ten" }, "invalid_input", "Invalid input: limit must be a number"],
    ["search_code", { query: "x", max_tokens: 0 }, "invalid_max_tokens", /^max_tokens/],
    ["search_code", { query: "x", detail_level: "all" }, "invalid_input", /one of: location, signature, context$/],
    [
      "search_code",
      { query: "x", freshness_policy: "never" },
      "invalid_input",
      /one of: strict, balanced, best_effort$/,
    ],
    ["search_code", { query: "x", workspace: "/else" }, "workspace_not_registered", /\/else/],
    ["search_code", { query: "x", workspace: "/a\0b" }, "invalid_input", /control characters/],
    ["search_code", { query: "x", workspace: "/a".repeat(5_000) }, "invalid_input", /at most 4096/],
    ["search_code", { query: "x", ref: "a\nb" }, "invalid_input", /control/],
    ["search_code", { query: "x", ref: "other" }, "ref_not_indexed", /other/],
    ["locate_symbol", { name: "" }, "invalid_input", "Invalid input: name must not be empty"],
    ["explain_ranking", { query: "x", result_path: "a" }, "invalid_input", /result_line_start must be a number/],
    ["get_symbol_hierarchy", { symbol_name: "no_such" }, "symbol_not_found", /no_such/],
    ["get_symbol_hierarchy", { symbol_name: "x", direction: "up" }, "invalid_input", /must be one of: ancestors/],
    ["find_related_symbols", { symbol_name: "twice" }, "ambiguous_symbol", /2 symbols are named twice/],
    ["find_related_symbols", { symbol_name: " " }, "invalid_input", /must not be empty/],
    ["get_code_context", { query: "x", strategy: "wide" }, "invalid_strategy", /wide/],
    ["get_code_context", { query: "x", max_tokens: 0 }, "invalid_max_tokens", /at least 1/],
    ["get_code_context", { query: "x", max_tokens: -1 }, "invalid_max_tokens", /at least 1/],
    ["get_code_context", { query: "" }, "invalid_input", /must not be empty/],
    ["get_call_graph", { symbol_name: "x", depth: 6 }, "invalid_input", /at most 5/],
    ["get_call_graph", { symbol_name: "nowhere" }, "no_edges_available", /No reference edges/],
    ["impact", { symbol_name: "no_such" }, "symbol_not_found", /no_such/],
    ["index_repo", { wait_seconds: -1 }, "invalid_input", /must not be negative/],
  ];
  for (const [tool, input, code, message] of refused) {
    test(`${tool} ${JSON.stringify(input).slice(0, 60)} → ${code}`, async () => {
      const { error, metadata } = await ask(tool, input);
      expect(error.code).toBe(code);
      expect(error.message).toEqual(typeof message === "string" ? message : expect.stringMatching(message));
      expect(error.data.remediation).toBeTruthy();
      expect(metadata).not.toHaveProperty("result_completeness");
    });
  }

  test("strict rejects a stale index", async () => {
    const standing = { ...READY, freshness: "stale" } as const;
    const input = { query: "x", freshness_policy: "strict" };
    const { error } = await askOnce({ standing }, {}, "search_code", input);
    expect(error).toMatchObject({ code: "index_stale", data: { last_indexed_commit: "abc", current_head: "def" } });
    const byConfig = await askOnce({ standing }, { freshnessPolicy: "strict" }, "locate_symbol", { name: "x" });
    expect(byConfig.error.code).toBe("index_stale");
  });
});

test("replies as agents read them", async () => {
  const replies: string[] = [];
  for (const tool of TOOLS) {
    const input = EXAMPLES[tool.name] ?? {};
    const body = await ask(tool.name, input);
    replies.push(`# ${tool.name} ${JSON.stringify(input)}\n${JSON.stringify(body, null, 2)}`);
  }
  await expect(`${replies.join("\n\n")}\n`).toMatchFileSnapshot("../golden/tool-replies.golden.txt");
});

test("C77: every possible enum value and error code", async () => {
  const { tools } = (await server.request("tools/list")).result;
  const enums = new Map<string, string>();
  const collect = (schema: Message, name: string) => {
    if (Array.isArray(schema?.enum)) enums.set(`${name}: ${schema.enum.join(" | ")}`, name);
    for (const [key, one] of Object.entries(schema?.properties ?? {})) collect(one, key);
    if (schema?.items) collect(schema.items, name);
  };
  for (const tool of tools) for (const schema of [tool.inputSchema, tool.outputSchema]) collect(schema, "");
  const lines = [
    ...[...enums.keys()].toSorted(),
    "",
    ...Object.keys(ERRORS)
      .toSorted()
      .map((code) => `error ${code}`),
  ];
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("../golden/tool-enums.golden.txt");
});

test("the listing as clients read it", async () => {
  const { tools } = (await server.request("tools/list")).result;
  await expect(`${JSON.stringify(tools, null, 2)}\n`).toMatchFileSnapshot("../golden/tool-listing.golden.json");
});

const EXAMPLES = {
  ...TOOL_EXAMPLES,
  locate_symbol: { name: "has_role", detail_level: "context", ranking_explain_level: "full" },
  semantic_search: { query: "has_role", threshold: 0.1, include_snippet: true },
} as Readonly<Record<string, object>>;
