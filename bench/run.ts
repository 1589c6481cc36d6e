/**
 * The figures of the product, as ratios in one run:
 *
 *     npm run bench -- --corpus DIR [--json FILE]
 *
 * DIR is copied to a temp directory first; nothing is written into it. Universal Ctags must be on PATH.
 */
import { appendFileSync, cpSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Figure } from "./figures.ts";
import { best, measure } from "./peers.ts";
import { INITIALIZE, openSession, type Session } from "./session.ts";

const BIN = fileURLToPath(new URL("../bin/codecompass.js", import.meta.url));
const ROUNDS = 200;
const STARTS = 9;

const { values } = parseArgs({ options: { corpus: { type: "string" }, json: { type: "string" } } });
if (values.corpus === undefined) throw new Error("which corpus? npm run bench -- --corpus DIR");

const base = mkdtempSync(join(tmpdir(), "codecompass-bench-"));
try {
  const figures = await allFigures(values.corpus, base);
  const width = Math.max(...figures.map((figure) => figure.what.length));
  for (const { what, measured, floor } of figures)
    console.log(`${what.padEnd(width)}  ${measured.padEnd(42)} floor ${floor}`);
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(figures, null, 1)}\n`);
} finally {
  rmSync(base, { recursive: true, force: true });
}

async function allFigures(corpus: string, base: string): Promise<Figure[]> {
  const tree = join(base, "tree");
  cpSync(corpus, tree, { recursive: true, verbatimSymlinks: true });
  const env = { ...process.env, CODECOMPASS_HOME: join(base, "home") };
  const cold = await coldFigures(tree, env, base);
  const start = await startFigures(tree, env);
  const session = openSession(BIN, tree, env);
  await session.request("initialize", INITIALIZE);
  const warm = await warmFigures(session, tree);
  await session.close();
  return [...cold, ...start, ...warm];
}

/** Alternates codecompass and bare processes, so that both run under the same conditions; the first round fills Node's caches. */
async function startFigures(tree: string, env: NodeJS.ProcessEnv): Promise<Figure[]> {
  const rounds: { bare: number; handshake: number; answered: number }[] = [];
  let hits = 0;
  for (let i = 0; i <= STARTS; i++) {
    const bare = (await measure(process.execPath, ["-e", "0"])).ms;
    const started = performance.now();
    const session = openSession(BIN, tree, env);
    await session.request("initialize", INITIALIZE);
    const handshake = performance.now() - started;
    const first = await session.tool("locate_symbol", { name: "parse" });
    const answered = performance.now() - started;
    hits = first.value.results.length;
    await session.close();
    if (i > 0) rounds.push({ bare, handshake, answered });
  }
  const median = (of: keyof (typeof rounds)[number]) =>
    Number(
      quantile(
        rounds.map((round) => round[of]),
        0.5,
      ),
    );
  const than = (of: "handshake" | "answered") => ratio(median(of), median("bare"), "node -e 0");
  return [
    { what: "handshake of a new process", measured: than("handshake"), floor: "≤ 5 ×" },
    { what: "first answer from a warm index", measured: `${than("answered")}, ${hits} hits`, floor: "≤ 9 ×" },
  ];
}

async function coldFigures(tree: string, env: NodeJS.ProcessEnv, base: string): Promise<Figure[]> {
  const index = () => measure(process.execPath, [BIN, "index", "--path", tree], env);
  const ctags = await best(3, () => measure("ctags", ["-R", "--fields=+n", "-f", join(base, "tags"), tree]));
  const runs = [];
  for (let i = 0; i < 3; i++) {
    rmSync(env.CODECOMPASS_HOME!, { recursive: true, force: true });
    runs.push(await index());
  }
  const cold = runs.reduce((a, b) => (a.ms < b.ms ? a : b));
  const again = await best(3, index);
  const source = treeBytes(tree);
  const disk = treeBytes(join(env.CODECOMPASS_HOME!, "stores"));
  return [
    { what: "cold index", measured: ratio(cold.ms, ctags.ms, "ctags"), floor: "≤ 7 ×" },
    {
      what: "peak memory of it",
      measured: `${Math.max(...runs.map((run) => run.peakMb)).toFixed(0)} MB`,
      floor: "≤ 700 MB",
    },
    { what: "re-run, nothing changed", measured: share(again.ms, cold.ms), floor: "≤ 3 %" },
    {
      what: "index on disk",
      measured: `${(disk / source).toFixed(2)} × source (${mb(disk)} of ${mb(source)})`,
      floor: "≤ 1.5 ×",
    },
  ];
}

async function warmFigures(session: Session, tree: string): Promise<Figure[]> {
  const files = sample(listFiles(tree), 200);
  // Warm: the watcher has started, the job thread has loaded its grammars.
  await syncedEdit(session, join(tree, files[0]!));
  await rest(2_000);
  const names: string[] = [];
  const outline: number[] = [];
  for (const path of files) {
    const { value, ms } = await session.tool("get_file_outline", { path });
    if (value?.symbols === undefined) continue;
    outline.push(ms);
    for (const node of value.symbols) if (/^\w{3,}$/.test(node.name)) names.push(node.name);
  }
  const ping = await latencies(names.slice(0, ROUNDS), () => session.request("ping", {}));
  const locate = await latencies(sample(names, ROUNDS), (name) => session.tool("locate_symbol", { name }));
  const search = await latencies(questions(names), (query) => session.tool("search_code", { query }));
  const sync: number[] = [];
  for (let i = 0; i < 20; i++) sync.push(await syncedEdit(session, join(tree, files[0]!)));
  const seen: number[] = [];
  for (let i = 0; i < 5; i++) seen.push(await seenEdit(session, join(tree, "seen.py"), `seen_by_watcher_${i}`));
  return [
    { what: "one file changed, sync_repo", measured: spread(sync), floor: "≤ 300 ms" },
    { what: "an edit until an answer shows it", measured: spread(seen), floor: "≤ 2 s" },
    { what: "ping alone (the transport's share)", measured: spread(ping), floor: "-" },
    { what: "locate_symbol, warm", measured: spread(locate), floor: "p50 ≤ 1 ms, p95 ≤ 5 ms" },
    { what: "search_code, warm", measured: spread(search), floor: "p50 ≤ 8 ms, p95 ≤ 40 ms" },
    { what: "get_file_outline", measured: spread(outline), floor: "p95 ≤ 5 ms" },
    { what: "ping while 32 agents ask 64 q/s", measured: await pingUnderLoad(session, names), floor: "p99 ≤ 50 ms" },
  ];
}

/** From an edit to a published sync; an error means that the watcher's own sync is running, so wait for it. */
async function syncedEdit(session: Session, file: string): Promise<number> {
  const started = performance.now();
  appendFileSync(file, "\n");
  while ((await session.tool("sync_repo", { wait_seconds: 30 })).value?.status !== "published") await rest(5);
  const took = performance.now() - started;
  await rest(300);
  return took;
}

/** From an edit to the first answer that includes it, without a sync request. */
async function seenEdit(session: Session, file: string, name: string): Promise<number> {
  const started = performance.now();
  appendFileSync(file, `def ${name}(): pass\n`);
  const ask = { name, freshness_policy: "best_effort" };
  while ((await session.tool("locate_symbol", ask)).value.results.length === 0) await rest(5);
  return performance.now() - started;
}

/** How long a ping waits for the event loop while queries come in, and whether all of them are answered. */
async function pingUnderLoad(session: Session, names: readonly string[]): Promise<string> {
  const asks = questions(names);
  const pings: number[] = [];
  const answers: number[] = [];
  const waiting: Promise<unknown>[] = [];
  const until = performance.now() + 10_000;
  for (let i = 0; performance.now() < until; i++) {
    const query = asks[i % asks.length]!;
    waiting.push(session.tool("search_code", { query }).then(({ ms }) => answers.push(ms)));
    waiting.push(session.request("ping", {}).then(({ ms }) => pings.push(ms)));
    await rest(1000 / 64);
  }
  await Promise.all(waiting);
  return `p99 ${quantile(pings, 0.99)} ms; answers ${spread(answers)}`;
}

function rest(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Half symbols, half sentences made of parts of identifiers and common words. */
function questions(names: readonly string[]): string[] {
  const picked = sample(names, ROUNDS);
  return picked.map((name, i) => {
    if (i % 2 === 0) return name;
    const other = picked[(i * 7) % picked.length]!;
    const words = `${name} ${other}`
      .replace(/_/g, " ")
      .replace(/([a-z])([A-Z])/g, "$1 $2")
      .toLowerCase();
    return `how does the ${words} get handled`;
  });
}

async function latencies(asks: readonly string[], ask: (text: string) => Promise<{ ms: number }>): Promise<number[]> {
  for (const text of asks.slice(0, 20)) await ask(text);
  const times: number[] = [];
  for (const text of asks) times.push((await ask(text)).ms);
  return times;
}

/** Evenly spaced, so that two runs use the same queries. */
function sample<T>(all: readonly T[], count: number): T[] {
  const step = Math.max(1, all.length / count);
  return Array.from({ length: Math.min(count, all.length) }, (_, i) => all[Math.floor(i * step)]!);
}

function listFiles(root: string): string[] {
  const code = /\.(rs|ts|js|py|go|java|c|cc|cs|rb|php|kt|swift|scala|lua|zig)$/;
  return (readdirSync(root, { recursive: true }) as string[]).filter((path) => code.test(path)).sort();
}

function treeBytes(root: string): number {
  let sum = 0;
  for (const path of readdirSync(root, { recursive: true }) as string[]) {
    const stat = statSync(join(root, path), { throwIfNoEntry: false });
    if (stat?.isFile()) sum += stat.size;
  }
  return sum;
}

function ratio(ms: number, than: number, name: string): string {
  return `${(ms / than).toFixed(2)} × ${name} (${ms.toFixed(0)} of ${than.toFixed(0)} ms)`;
}

function share(ms: number, of: number): string {
  return `${((100 * ms) / of).toFixed(1)} % (${ms.toFixed(0)} of ${of.toFixed(0)} ms)`;
}

function spread(times: readonly number[]): string {
  return `p50 ${quantile(times, 0.5)} ms, p95 ${quantile(times, 0.95)} ms`;
}

function quantile(times: readonly number[], share: number): string {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!.toFixed(2);
}

function mb(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
