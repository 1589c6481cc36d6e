/** Cases K7 and K11–K22 of the semantic family, against a real server over stdio. */
import { readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { F_GREP } from "../kit/repos/f-grep.ts";
import { type Sandbox, sandbox } from "../kit/sandbox.ts";
import { type Reply, type StdioServer, startServer } from "../kit/stdio.ts";

let box: Sandbox;
let server: StdioServer;
let root: string;

/** Many chunks about one topic, for paging. */
const MANY = Object.fromEntries(
  Array.from({ length: 120 }, (_, i) => [
    `many/parser_${i}.py`,
    `def parse_header_${i}(line):\n    """Parse one header line into a name and a value."""\n    return line.split(":", ${i})\n`,
  ]),
);

beforeAll(async () => {
  box = sandbox();
  root = box.repository({ ...F_GREP, ...MANY });
  server = startServer(["--workspace", root], box.env);
  await server.initialize();
  const done = await server.tool("reindex", {});
  expect(done).toMatchObject({ success: true, status: "published", total_files: Object.keys(F_GREP).length + 120 });
});

afterAll(async () => {
  await server.close();
  box[Symbol.dispose]();
});

const call = (name: string, input: object): Promise<Reply> => server.request("tools/call", { name, arguments: input });
const refusal = async (name: string, input: object) => (await call(name, input)).error;
const files = (answer: { results: { file: string }[] }) => answer.results.map(({ file }) => file);

describe("semantic_search", () => {
  test.each([
    ["try something again after a failure", "src/retry.js"],
    ["verify the credentials of a user", "src/auth.py"],
    ["persist data durably", "src/store.rs"],
    ["paint a round shape", "src/draw.ts"],
  ])("%s → %s", async (query, file) => {
    const answer = await server.tool("semantic_search", { query, threshold: 0 });
    expect(files(answer)[0]).toBe(file);
  });

  test("results have the form of S5", async () => {
    const answer = await server.tool("semantic_search", { query: "retry with exponential backoff" });
    expect(answer.results[0]).toMatchObject({
      file: "src/retry.js",
      line_start: 1,
      line_end: 13,
      chunk_type: "function",
      breadcrumb: "retry.withBackoff",
      language: "javascript",
    });
    expect(answer.results[0].snippet).toContain("withBackoff");
    expect(answer.results[0].estimated_tokens).toBeGreaterThan(30);
    expect(answer.metadata).toMatchObject({ search_mode: "semantic", model: "default", threshold: 0.6 });
    expect(answer.pagination).toMatchObject({ has_next: false, next_cursor: null, page_size: 50 });
    expect(answer.metadata.total_results).toBe(answer.pagination.total_results);
    const scores = answer.results.map(({ score }: { score: number }) => score);
    expect(scores).toEqual(scores.toSorted((a: number, b: number) => b - a));
    expect(Math.min(...scores)).toBeGreaterThanOrEqual(0.6);
  });

  test("K22: thresholds are monotone, and out-of-range values are rejected", async () => {
    const query = "parse a header";
    const counts: number[] = [];
    for (const threshold of [0, 0.3, 0.6, 0.8, 1]) {
      const answer = await server.tool("semantic_search", { query, threshold, page_size: 1 });
      counts.push(answer.metadata.total_results);
    }
    expect(counts).toEqual(counts.toSorted((a, b) => b - a));
    expect(counts[0]).toBeGreaterThan(counts[2]!);
    expect(counts[4]).toBe(0);
    for (const threshold of [1.5, -0.1]) {
      const error = await refusal("semantic_search", { query, threshold });
      expect(error).toMatchObject({ code: -32602, data: { parameter: "threshold", code: "invalid_input" } });
    }
  });

  test("an unrelated query finds nothing at the default threshold", async () => {
    const answer = await server.tool("semantic_search", { query: "how do black holes evaporate" });
    expect(answer.results).toEqual([]);
    expect(answer.metadata.coverage.files_indexed).toBeGreaterThan(100);
  });

  test("K12: page_size is clamped with a warning; snippets are cut between characters", async () => {
    const query = "grüße naïve text";
    const [least, most] = await Promise.all(
      [0, 1000].map((size) => server.tool("semantic_search", { query, threshold: 0, page_size: size })),
    );
    expect(least.results).toHaveLength(1);
    expect(least.metadata.warnings.join()).toContain("page_size 0 was clamped to 1");
    expect(most.pagination.page_size).toBe(200);
    for (const length of [1, 5, 7, 9, 12]) {
      const answer = await server.tool("semantic_search", {
        query,
        threshold: 0,
        path: "docs/emoji.txt",
        snippet_length: length,
      });
      const [{ snippet }] = answer.results;
      expect(snippet.length).toBeLessThanOrEqual(length + 20);
      expect(snippet).toBe(snippet.toWellFormed());
    }
  });

  test("K15: no snippets on request", async () => {
    const answer = await server.tool("semantic_search", { query: "retry", threshold: 0, include_snippet: false });
    expect(answer.results[0]).not.toHaveProperty("snippet");
    expect(answer.results[0]).toHaveProperty("estimated_tokens");
  });

  test("context_lines extends the snippet, not the result", async () => {
    const ask = (context: number) =>
      server.tool("semantic_search", {
        query: "issue_token",
        path: "src/auth.py",
        threshold: 0,
        context_lines: context,
      });
    const [none, some] = [await ask(0), await ask(3)];
    expect(some.results[0].line_start).toBe(none.results[0].line_start);
    expect(some.results[0].snippet.length).toBeGreaterThanOrEqual(none.results[0].snippet.length);
  });
});

describe("pages", () => {
  test.each(["semantic_search", "hybrid_search"])("K11: %s pages neither overlap nor skip", async (tool) => {
    const query = "parse one header line into a name and a value";
    const seen: string[] = [];
    const totals = new Set<number>();
    let cursor: string | undefined;
    let pages = 0;
    do {
      const page = cursor === undefined ? { page_size: 25 } : { cursor };
      const answer = await server.tool(tool, { query, path: "many", threshold: 0, ...page });
      expect(answer.results.length).toBeLessThanOrEqual(25);
      seen.push(...answer.results.map((it: { file: string; line_start: number }) => `${it.file}:${it.line_start}`));
      totals.add(answer.pagination.total_results);
      cursor = answer.pagination.next_cursor ?? undefined;
      expect(answer.pagination.has_next).toBe(cursor !== undefined);
      pages++;
    } while (cursor !== undefined);
    expect(pages).toBe(5);
    expect(new Set(seen).size).toBe(120);
    expect(seen).toHaveLength(120);
    expect([...totals]).toEqual([120]);
  });

  test("K13: an invalid cursor and one of another query are rejected", async () => {
    const first = await server.tool("semantic_search", { query: "parse", threshold: 0, page_size: 5 });
    const other = { query: "another question", threshold: 0, cursor: first.pagination.next_cursor };
    for (const input of [other, { query: "parse", threshold: 0, cursor: "garbage" }]) {
      expect(await refusal("semantic_search", input)).toMatchObject({
        code: -32602,
        message: "Invalid params",
        data: { tool: "semantic_search", parameter: "cursor", code: "invalid_input" },
      });
    }
    const bare = Buffer.from('{"offset":3}').toString("base64");
    const jumped = await server.tool("semantic_search", { query: "parse", threshold: 0, cursor: bare });
    expect(jumped.results[0].file).toBe(first.results[3].file);
  });

  test("top_k limits the total; without top_k and paging there are ten", async () => {
    const query = "parse a header line";
    expect((await server.tool("semantic_search", { query, threshold: 0 })).results).toHaveLength(10);
    const three = await server.tool("semantic_search", { query, threshold: 0, top_k: 3, page_size: 2 });
    expect(three.pagination).toMatchObject({ total_results: 3, has_next: true });
    expect(three.results).toHaveLength(2);
    expect(await refusal("semantic_search", { query, top_k: 0 })).toMatchObject({ data: { parameter: "top_k" } });
  });
});

describe("scopes", () => {
  test("K14: a scoped search ranks within its scope", async () => {
    for (const path of ["src", "./src/", join(root, "src"), "src/auth.py"]) {
      for (const tool of ["semantic_search", "hybrid_search"]) {
        const answer = await server.tool(tool, { query: "parse one header line", path, top_k: 3, threshold: 0 });
        expect(answer.results.length).toBeGreaterThan(0);
        for (const file of files(answer)) expect(file).toMatch(/^src\//);
      }
    }
  });

  test("K18: outside, a symlink out, missing and empty scopes are rejected", async () => {
    const outside = box.tree({ "secret.py": "def outside(): pass\n" });
    symlinkSync(outside, join(root, "way-out"));
    for (const path of [outside, "way-out", "../..", "no/such/place", "", "a\0b", "x".repeat(10_000)]) {
      const error = await refusal("semantic_search", { query: "outside", path });
      expect(error, path.slice(0, 40)).toMatchObject({ code: -32602, data: { parameter: "path" } });
      expect(JSON.stringify(error)).not.toContain("def outside");
    }
    rmSync(join(root, "way-out"));
  });
});

describe("hybrid_search", () => {
  test("K19: a query without a literal match is answered", async () => {
    const answer = await server.tool("hybrid_search", { query: "authenticate somebody" });
    expect(files(answer)[0]).toBe("src/auth.py");
    expect(answer.metadata).toMatchObject({ search_mode: "hybrid", threshold: 0.02 });
  });

  test("K19: results of both lists come before those of one; scores fall", async () => {
    const answer = await server.tool("hybrid_search", { query: "backoff when a call fails", threshold: 0 });
    expect(files(answer)[0]).toBe("src/retry.js");
    const scores = answer.results.map(({ score }: { score: number }) => score);
    expect(scores).toEqual(scores.toSorted((a: number, b: number) => b - a));
    expect(scores[0]).toBeGreaterThan(0.04);
    expect(scores[0]).toBeLessThan(0.05);
  });

  test("has the order of search_code", async () => {
    for (const query of ["parse header", "withBackoff", "flush a row to disk"]) {
      const hybrid = await server.tool("hybrid_search", { query, threshold: 0 });
      const best = await server.tool("search_code", { query, limit: 10 });
      expect(files(hybrid)).toEqual(best.results.map(({ path }: { path: string }) => path));
    }
  });
});

describe("K21: only an empty query fails", () => {
  const QUERIES = [
    '"unbalanced',
    "foo:bar",
    "a::b",
    "foo(",
    "C++",
    "👩‍👩‍👧‍👦",
    "日本語",
    "\\",
    "%_",
    "x".repeat(10_000),
  ];
  test.each(["semantic_search", "hybrid_search"])("%s", async (tool) => {
    for (const query of QUERIES) expect((await call(tool, { query })).error, query.slice(0, 20)).toBeUndefined();
    for (const query of ["", "   ", undefined]) {
      expect(await refusal(tool, { query })).toMatchObject({
        code: -32602,
        message: "Invalid params",
        data: { tool, parameter: "query", reason: "Query cannot be empty", code: "invalid_input" },
      });
    }
  });

  test("words unknown to the model are searched as text, and the answer says so", async () => {
    const answer = await server.tool("semantic_search", { query: "日本語", threshold: 0 });
    expect(files(answer)).toContain("docs/emoji.txt");
    expect(answer.metadata.search_mode).toBe("lexical");
    expect(answer.metadata.warnings.join()).toContain("Searched by words only");
  });
});

test("K16, K7: a deleted file is gone, a new one is found, without reindexing", async () => {
  writeFileSync(
    join(root, "src/mail.py"),
    'def send_newsletter(people):\n    """Send an e-mail to every subscriber."""\n',
  );
  rmSync(join(root, "src/draw.ts"));
  await server.tool("sync_repo", { wait_seconds: 30 });
  const mail = await server.tool("semantic_search", { query: "send an e-mail to subscribers" });
  expect(files(mail)[0]).toBe("src/mail.py");
  const gone = await server.tool("semantic_search", { query: "draw a circle", threshold: 0, page_size: 200 });
  expect(files(gone)).not.toContain("src/draw.ts");
});

test("K17: index_status agrees with what was indexed", async () => {
  const status = await server.tool("index_status", { path: root });
  expect(status).toMatchObject({ indexed: true, model: "default", total_files: Object.keys(F_GREP).length + 120 });
  expect(status.total_chunks).toBeGreaterThanOrEqual(status.total_files - 1);
  expect(status.languages).toEqual(status.languages.toSorted());
  expect(status.languages).toEqual(expect.arrayContaining(["javascript", "markdown", "python", "rust"]));
  const onDisk = readdirSync(box.home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
  expect(status.index_size_bytes).toBeGreaterThan(onDisk * 0.5);
  expect(status.index_size_bytes).toBeLessThan(onDisk * 1.5);
});

test("K17: before anything is indexed, index_status says so", async () => {
  using empty = sandbox();
  const tree = empty.tree({ "a.py": "x = 1\n" });
  const fresh = startServer(["--workspace", tree, "--no-prewarm"], empty.env);
  await fresh.initialize();
  expect(await fresh.tool("index_status", { path: tree })).toMatchObject({ indexed: false });
  await fresh.close();
});

test("the same query gives the same bytes", async () => {
  for (const tool of ["semantic_search", "hybrid_search"]) {
    const texts = await Promise.all(
      [1, 2].map(async () => JSON.stringify(await server.tool(tool, { query: "parse header" }))),
    );
    expect(texts[0]).toBe(texts[1]);
  }
});
