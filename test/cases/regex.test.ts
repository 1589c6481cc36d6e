/** K1–K7, K10–K16, K18 and K20 for patterns, against the real product: CLI, server, and both compared. */
import { spawn } from "node:child_process";
import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { codecompass } from "../kit/inline-command.ts";
import { MAIN } from "../kit/main.ts";
import { write } from "../kit/sandbox.ts";
import { serveTree } from "../kit/served-tree.ts";
import type { Reply } from "../kit/stdio.ts";

const GREP = {
  "notes.txt": "first\nfoo here\nFoo there\nFOO everywhere\nlast\n",
  "src/a.py": "import os\n\n\ndef load(path):\n    # foo\n    return os.stat(path)\n",
  "src/b.js": "export function load() {\n  return 'foo';\n}\n",
  "src/c.rs": "fn main() {\r\n    let foo = 1;\r\n}\r\n",
  "docs/d.md": "# Title\n\nNothing to see. naïve 😀 text\n",
  "many.txt": Array.from({ length: 120 }, (_, i) => `hit number ${i}\n`).join(""),
};

const { box, root, server } = await serveTree((box) => box.tree(GREP));

const cli = (...args: string[]) => codecompass(["search", ...args], { cwd: root, env: box.env });
const ask = (input: object) => server.tool("regex_search", input);
const refusal = async (input: object): Promise<NonNullable<Reply["error"]>> => {
  const { error } = await server.request("tools/call", { name: "regex_search", arguments: input });
  return error!;
};

describe("the command line", () => {
  test("K1: matching lines of a file, exit 0", async () => {
    const ran = await cli("--regex", "foo", "notes.txt");
    expect(ran).toMatchObject({ code: 0, out: "foo here\n" });
  });

  test("K2: three spellings, three matches", async () => {
    const ran = await cli("-i", "foo", "notes.txt");
    expect(ran.out).toBe("foo here\nFoo there\nFOO everywhere\n");
  });

  test("K3: line numbers and context", async () => {
    expect((await cli("-n", "foo", "notes.txt")).out).toBe("2:foo here\n");
    expect((await cli("-n", "-C", "1", "foo", "notes.txt")).out).toBe("1-first\n2:foo here\n3-Foo there\n");
    expect((await cli("-n", "-A", "1", "foo", "src/a.py")).out).toBe("5:    # foo\n6-    return os.stat(path)\n");
    expect((await cli("-n", "-B", "1", "foo|last", "notes.txt")).out).toBe(
      "1-first\n2:foo here\n--\n4-FOO everywhere\n5:last\n",
    );
  });

  test("a directory: path, line, text; K20: a carriage return is not part of a line", async () => {
    const ran = await cli("--regex", "foo", "src");
    expect(ran.out).toBe("src/a.py:5:    # foo\nsrc/b.js:2:  return 'foo';\nsrc/c.rs:2:    let foo = 1;\n");
  });

  test("K4: nothing found", async () => {
    const ran = await cli("--regex", "no_such_text");
    expect(ran).toMatchObject({ code: 1, out: "" });
    expect(ran.err).toMatch(/No line matches in \d+ files/);
  });

  test("K5: an invalid pattern, a missing file", async () => {
    const bad = await cli("--regex", "foo(");
    expect(bad).toMatchObject({ code: 2, out: "" });
    expect(bad.err).toContain("unclosed group (at character 4 of the pattern)");
    const gone = await cli("--regex", "foo", "nowhere.txt");
    expect(gone.code).toBe(2);
    expect(gone.err).toContain("nowhere.txt");
  });

  test("K6: one JSON object per line, with and without the text", async () => {
    const lines = (out: string) =>
      out
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
    const [first] = lines((await cli("--regex", "--jsonl", "foo", "src")).out);
    expect(first).toMatchObject({
      path: "src/a.py",
      language: "python",
      span: { line_start: 5, line_end: 5 },
      snippet: "    # foo",
    });
    for (const line of lines((await cli("--regex", "--jsonl", "--no-snippet", "foo")).out))
      expect(line).not.toHaveProperty("snippet");
  });

  test("files, whole words, plain text, types, globs, sections, limits", async () => {
    expect((await cli("-l", "foo")).out).toBe("notes.txt\nsrc/a.py\nsrc/b.js\nsrc/c.rs\n");
    expect((await cli("-w", "-l", "fo")).code).toBe(1);
    expect((await cli("-F", "os.stat(", "src")).out).toBe("src/a.py:6:    return os.stat(path)\n");
    expect((await cli("-l", "foo", "--type", "python", "--type", "rust")).out).toBe("src/a.py\nsrc/c.rs\n");
    expect((await cli("-l", "foo", "-g", "*.{js,txt}", "-g", "!src/**")).out).toBe("notes.txt\n");
    expect((await cli("-n", "os.stat", "src/a.py", "--full-section")).out).toBe(
      "4-def load(path):\n5-    # foo\n6:    return os.stat(path)\n",
    );
    expect((await cli("--regex", "hit", "--top-k", "2")).out).toBe(
      "many.txt:1:hit number 0\nmany.txt:2:hit number 1\n",
    );
    expect((await cli("--regex", "--semantic", "x")).code).toBe(2);
  });

  test("K10: a reader that closes the pipe is not an error", async () => {
    const child = spawn("sh", ["-c", '"$NODE" "$MAIN" search --regex . | head -1'], {
      cwd: root,
      env: { ...box.env, NODE: process.execPath, MAIN },
    });
    let err = "";
    child.stderr.on("data", (data) => {
      err += data;
    });
    const code = await new Promise((resolve) => child.on("exit", resolve));
    expect([code, err]).toEqual([0, ""]);
  });

  test("the CLI's JSON equals the server's", async () => {
    const ran = await cli("--regex", "foo", "--json");
    expect(ran.json().results.map((hit: { file: string }) => hit.file)).toEqual(
      (await ask({ pattern: "foo" })).results.map((hit: { file: string }) => hit.file),
    );
  });
});

describe("the tool", () => {
  test("results, counts and enclosing symbols", async () => {
    const body = await ask({ pattern: "os\\.\\w+", context: 1 });
    expect(body.results).toEqual([
      {
        file: "src/a.py",
        line_start: 6,
        line_end: 6,
        score: 1,
        snippet: "    # foo\n    return os.stat(path)",
        snippet_start: 5,
        chunk_type: "function",
        breadcrumb: expect.stringContaining("load"),
        estimated_tokens: expect.any(Number),
        language: "python",
      },
    ]);
    expect(body.pagination).toEqual({ has_next: false, next_cursor: null, page_size: 50, total_results: 1 });
    expect(body.metadata).toMatchObject({
      total_results: 1,
      search_mode: "regex",
      files_matched: 1,
      files_searched: 6,
    });
  });

  test("K11: 120 matches in pages of 25", async () => {
    const seen: number[] = [];
    const totals = new Set<number>();
    let cursor: string | null = null;
    let pages = 0;
    do {
      const body = await ask({ pattern: "^hit number", page_size: 25, ...(cursor && { cursor }) });
      seen.push(...body.results.map((hit: { line_start: number }) => hit.line_start));
      totals.add(body.pagination.total_results);
      cursor = body.pagination.next_cursor;
      expect(body.pagination.has_next).toBe(cursor !== null);
      pages++;
    } while (cursor !== null);
    expect(pages).toBe(5);
    expect(seen).toEqual(Array.from({ length: 120 }, (_, i) => i + 1));
    expect([...totals]).toEqual([120]);
  });

  test("K12: page sizes are clamped; a snippet is cut between characters", async () => {
    expect((await ask({ pattern: "hit", page_size: 0 })).results).toHaveLength(1);
    expect((await ask({ pattern: "hit", page_size: 1000 })).pagination.page_size).toBe(200);
    for (let length = 1; length < 40; length++) {
      const [hit] = (await ask({ pattern: "naïve", snippet_length: length })).results;
      expect(hit.snippet.length).toBeLessThanOrEqual(length);
      expect(hit.snippet.isWellFormed()).toBe(true);
    }
  });

  test("K13: an invalid cursor, or one of another query", async () => {
    const { pagination } = await ask({ pattern: "hit", page_size: 5 });
    for (const input of [
      { pattern: "hit", cursor: "garbage" },
      { pattern: "hit number", cursor: pagination.next_cursor },
    ]) {
      expect(await refusal(input)).toMatchObject({ code: -32602, data: { tool: "regex_search", parameter: "cursor" } });
    }
  });

  test("K14: a scope is searched, not filtered afterwards", async () => {
    const body = await ask({ pattern: "foo|hit", path: "src", page_size: 3 });
    expect(body.pagination.total_results).toBe(3);
    expect((await ask({ pattern: "foo", path: join(root, "src/b.js") })).results).toHaveLength(1);
  });

  test("K15: no snippets", async () => {
    for (const hit of (await ask({ pattern: "foo", include_snippet: false })).results) {
      expect(hit).not.toHaveProperty("snippet");
      expect(hit).toMatchObject({
        file: expect.any(String),
        line_start: expect.any(Number),
        estimated_tokens: expect.any(Number),
      });
    }
  });

  test("K2: both parameters that ignore case", async () => {
    for (const input of [{ ignore_case: true }, { case_insensitive: true }]) {
      expect((await ask({ pattern: "foo", path: "notes.txt", ...input })).pagination.total_results).toBe(3);
    }
  });

  test("K5, K18: errors have a code, parameter and position", async () => {
    expect(await refusal({ pattern: "foo(" })).toMatchObject({
      code: -32001,
      message: "Tool error",
      data: { tool: "regex_search", parameter: "pattern", position: 3, code: "invalid_input" },
    });
    expect(await refusal({ pattern: "(?=a)b" })).toMatchObject({ code: -32001, data: { position: 0 } });
    for (const [pattern, position] of [
      ["a{9999}{9999}", 7],
      ["é".repeat(20_001), 20_000],
      ["(?i)x*(ab|c{70000})", 11],
    ] as const)
      expect([position, await refusal({ pattern })]).toMatchObject([position, { code: -32001, data: { position } }]);
    expect(await refusal({ pattern: "" })).toMatchObject({ code: -32602, data: { reason: "Pattern cannot be empty" } });
    expect(await refusal({})).toMatchObject({ code: -32602, data: { parameter: "pattern" } });
    symlinkSync("/", join(root, "way-out"));
    for (const path of ["/etc", "../", "way-out", "", "no/such"]) {
      expect([path, await refusal({ pattern: "a", path })]).toMatchObject([
        path,
        { code: -32602, data: { parameter: "path" } },
      ]);
    }
    rmSync(join(root, "way-out"));
  });
});

describe("a tree that changes", () => {
  test("K7, K16: new text is found, deleted text is gone, without a sync", async () => {
    write(root, { "src/new.py": "fresh_words = 1\n" });
    expect((await cli("--regex", "fresh_words")).out).toBe("src/new.py:1:fresh_words = 1\n");
    rmSync(join(root, "src/new.py"));
    expect((await cli("--regex", "fresh_words")).code).toBe(1);
  });

  test("large, minified and generated files are searched on disk; secrets are not", async () => {
    write(root, {
      "big.txt": `needle_big\n${"filler line\n".repeat(100_000)}needle_big`,
      "lib.min.js": `var needle_min=1;${"x".repeat(9_000)}`,
      "gen.yaml": "# Code generated by x. DO NOT EDIT.\nneedle_gen: 1\n",
      ".env": "needle_secret=1\n",
    });
    const places = (await cli("--regex", "needle_\\w+", "--no-snippet")).out;
    expect(places).toBe("big.txt:1\nbig.txt:100002\ngen.yaml:2\nlib.min.js:1\n");
    writeFileSync(join(root, "gen.yaml"), "# Code generated by x. DO NOT EDIT.\n\nneedle_gen: 2\n");
    expect((await cli("-l", "needle_gen: 2")).out).toBe("gen.yaml\n");
  });
});
