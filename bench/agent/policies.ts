/**
 * What finding code costs an agent, without a model: deterministic policies over the localisation or the retrieval suite.
 *
 *   node bench/agent/policies.ts --issues issues.jsonl --mirrors DIR [--set lite] [--repo NAME,…] [--most N] [--sample N] [--policy LETTERS]
 *   node bench/agent/policies.ts --suite DIR --checkouts DIR [--repo NAME,…]
 *
 * DIR holds a bare clone with full history per repository, as `owner+name/repo`, or a checkout per name of the suite. A file
 * counts as seen when a line of it was shown, a changed range when one of its lines was. After its calls, a policy reads
 * around the places it was shown, in their order. Tokens are those of gpt-tokenizer (o200k). A policy that never sees every
 * file (or range) costs the cap.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
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

interface Gold {
  readonly path: string;
  /** Ranges that the fix changed. */
  readonly lines?: readonly (readonly [number, number])[];
}

/** A query about one tree, and the files that answer it. */
interface Task {
  readonly repo: string;
  readonly text: string;
  readonly gold: readonly Gold[];
  /** A commit of a bare clone. Absent: the checkout as it is. */
  readonly base_commit?: string;
}

const { values: options } = parseArgs({
  options: {
    issues: { type: "string" },
    mirrors: { type: "string" },
    set: { type: "string", default: "lite" },
    suite: { type: "string" },
    checkouts: { type: "string" },
    repo: { type: "string" },
    most: { type: "string", default: "1000" },
    sample: { type: "string" },
    policy: { type: "string", default: "abcde" },
    home: { type: "string", default: join(tmpdir(), "codecompass-policies") },
    out: { type: "string" },
  },
});

const CAP_TOKENS = 50_000;
const BUDGETS = [1_000, 2_000, 4_000, 8_000];
const QUERY_CHARS = 2_000;
const tasks = sample(
  (options.suite === undefined ? issueTasks() : suiteTasks()).filter(({ repo }) => existsSync(rootOf(repo))),
).slice(0, Number(options.most));

/** The same N tasks in every run, whatever their order in the suite. */
function sample(all: Task[]): Task[] {
  if (options.sample === undefined) return all;
  const hashed = all.map((task) => ({ task, hash: createHash("sha256").update(task.text).digest("hex") }));
  const chosen = hashed.toSorted((a, b) => (a.hash < b.hash ? -1 : 1)).slice(0, Number(options.sample));
  return chosen.map(({ task }) => task);
}

function wanted(repo: string): boolean {
  return options.repo === undefined || options.repo.split(",").includes(repo);
}

function issueTasks(): Task[] {
  if (!options.issues || !options.mirrors)
    throw new Error("--issues and --mirrors, or --suite and --checkouts, are needed");
  return readFileSync(options.issues, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Task & { readonly set: string })
    .filter(({ set, repo }) => set === options.set && wanted(repo));
}

interface Annotation {
  readonly query: string;
  readonly relevant: readonly string[];
}

function suiteTasks(): Task[] {
  const read = (name: string) => JSON.parse(readFileSync(join(options.suite!, name), "utf8"));
  return (read("suite.json") as { readonly name: string }[])
    .filter(({ name }) => wanted(name))
    .flatMap(({ name: repo }) =>
      (read(join("annotations", `${repo}.json`)) as Annotation[]).map(({ query, relevant }) => ({
        repo,
        text: query,
        gold: relevant.map((path) => ({ path })),
      })),
    );
}

/** One call: what it returned, and which lines of which files are in it. */
interface Call {
  readonly text: string;
}
type Ask = (tool: string, input: object) => Promise<string>;

interface Scene {
  readonly task: Task;
  /** The tree at the commit. */
  readonly tree: string;
  readonly ask: Ask;
}

type Policy = (scene: Scene) => AsyncGenerator<Call>;

/** Names in the text that look like code, in order of appearance; its longer words where there are none. */
function identifiers(text: string): string[] {
  const found = (text.match(/[A-Za-z_]\w*(?:\.\w+)*/g) ?? []).filter((word) => word.length > 3);
  const codeLike = found.filter((word) => /_|[a-z][A-Z]|\./.test(word)).map((word) => word.split(".").at(-1)!);
  const words = codeLike.length > 0 ? codeLike : found;
  return [...new Set(words.filter((word) => word.length > 3))].slice(0, 15);
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

const allPolicies: Readonly<Record<string, Policy>> = {
  async *"a: rg, read ranges"({ task, tree }) {
    const words = identifiers(task.text);
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
  async *"b: rg, files by hits"({ task, tree }) {
    const counts = new Map<string, { words: number; hits: number }>();
    for (const word of identifiers(task.text)) {
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
  async *"c: one search_code"({ task, tree, ask }) {
    const text = await ask("search_code", { query: task.text.slice(0, QUERY_CHARS), limit: 50 });
    yield { text };
    yield* readAround(places(text), tree);
  },
  async *"d: search, outline, references"({ task, tree, ask }) {
    const text = await ask("search_code", { query: task.text.slice(0, QUERY_CHARS), limit: 10 });
    yield { text };
    const found = places(text).filter(({ head }) => head);
    for (const path of [...new Set(found.map((it) => it.path))].slice(0, 3)) {
      yield { text: await ask("get_file_outline", { path, depth: "top", max_tokens: 1_000 }) };
    }
    for (const { path, line } of found.slice(0, 3)) {
      yield { text: await ask("find_references", { symbol_name: `${path}:${line}`, limit: 20 }) };
    }
    yield* readAround(found, tree);
  },
  async *"e: get_code_context 4,000"({ task, tree, ask }) {
    const text = await ask("get_code_context", { query: task.text.slice(0, QUERY_CHARS), max_tokens: 4_000 });
    yield { text };
    yield* readAround(places(text), tree);
  },
};

const policies = Object.fromEntries(Object.entries(allPolicies).filter(([name]) => options.policy.includes(name[0]!)));

function readRange(tree: string, path: string, from: number, to: number): string {
  const lines = readFileSync(join(tree, path), "utf8").split("\n");
  const start = Math.max(1, from);
  return lines
    .slice(start - 1, to)
    .map((line, at) => `${path}:${start + at}:${line}`)
    .join("\n")
    .slice(0, 200_000);
}

/** Reads around each place that was shown, in order, and nothing twice. */
function* readAround(shown: readonly Place[], tree: string): Generator<Call> {
  const read = new Set<string>();
  for (const { path, line, head } of shown) {
    const key = `${path}:${Math.floor(line / READ_LINES)}`;
    if (!head || read.has(key) || !existsSync(join(tree, path))) continue;
    read.add(key);
    yield { text: readRange(tree, path, line - READ_LINES, line + READ_LINES) };
  }
}

interface Place {
  readonly path: string;
  readonly line: number;
  /** Where the text ends that shows it. */
  readonly end: number;
  /** Has its own address, and is not a further line of the place above. */
  readonly head: boolean;
}

const HEAD = /^(?:test {2})?([^\s:]+\.\w+)(?::(\d+))?(?=[\s:]|$)/;
const FURTHER = /^ +:?(\d+)(?= {2}|$)/;

/** The lines of files that an answer or a read shows. */
function places(text: string): Place[] {
  const found: Place[] = [];
  let [path, end] = [undefined as string | undefined, 0];
  for (const line of text.split("\n")) {
    end += line.length + 1;
    const head = HEAD.exec(line);
    const further = head === null && path !== undefined ? FURTHER.exec(line) : null;
    if (head !== null) path = head[1]!;
    if (head !== null || further !== null) {
      found.push({ path: path!, line: Number(head?.[2] ?? further?.[1] ?? 1), end, head: head !== null });
    }
  }
  return found;
}

/** Tokens of a read: the path is printed once and each line with its number, as agents' tools do. */
function tokensOf(text: string): number {
  const path = /^([^\s:]+):\d+:/.exec(text)?.[1];
  return countTokens(path === undefined ? text : text.replaceAll(`${path}:`, ""));
}

interface Cost {
  readonly calls: number;
  /** The cap where not all was seen. */
  readonly tokens: number;
}

interface Outcome {
  readonly files: Cost;
  /** Until a line of every changed range was shown. */
  readonly lines: Cost;
  /** With the tool definitions, when every file was seen. */
  readonly resident: number;
  readonly recall: readonly number[];
}

/** What is to be seen, and after how many calls and tokens it was. */
class Sought {
  readonly #seen = new Map<string, Cost>();
  readonly #all: ReadonlySet<string>;

  constructor(all: readonly string[]) {
    this.#all = new Set(all);
  }

  see(key: string, cost: () => Cost): void {
    if (this.#all.has(key) && !this.#seen.has(key)) this.#seen.set(key, cost());
  }

  get complete(): boolean {
    return this.#seen.size === this.#all.size;
  }

  cost(calls: number): Cost {
    const costs = [...this.#seen.values()];
    if (!this.complete) return { calls, tokens: CAP_TOKENS };
    return {
      calls: Math.max(0, ...costs.map((it) => it.calls)),
      tokens: Math.min(CAP_TOKENS, Math.max(0, ...costs.map((it) => it.tokens))),
    };
  }

  recall(budget: number): number {
    return [...this.#seen.values()].filter(({ tokens }) => tokens <= budget).length / this.#all.size;
  }
}

async function follow(policy: Policy, scene: Scene, definitions: number): Promise<Outcome> {
  const { gold } = scene.task;
  const files = new Sought(gold.map(({ path }) => path));
  const ranges = gold.flatMap(({ path, lines = [] }) => lines.map(([from, to]) => ({ path, from, to })));
  const keyOf = (it: (typeof ranges)[number]) => `${it.path}:${it.from}-${it.to}`;
  const changed = new Sought(ranges.map(keyOf));
  let [tokens, calls, resident] = [0, 0, 0];
  for await (const { text } of policy(scene)) {
    calls++;
    const { complete } = files;
    for (const { path, line, end } of places(text)) {
      const cost = () => ({ calls, tokens: tokens + tokensOf(text.slice(0, end)) });
      files.see(path, cost);
      for (const it of ranges) if (it.path === path && it.from <= line && line <= it.to) changed.see(keyOf(it), cost);
    }
    tokens += tokensOf(text);
    if (!complete) resident = tokens + definitions;
    if ((files.complete && changed.complete) || tokens > CAP_TOKENS) break;
  }
  const recall = BUDGETS.map((budget) => files.recall(budget));
  return { files: files.cost(calls), lines: changed.cost(calls), resident, recall };
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
for (const [repo, some] of Map.groupBy(tasks, (task) => task.repo)) await measure(repo, some);
print();

async function measure(repo: string, some: readonly Task[]): Promise<void> {
  const root = rootOf(repo);
  const home = resolve(options.home);
  const compass = await openCompass({
    home,
    workspaces: [root],
    defaultWorkspace: root,
    settings: DEFAULTS,
    watch: false,
  });
  const context = { compass, settings: DEFAULT_SETTINGS, version: "0" };
  let indexed: string | undefined;
  for (const task of some) {
    const { base_commit: ref } = task;
    const view = ref === undefined ? {} : { ref };
    if (indexed === undefined || indexed !== ref) {
      await compass.index(await compass.project(), { ...view, mode: "full", force: false, waitMs: 3_600_000 });
    }
    indexed = ref ?? "";
    const tree = ref === undefined ? root : mkdtempSync(join(tmpdir(), "policy-"));
    if (ref !== undefined) checkOut(root, ref, tree);
    const ask: Ask = async (tool, input) =>
      (await runTool(findTool(tool)!, { ...view, ...input }, context, { format: "text" })).text;
    const row: Record<string, Outcome> = {};
    for (const [name, policy] of Object.entries(policies)) {
      const own = /^[ab]:/.test(name) ? 0 : definitions;
      row[name] = await follow(policy, { task, tree, ask }, own);
      outcomes.get(name)!.push(row[name]);
    }
    if (options.out) appendFileSync(options.out, `${JSON.stringify({ repo, ref, ...row })}\n`);
    if (ref !== undefined) rmSync(tree, { recursive: true });
  }
  await compass.close();
}

/** A clone may lack large files of data: then only the Python files are there. */
function checkOut(root: string, ref: string, tree: string): void {
  const archive = (only: string) =>
    spawnSync("bash", ["-o", "pipefail", "-c", `git -C "${root}" archive ${ref} ${only} | tar x -C "${tree}"`]).status;
  if (archive("") !== 0 && archive("-- '*.py'") !== 0) throw new Error(`${root}: cannot read ${ref}`);
}

function print(): void {
  console.log(`${tasks.length} tasks; tool definitions (core): ${definitions} tokens`);
  const quantile = (all: readonly number[], share: number) =>
    all.toSorted((a, b) => a - b)[Math.min(all.length - 1, Math.floor(share * all.length))]!;
  const percent = (share: number) => `${Math.round(100 * share)} %`;
  const costs = (what: string, all: readonly Cost[]) => ({
    [`${what} seen`]: percent(all.filter(({ tokens }) => tokens < CAP_TOKENS).length / all.length),
    [`${what}: calls, median`]: quantile(
      all.map(({ calls }) => calls),
      0.5,
    ),
    [`${what}: tokens, median`]: quantile(
      all.map(({ tokens }) => tokens),
      0.5,
    ),
    [`${what}: tokens, worst decile`]: quantile(
      all.map(({ tokens }) => tokens),
      0.9,
    ),
  });
  const rows = [...outcomes].map(([policy, all]) => ({
    policy,
    ...costs(
      "files",
      all.map(({ files }) => files),
    ),
    ...costs(
      "lines",
      all.map(({ lines }) => lines),
    ),
    "resident, median": quantile(
      all.map(({ resident }) => resident),
      0.5,
    ),
    ...Object.fromEntries(
      BUDGETS.map((budget, at) => [
        `recall at ${budget}`,
        percent(all.reduce((sum, { recall }) => sum + recall[at]!, 0) / all.length),
      ]),
    ),
  }));
  for (const row of rows) console.log(row);
  const [b, c] = ["b", "c"].map((letter) => {
    const [, all] = [...outcomes].find(([name]) => name.startsWith(letter)) ?? [];
    return (
      all &&
      quantile(
        all.map(({ files }) => files.tokens),
        0.5,
      )
    );
  });
  if (b === undefined || c === undefined) return;
  console.log(`(c) against (b), median tokens until all files were seen: ${(c / b).toFixed(3)}`);
}

function rootOf(repo: string): string {
  if (options.checkouts) return join(options.checkouts, repo);
  return join(options.mirrors!, repo.replace("/", "+"), "repo");
}
