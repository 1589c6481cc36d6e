/**
 * Tokens of the tool list and of 20 typical calls per tool, as JSON and as text:
 *
 *   node bench/agent/tokens.ts --repo DIR [--base REF] [--home DIR] [--out FILE]
 *
 * The calls are derived from the repository itself: names of its longest files, and questions made of their words.
 */
import { execFileSync } from "node:child_process";
import { statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { openCompass } from "../../src/compose/compose.ts";
import { DEFAULTS } from "../../src/config/schema.ts";
import { estimateLineTokens, estimateTokens } from "../../src/text/tokens.ts";
import { DEFAULT_SETTINGS } from "../../src/tools/define.ts";
import { findTool } from "../../src/tools/index.ts";
import { runTool } from "../../src/tools/run.ts";

const { values: options } = parseArgs({
  options: {
    repo: { type: "string" },
    home: { type: "string", default: join(process.env.TMPDIR ?? "/tmp", "codecompass-tokens") },
    base: { type: "string", default: "HEAD~30" },
    out: { type: "string" },
  },
});
if (!options.repo) throw new Error("--repo DIR is needed");
const CALLS = 20;
const root = resolve(options.repo);
process.env.CODECOMPASS_HOME = options.home;

const compass = await openCompass({
  home: resolve(options.home),
  workspaces: [root],
  defaultWorkspace: root,
  settings: DEFAULTS,
  watch: false,
});
await compass.index(await compass.project(), { mode: "full", force: false, waitMs: 600_000 });

const files = execFileSync("git", ["-C", root, "ls-files"], { encoding: "utf8" })
  .split("\n")
  .filter((path) => /\.(py|ts|tsx|go|rs|js|java|rb|c|cc|cpp)$/.test(path) && !/test|\.d\.ts$/.test(path))
  .sort((a, b) => size(b) - size(a) || (a < b ? -1 : 1))
  .slice(0, CALLS);
const names = [...new Set((await Promise.all(files.map(longestFunction))).filter((name) => name !== undefined))];
const questions = names.map((name) => `where is ${words(name)} handled`);

const calls: Readonly<Record<string, readonly object[]>> = {
  search_code: [...names.slice(0, CALLS / 2), ...questions.slice(0, CALLS / 2)].map((query) => ({ query, limit: 10 })),
  locate_symbol: names.map((name) => ({ name })),
  find_references: names.map((symbol_name) => ({ symbol_name, limit: 20 })),
  get_call_graph: names.map((symbol_name) => ({ symbol_name })),
  impact: names.map((symbol_name) => ({ symbol_name })),
  get_symbol_hierarchy: names.map((symbol_name) => ({ symbol_name })),
  find_related_symbols: names.map((symbol_name) => ({ symbol_name })),
  get_file_outline: files.map((path) => ({ path })),
  "get_file_outline top": files.map((path) => ({ path, depth: "top" })),
  get_code_context: questions.map((query) => ({ query, max_tokens: 4000 })),
  regex_search: names.map((pattern) => ({ pattern, page_size: 20 })),
  semantic_search: questions.map((query) => ({ query, threshold: 0 })),
  diff_context: [{ base_ref: options.base, head_ref: "HEAD", limit: 50 }],
};

const ratios: [string, number, number, string][] = [];
const rows: Record<string, unknown>[] = [];
for (const [label, inputs] of Object.entries(calls)) {
  const tool = findTool(label.split(" ")[0]!)!;
  const row: Record<string, unknown> = { tool: label };
  for (const format of ["json", "text"]) {
    const tokens: number[] = [];
    let refused = 0;
    for (const input of inputs.slice(0, CALLS)) {
      const reply = await runTool(tool, { ...input, format }, { compass, settings: DEFAULT_SETTINGS, version: "0" });
      if (reply.isError) refused++;
      else {
        tokens.push(countTokens(reply.text));
        if (process.env.RATIO)
          ratios.push([
            format,
            (format === "text" ? estimateLineTokens : estimateTokens)(reply.text) / tokens.at(-1)!,
            tokens.at(-1)!,
            label,
          ]);
      }
    }
    tokens.sort((a, b) => a - b);
    row[format] = Math.round(tokens.reduce((a, b) => a + b, 0) / Math.max(1, tokens.length));
    row[`${format} max`] = tokens.at(-1);
    row.refused = refused;
  }
  rows.push(row);
}
console.table(rows);
if (options.out) writeFileSync(options.out, `${JSON.stringify(rows, null, 1)}\n`);
await compass.close();

function size(path: string): number {
  return statSync(join(root, path), { throwIfNoEntry: false })?.size ?? 0;
}

async function longestFunction(path: string): Promise<string | undefined> {
  const reply = await runTool(
    findTool("get_file_outline")!,
    { path },
    { compass, settings: DEFAULT_SETTINGS, version: "0" },
  );
  if (reply.isError) return undefined;
  const all: { kind: string; name: string; length: number }[] = [];
  const collect = (nodes: readonly Record<string, unknown>[]) => {
    for (const it of nodes) {
      all.push({ kind: String(it.kind), name: String(it.name), length: Number(it.line_end) - Number(it.line_start) });
      collect((it.children ?? []) as Record<string, unknown>[]);
    }
  };
  collect((reply.body.symbols ?? []) as Record<string, unknown>[]);
  return all
    .filter(({ kind, name }) => /^(fn|method|function)$/.test(kind) && /^[A-Za-z]\w{3,}$/.test(name))
    .sort((a, b) => b.length - a.length)[0]?.name;
}

function words(name: string): string {
  return name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ")
    .toLowerCase()
    .trim();
}

if (process.env.RATIO)
  for (const f of ["json", "text"]) {
    const r = ratios.filter((x) => x[0] === f && x[2] > 200).sort((a, b) => a[1] - b[1]);
    console.log(f, r.slice(0, 5), r.reduce((a, b) => a + b[1], 0) / r.length);
  }
