/**
 * What finding the code of an issue costs an agent, without a model: deterministic policies over the localisation suite.
 *
 *   node bench/agent/policies.ts --issues issues.jsonl --mirrors DIR [--set lite] [--repo NAME,…] [--most N]
 *
 * DIR holds a bare clone with full history per repository, as `owner+name/repo`. A file counts as seen when a line of it was
 * shown. Tokens are those of gpt-tokenizer (o200k). A policy that never sees every gold file costs the cap.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { rgPath } from "@vscode/ripgrep";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { openCompass } from "../../src/compose/compose.ts";
import { DEFAULTS } from "../../src/config/schema.ts";
import { DEFAULT_SETTINGS } from "../../src/tools/define.ts";
import { findTool, listedInput, listTools } from "../../src/tools/index.ts";
import { runTool } from "../../src/tools/run.ts";

interface Issue {
  readonly set: string;
  readonly id: string;
  readonly repo: string;
  readonly base_commit: string;
  readonly text: string;
  readonly gold: readonly { readonly path: string; readonly ranges?: readonly (readonly [number, number])[] }[];
}

const { values: options } = parseArgs({
  options: {
    issues: { type: "string" },
    mirrors: { type: "string" },
    set: { type: "string", default: "lite" },
    repo: { type: "string" },
    most: { type: "string", default: "1000" },
    home: { type: "string", default: join(tmpdir(), "codecompass-policies") },
  },
});
if (!options.issues || !options.mirrors) throw new Error("--issues FILE and --mirrors DIR are needed");

const CAP_TOKENS = 50_000;
const BUDGETS = [1_000, 2_000, 4_000, 8_000];
const QUERY_CHARS = 2_000;
const wanted = options.repo?.split(",");
const issues = readFileSync(options.issues, "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Issue)
  .filter(({ set, repo }) => set === options.set && (!wanted || wanted.includes(repo)))
  .filter(({ repo }) => existsSync(mirror(repo)))
  .slice(0, Number(options.most));

/** One call: what it returned, and which lines of which files are in it. */
interface Call {
  readonly text: string;
}
type Ask = (tool: string, input: object) => Promise<string>;

interface Scene {
  readonly issue: Issue;
  /** The tree at the commit. */
  readonly tree: string;
  readonly ask: Ask;
}

type Policy = (scene: Scene) => AsyncGenerator<Call>;

/** Names in the issue that look like code, in order of appearance. */
function identifiers(text: string): string[] {
  const found = text.match(/[A-Za-z_]\w*(?:\.\w+)*/g) ?? [];
  const codeLike = found.filter((word) => word.length > 3 && /_|[a-z][A-Z]|\./.test(word));
  return [...new Set(codeLike.map((word) => word.split(".").at(-1)!).filter((word) => word.length > 3))].slice(0, 15);
}

function ripgrep(args: readonly string[], cwd: string): string {
  return spawnSync(rgPath, ["--sort", "path", ...args, "./"], {
    cwd,
    encoding: "utf8",
    maxBuffer: 1 << 26,
  }).stdout.replaceAll(/^\.\//gm, "");
}

const SHOWN_MATCHES = 100;
const READ_LINES = 40;

const policies: Readonly<Record<string, Policy>> = {
  async *"a: rg, read ranges"({ issue, tree }) {
    const words = identifiers(issue.text);
    const hits: [string, number][] = [];
    for (const word of words) {
      const lines = ripgrep(["-n", "-F", "-w", word], tree).split("\n").filter(Boolean).slice(0, SHOWN_MATCHES);
      for (const line of lines) {
        const [path, number] = line.split(":");
        hits.push([path!, Number(number)]);
      }
      yield { text: lines.map((line) => line.slice(0, 200)).join("\n") };
    }
    for (const [path, line] of hits) yield { text: readRange(tree, path, line - READ_LINES, line + READ_LINES) };
  },
  async *"b: rg, files by hits"({ issue, tree }) {
    const counts = new Map<string, { words: number; hits: number }>();
    for (const word of identifiers(issue.text)) {
      const out = ripgrep(["-c", "-F", "-w", word], tree);
      // Only the best files of a word are listed, as `sort | head` does.
      const rows = out
        .split("\n")
        .filter(Boolean)
        .map((row) => row.split(/:(?=\d+$)/));
      for (const [path, hits] of rows) {
        const known = counts.get(path!) ?? { words: 0, hits: 0 };
        counts.set(path!, { words: known.words + 1, hits: known.hits + Number(hits) });
      }
    }
    const best = [...counts].sort(([a, x], [b, y]) => y.words - x.words || y.hits - x.hits || (a < b ? -1 : 1));
    yield {
      text: best
        .slice(0, 30)
        .map(([path, { hits }]) => `${hits} ${path}`)
        .join("\n"),
    };
    for (const [path] of best) yield { text: readRange(tree, path, 1, 2_000) };
  },
  async *"c: one search_code"({ issue, ask }) {
    yield { text: await ask("search_code", { query: issue.text.slice(0, QUERY_CHARS), limit: 50 }) };
  },
  async *"d: search, outline, references"({ issue, ask }) {
    const text = await ask("search_code", { query: issue.text.slice(0, QUERY_CHARS), limit: 10 });
    yield { text };
    const found = headers(text);
    for (const path of [...new Set(found.map((it) => it.path))].slice(0, 3)) {
      yield { text: await ask("get_file_outline", { path, depth: "top", max_tokens: 1_000 }) };
    }
    for (const { path, line } of found.slice(0, 3)) {
      yield { text: await ask("find_references", { symbol_name: `${path}:${line}`, limit: 20 }) };
    }
  },
  async *"e: get_code_context 4,000"({ issue, ask }) {
    yield { text: await ask("get_code_context", { query: issue.text.slice(0, QUERY_CHARS), max_tokens: 4_000 }) };
  },
};

function readRange(tree: string, path: string, from: number, to: number): string {
  const lines = readFileSync(join(tree, path), "utf8").split("\n");
  const start = Math.max(1, from);
  return lines
    .slice(start - 1, to)
    .map((line, at) => `${path}:${start + at}:${line}`)
    .join("\n")
    .slice(0, 200_000);
}

/** Every `path:line` that begins a line of an answer. */
function headers(text: string): { path: string; line: number; end: number }[] {
  return [...text.matchAll(/^(?:test {2})?([^\s:]+\.\w+)(?::(\d+))?(?=[\s:]|$)/gm)].map((match) => ({
    path: match[1]!,
    line: Number(match[2] ?? 1),
    end: match.index + match[0].length,
  }));
}

/** Tokens of a read: the path is printed once and each line with its number, as agents' tools do. */
function tokensOf(text: string): number {
  const path = /^([^\s:]+):\d+:/.exec(text)?.[1];
  return countTokens(path === undefined ? text : text.replaceAll(`${path}:`, ""));
}

interface Outcome {
  readonly calls: number;
  /** Until every gold file was seen; the cap where it never was. */
  readonly tokens: number;
  readonly resident: number;
  readonly found: boolean;
  readonly recall: readonly number[];
}

async function follow(policy: Policy, scene: Scene, definitions: number): Promise<Outcome> {
  const gold = new Set(scene.issue.gold.map(({ path }) => path));
  const seenAt = new Map<string, number>();
  let [tokens, calls] = [0, 0];
  for await (const { text } of policy(scene)) {
    calls++;
    for (const { path, end } of headers(text)) {
      if (gold.has(path) && !seenAt.has(path)) seenAt.set(path, tokens + tokensOf(text.slice(0, end)));
    }
    tokens += tokensOf(text);
    if (seenAt.size === gold.size || tokens > CAP_TOKENS) break;
  }
  const found = seenAt.size === gold.size;
  const last = found ? Math.max(...seenAt.values()) : CAP_TOKENS;
  const recall = BUDGETS.map((budget) => [...seenAt.values()].filter((at) => at <= budget).length / gold.size);
  return { calls, tokens: Math.min(last, CAP_TOKENS), resident: tokens + definitions, found, recall };
}

const definitions = countTokens(
  JSON.stringify(
    listTools("core").map((tool) => ({
      name: tool.name,
      description: tool.description,
      inputSchema: listedInput(tool, "core"),
    })),
  ),
);
const outcomes = new Map(Object.keys(policies).map((name) => [name, [] as Outcome[]]));
mkdirSync(options.home, { recursive: true });
for (const [repo, some] of Map.groupBy(issues, (issue) => issue.repo)) await measure(repo, some);
print();

async function measure(repo: string, some: readonly Issue[]): Promise<void> {
  const root = mirror(repo);
  const home = resolve(options.home);
  const compass = await openCompass({
    home,
    workspaces: [root],
    defaultWorkspace: root,
    settings: DEFAULTS,
    watch: false,
  });
  const context = { compass, settings: DEFAULT_SETTINGS, version: "0" };
  for (const issue of some) {
    const ref = issue.base_commit;
    await compass.index(await compass.project(), { ref, mode: "full", force: false, waitMs: 3_600_000 });
    const tree = mkdtempSync(join(tmpdir(), "policy-"));
    execFileSync("sh", ["-c", `git -C "${root}" archive ${ref} | tar x -C "${tree}"`]);
    const ask: Ask = async (tool, input) =>
      (await runTool(findTool(tool)!, { ref, ...input }, context, { format: "text" })).text;
    for (const [name, policy] of Object.entries(policies)) {
      const own = /^[ab]:/.test(name) ? 0 : definitions;
      outcomes.get(name)!.push(await follow(policy, { issue, tree, ask }, own));
    }
    rmSync(tree, { recursive: true });
  }
  await compass.close();
}

function print(): void {
  console.log(`${issues.length} issues; tool definitions (core): ${definitions} tokens`);
  const quantile = (all: readonly number[], share: number) =>
    all.toSorted((a, b) => a - b)[Math.min(all.length - 1, Math.floor(share * all.length))]!;
  console.table(
    [...outcomes].map(([policy, all]) => ({
      policy,
      found: `${Math.round((100 * all.filter(({ found }) => found).length) / all.length)} %`,
      "calls, median": quantile(
        all.map(({ calls }) => calls),
        0.5,
      ),
      "tokens, median": quantile(
        all.map(({ tokens }) => tokens),
        0.5,
      ),
      "tokens, worst decile": quantile(
        all.map(({ tokens }) => tokens),
        0.9,
      ),
      "resident, median": quantile(
        all.map(({ resident }) => resident),
        0.5,
      ),
      ...Object.fromEntries(
        BUDGETS.map((budget, at) => [
          `recall at ${budget}`,
          `${Math.round((100 * all.reduce((sum, { recall }) => sum + recall[at]!, 0)) / all.length)} %`,
        ]),
      ),
    })),
  );
}

function mirror(repo: string): string {
  return join(options.mirrors!, repo.replace("/", "+"), "repo");
}
