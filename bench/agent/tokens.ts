/**
 * Tokens of the tool list and of 20 typical calls per tool, as JSON and as text:
 *
 *   node bench/agent/tokens.ts --repo DIR [--base REF] [--home DIR] [--out FILE] [--against CHECKOUT]
 *
 * `--against` asks the code of another checkout the same in JSON. Its mean over this one's is the column `times`.
 * The calls are derived from the repository itself: names of its longest files, and questions made of their words.
 */
import { execFileSync } from "node:child_process";
import { statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import type { Compass } from "../../src/compass/compass.ts";
import type { runTool } from "../../src/tools/run.ts";

const { values: options } = parseArgs({
  options: {
    repo: { type: "string" },
    home: { type: "string", default: join(process.env.TMPDIR ?? "/tmp", "codecompass-tokens") },
    base: { type: "string", default: "HEAD~30" },
    out: { type: "string" },
    against: { type: "string" },
  },
});
if (!options.repo) throw new Error("--repo DIR is needed");
const CALLS = 20;
const root = resolve(options.repo);
process.env.CODECOMPASS_HOME = options.home;

interface Code {
  readonly ask: (tool: string, input: object) => ReturnType<typeof runTool>;
  readonly close: () => Promise<void>;
}

/** The tools of a checkout, over an index of their own. */
async function open(checkout: string, home: string): Promise<Code> {
  const load = (module: string) => import(join(checkout, "src", module));
  const compass: Compass = await (await load("compose/compose.ts")).openCompass({
    home,
    workspaces: [root],
    defaultWorkspace: root,
    settings: (await load("config/schema.ts")).DEFAULTS,
    watch: false,
  });
  await compass.index(await compass.project(), { mode: "full", force: false, waitMs: 600_000 });
  const { findTool } = await load("tools/index.ts");
  const { DEFAULT_SETTINGS: settings } = await load("tools/define.ts");
  const run: typeof runTool = (await load("tools/run.ts")).runTool;
  return {
    ask: (tool, input) => run(findTool(tool), input, { compass, settings, version: "0" }),
    close: () => compass.close(),
  };
}

const home = resolve(options.home);
const now = await open(resolve(import.meta.dirname, "../.."), join(home, "now"));
const before = options.against === undefined ? undefined : await open(resolve(options.against), join(home, "before"));

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

const rows: Record<string, unknown>[] = [];
for (const [label, inputs] of Object.entries(calls)) {
  const tool = label.split(" ")[0]!;
  const asked = inputs.slice(0, CALLS);
  const json = await tokensOf(now, tool, asked);
  const text = await tokensOf(
    now,
    tool,
    asked.map((input) => ({ ...input, format: "text" })),
  );
  const old = before && (await tokensOf(before, tool, asked));
  // Of an ambiguous name, the older code may refuse what this one answers.
  const both = asked.map((_, at) => at).filter((at) => json[at] !== undefined && old?.[at] !== undefined);
  rows.push({
    tool: label,
    json: mean(json),
    "json max": Math.max(...json.map((it) => it ?? 0)),
    text: mean(text),
    "text max": Math.max(...text.map((it) => it ?? 0)),
    refused: json.filter((it) => it === undefined).length,
    ...(old && { before: mean(both.map((at) => old[at])), times: ratio(both, json, old) }),
  });
}
console.table(rows);
if (options.out) writeFileSync(options.out, `${JSON.stringify(rows, null, 1)}\n`);
await now.close();
await before?.close();

/** Of each answer; undefined where it was refused. */
async function tokensOf(code: Code, tool: string, inputs: readonly object[]): Promise<(number | undefined)[]> {
  const all: (number | undefined)[] = [];
  for (const input of inputs) {
    const reply = await code.ask(tool, input);
    all.push(reply.isError ? undefined : countTokens(reply.text));
  }
  return all;
}

function mean(tokens: readonly (number | undefined)[]): number {
  const known = tokens.filter((it) => it !== undefined);
  return Math.round(known.reduce((a, b) => a + b, 0) / Math.max(1, known.length));
}

function ratio(both: readonly number[], json: readonly (number | undefined)[], old: readonly (number | undefined)[]) {
  const sum = (of: readonly (number | undefined)[]) => both.reduce((total, at) => total + of[at]!, 0);
  return Number((sum(json) / Math.max(1, sum(old))).toFixed(3));
}

function size(path: string): number {
  return statSync(join(root, path), { throwIfNoEntry: false })?.size ?? 0;
}

async function longestFunction(path: string): Promise<string | undefined> {
  const reply = await now.ask("get_file_outline", { path });
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
