/** K8, K9, K20, K21 and K23 against the real product: ignore rules, two indexers, line endings, hostile queries, every language. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { codecompass as startCommand } from "../kit/command.ts";
import { codecompass } from "../kit/inline-command.ts";
import { sandbox } from "../kit/sandbox.ts";
import { startServer } from "../kit/stdio.ts";

test("K8: ignore files of parents and children merge, and flags disable them, in the CLI as in the server", async () => {
  using box = sandbox();
  const root = box.repository({
    ".gitignore": "*.gen.py\nbuild/\n",
    "sub/.gitignore": "!keep.gen.py\nlocal.py\n",
    ".codecompassignore": "drop.py\n",
    "a.py": "def shown_a(): pass\n",
    "drop.py": "def dropped(): pass\n",
    "x.gen.py": "def generated_x(): pass\n",
    "build/out.py": "def built(): pass\n",
    "sub/keep.gen.py": "def kept(): pass\n",
    "sub/local.py": "def only_local(): pass\n",
    ".hidden/h.py": "def hidden_one(): pass\n",
  });
  const names = ["shown_a", "dropped", "generated_x", "built", "kept", "only_local", "hidden_one"];
  const found = async (cwd: string, ...flags: string[]) => {
    const hits: string[] = [];
    for (const name of names) {
      const ran = await codecompass(["search", name, "--json", ...flags], { cwd, env: box.env });
      if (ran.code === 0 && ran.json().results[0].name === name) hits.push(name);
    }
    return hits;
  };
  expect(await found(root)).toEqual(["shown_a", "kept"]);
  expect(await found(join(root, "sub"))).toEqual(["shown_a", "kept"]);
  expect(await found(root, "--no-ignore")).toEqual([
    "shown_a",
    "dropped",
    "generated_x",
    "built",
    "kept",
    "only_local",
  ]);
  expect(await found(root, "--hidden")).toEqual(["shown_a", "kept", "hidden_one"]);
  const server = startServer(["--workspace", root], box.env);
  await server.initialize();
  await server.tool("sync_repo", { wait_seconds: 60 });
  const served: string[] = [];
  for (const name of names) if ((await server.tool("locate_symbol", { name })).results.length > 0) served.push(name);
  await server.close();
  expect(served).toEqual(["shown_a", "kept"]);
});

test("K9: two concurrent indexers lose no file", async () => {
  using box = sandbox();
  const files = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`f${i}.py`, `def fn_${i}(): pass\n`]));
  const root = box.tree(files);
  const index = () => startCommand(["index", "--path", root], { cwd: root, env: box.env });
  const codes = (await Promise.all([index(), index()])).map((ran) => ran.code);
  expect(codes).toContain(0);
  const status = await codecompass(["index_status", "--json"], { cwd: root, env: box.env });
  expect(status.json()).toMatchObject({ file_count: 30, symbol_count: 30, index_status: "ready" });
});

test("K20: lines are counted as in editors, whatever the line ending", async () => {
  using box = sandbox();
  const root = box.tree({
    "crlf.py": "import os\r\n\r\n\r\ndef windows_line_ends():\r\n    return os\r\n",
    "mixed.py": "a = 1\r\nb = 2\n\ndef mixed_line_ends():\n    return a\r\n",
    "bom.py": "\ufeffdef after_the_mark():\n    return 1\n",
    "last.py": "x = 1\ndef no_final_newline(): return x",
  });
  const server = startServer(["--workspace", root], box.env);
  await server.initialize();
  await server.tool("sync_repo", { wait_seconds: 60 });
  const lines = async (name: string) => {
    const [hit] = (await server.tool("locate_symbol", { name })).results;
    return [hit.line_start, hit.line_end];
  };
  expect(await lines("windows_line_ends")).toEqual([4, 5]);
  expect(await lines("mixed_line_ends")).toEqual([4, 5]);
  expect(await lines("after_the_mark")).toEqual([1, 2]);
  expect(await lines("no_final_newline")).toEqual([2, 2]);
  await server.close();
});

test("K21: no text makes a search fail, and an empty one is rejected", async () => {
  using box = sandbox();
  const server = startServer(
    ["--workspace", box.tree({ "a.cpp": "int plus(int a) { return a; } // C++ rocks\n" })],
    box.env,
  );
  await server.initialize();
  const hostile = [
    '"unbalanced',
    "foo:bar",
    "a::b",
    "foo(",
    "C++",
    "🦀🦀",
    "error: x",
    "*",
    "-",
    "NEAR(",
    "'; DROP TABLE",
    "x".repeat(10_240),
  ];
  for (const query of hostile) {
    const answer = await server.tool("search_code", { query });
    expect(answer.error, query.slice(0, 40)).toBeUndefined();
    expect(answer.results).toBeInstanceOf(Array);
  }
  for (const query of ["", "   "]) {
    expect((await server.tool("search_code", { query })).error.code).toBe("invalid_input");
  }
  expect((await server.tool("search_code", { query: "C++" })).results[0].path).toBe("a.cpp");
  await server.close();
});

/** Samples of all languages, and hard cases for chunking: many chunks, other line endings, long lines, no final newline. */
function fixtures(): Record<string, string> {
  const languages = new URL("../../src/languages/", import.meta.url).pathname;
  const files: Record<string, string> = {};
  for (const folder of readdirSync(languages, { withFileTypes: true })) {
    if (!folder.isDirectory()) continue;
    for (const name of readdirSync(join(languages, folder.name))) {
      if (!name.startsWith("sample.")) continue;
      const text = readFileSync(join(languages, folder.name, name), "utf8");
      const long = `${text.trimEnd()}\n\n\n   \n`.repeat(6).replace("\n", `\n# ${"long line ".repeat(300)}\n`);
      files[`${folder.name}/${name}`] = text;
      files[`${folder.name}/long/${name}`] = long.trimEnd();
      files[`${folder.name}/crlf/${name}`] = `\n\t\n${text.replace(/\r?\n/g, "\r\n")}`;
    }
  }
  return files;
}

interface Piece {
  readonly line_start: number;
  readonly line_end: number;
  readonly snippet: string;
}

test("K23: in every language each line with text is in a chunk, and each chunk in its file", async () => {
  using box = sandbox();
  const files = fixtures();
  expect(Object.keys(files).length).toBeGreaterThanOrEqual(3 * 22);
  const server = startServer(["--workspace", box.tree(files)], box.env);
  await server.initialize();
  expect((await server.tool("index_repo", { wait_seconds: 120 })).status).toBe("published");
  let pieces = 0;
  for (const [path, text] of Object.entries(files)) {
    const whole = { path, threshold: 0, page_size: 200, context_lines: 0, snippet_length: 10_000 };
    const { results, pagination } = await server.tool("semantic_search", { query: "what is here", ...whole });
    expect(pagination, path).toMatchObject({ has_next: false, total_results: results.length });
    const lines = text.split("\n").map((line) => line.replace(/\r$/, ""));
    const seen = new Set<number>();
    for (const { line_start: start, line_end: end, snippet } of results as Piece[]) {
      expect([start >= 1, start <= end, end <= lines.length], `${path}:${start}-${end}`).toEqual([true, true, true]);
      expect(snippet.replaceAll("\r", "").trimEnd(), path).toBe(
        lines
          .slice(start - 1, end)
          .join("\n")
          .trimEnd(),
      );
      for (let line = start; line <= end; line++) seen.add(line);
    }
    const lost = lines.flatMap((line, at) => (line.trim() === "" || seen.has(at + 1) ? [] : [`${path}:${at + 1}`]));
    expect(lost).toEqual([]);
    pieces += results.length;
  }
  // One chunk per file would cover everything, too.
  expect(pieces).toBeGreaterThan(5 * Object.keys(files).length);
  await server.close();
});
