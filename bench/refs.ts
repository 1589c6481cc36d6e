/**
 * The figures of branches and work trees, on a clone of a real repository:
 *
 *     node bench/refs.ts --repository DIR [--json FILE] [--branches 100] [--worktrees 50] [--only PHASE,PHASE]
 *
 * Phases: index switch checkout query diff branches worktrees.
 * DIR is cloned (sharing its objects) into a temp directory first; nothing is written into it.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import Database from "better-sqlite3";
import { inlineParsers } from "../test/kit/inline-parsers.ts";
import { PLAIN_SETTINGS } from "../test/kit/settings.ts";
import type { Figure } from "./figures.ts";
import { INITIALIZE, openSession, type Session } from "./session.ts";

const BIN = fileURLToPath(new URL("../bin/codecompass.js", import.meta.url));
const ROUNDS = 100;
/** The maximum of few samples says little. */
const CHECKOUTS = 30;
/** The history is searched for a branch that differs in about this many files. */
const CHANGED_FILES = 50;
const JOB_PROCESS_MS = 5_000;

const { values } = parseArgs({
  options: {
    repository: { type: "string" },
    json: { type: "string" },
    branches: { type: "string", default: "100" },
    worktrees: { type: "string", default: "50" },
    only: { type: "string" },
  },
});
if (values.repository === undefined) throw new Error("which repository? node bench/refs.ts --repository DIR");

const BRANCHES = Number(values.branches);
const WORKTREES = Number(values.worktrees);
const base = mkdtempSync(join(tmpdir(), "codecompass-refs-"));
const root = join(base, "tree");
const home = join(base, "home");
try {
  execFileSync("git", ["clone", "-q", "--shared", values.repository, root]);
  const figures = await allFigures();
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(figures, null, 1)}\n`);
} finally {
  rmSync(base, { recursive: true, force: true });
}

async function allFigures(): Promise<Figure[]> {
  const env = { ...process.env, CODECOMPASS_HOME: home };
  const main = git("symbolic-ref", "--short", "HEAD");
  const branch = branchOf(CHANGED_FILES);
  for (let i = 1; i <= BRANCHES; i++) git("branch", `b/${i}`, `HEAD~${i * 5}`);
  const session = openSession(BIN, root, env);
  await session.request("initialize", INITIALIZE);
  await session.tool("index_repo", { wait_seconds: 600 });
  await session.tool("search_code", { query: "read the configuration" });
  // The process that indexed the whole tree exits after three seconds; its time would count as the server's.
  await rest(JOB_PROCESS_MS);
  const figures: Figure[] = [];
  const measure = async (figure: Promise<Figure>) => {
    figures.push(await figure);
    const { what, measured, floor } = figures.at(-1)!;
    console.log(`${what.padEnd(75)} ${measured.padEnd(70)} floor ${floor}`);
  };
  const phases: Record<string, () => Promise<Figure>> = {
    index: () => indexBranch(session, branch),
    switch: () => switchRef(session, main),
    checkout: () => checkout(session, main, branch.name),
    query: () => queries(session, main, branch.name),
    diff: () => diffs(session, main, branch.name),
    branches: () => branches(session),
    worktrees: () => linkedWorktrees(session, env),
  };
  // The later phases use a branch that the first one has indexed.
  const only = values.only?.split(",") ?? Object.keys(phases);
  if (!only.includes("index")) await session.tool("sync_repo", { ref: branch.name, wait_seconds: 600 });
  for (const phase of only) await measure(phases[phase]!());
  await session.close();
  return figures;
}

function git(...args: string[]): string {
  return execFileSync("git", ["-C", root, ...args], { encoding: "utf8", maxBuffer: 1 << 28 }).trim();
}

interface Branch {
  readonly name: string;
  readonly changed: readonly string[];
}

/** The ancestor whose difference to HEAD is closest to that many files. */
function branchOf(files: number): Branch {
  let [low, high] = [1, 2_000];
  const changedAt = (back: number) => git("diff-tree", "-r", "--name-only", "HEAD", `HEAD~${back}`).split("\n");
  while (low < high) {
    const middle = (low + high) >> 1;
    if (changedAt(middle).length < files) low = middle + 1;
    else high = middle;
  }
  git("branch", "feature", `HEAD~${low}`);
  return { name: "feature", changed: changedAt(low) };
}

/** Wall and CPU time of the server until the branch is published, compared with parsing its files once. */
async function indexBranch(session: Session, { name, changed }: Branch): Promise<Figure> {
  // The first branch also creates the base that all others are stored against.
  const first = await timed(session, () => session.tool("sync_repo", { ref: "b/1", wait_seconds: 600 }));
  const own = await timed(session, () => session.tool("sync_repo", { ref: name, wait_seconds: 600 }));
  const parsing = await parseOnce(name, changed);
  return {
    what: `index a branch that differs in ${changed.length} files`,
    measured: `${seconds(own.ms)}, ${(own.cpuMs / parsing).toFixed(1)} × parsing (${own.cpuMs.toFixed(0)} / ${parsing.toFixed(0)} ms cpu); first ${seconds(first.ms)}`,
    floor: "≤ 2 s, ≤ 10 ×",
  };
}

async function timed<T>(session: Session, run: () => Promise<T>): Promise<{ ms: number; cpuMs: number }> {
  const [before, started] = [cpuOf(session.pid), performance.now()];
  await run();
  return { ms: performance.now() - started, cpuMs: cpuOf(session.pid) - before };
}

/** User and system time of the process and its exited children, in milliseconds (Linux ticks are 10 ms). */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * 10;
}

async function parseOnce(name: string, paths: readonly string[]): Promise<number> {
  const parsers = await inlineParsers();
  const tasks = paths.flatMap((path) => {
    try {
      const bytes = execFileSync("git", ["-C", root, "show", `${name}:${path}`], {
        stdio: ["ignore", "pipe", "ignore"],
      });
      return [{ path, size: bytes.length, bytes: new Uint8Array(bytes) }];
    } catch {
      return [];
    }
  });
  const request = {
    root,
    project: "p" as never,
    settings: PLAIN_SETTINGS,
    tasks,
    known: async () => new Set<string>(),
    signal: new AbortController().signal,
  };
  await parsers.read(request);
  const before = process.cpuUsage();
  await parsers.read(request);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** A session switches its ref back and forth; both are indexed. */
async function switchRef(session: Session, main: string): Promise<Figure> {
  const times: number[] = [];
  for (let i = 0; i < 20; i++) {
    const started = performance.now();
    const ref = i % 2 === 0 ? "feature" : main;
    await session.tool("switch_ref", { ref });
    const { value } = await session.tool("locate_symbol", { name: "main" });
    if (value.metadata.ref !== ref || value.metadata.freshness_status !== "fresh") throw new Error("not switched");
    times.push(performance.now() - started);
  }
  await session.tool("switch_ref", { ref: main });
  return {
    what: "switch_ref to an indexed branch, until answers are right",
    measured: spread(times),
    floor: "≤ 200 ms",
  };
}

/** A checkout under a watching server, from its end until an answer is fresh and of that branch. */
async function checkout(session: Session, main: string, branch: string): Promise<Figure> {
  await until(async () => (await session.tool("health_check", {})).value.watcher === "native");
  const times: number[] = [];
  for (let i = 0; i < CHECKOUTS; i++) {
    const ref = i % 2 === 0 ? branch : main;
    git("switch", "-q", ref);
    const started = performance.now();
    const at = { name: "main", ref };
    await until(async () => (await session.tool("locate_symbol", at)).value.metadata.freshness_status === "fresh");
    times.push(performance.now() - started);
    await rest(1_000);
  }
  return { what: "checkout of an indexed branch, until answers are right", measured: spread(times), floor: "≤ 200 ms" };
}

async function queries(session: Session, main: string, branch: string): Promise<Figure> {
  const words = ["parse the command line", "open a connection", "error handling", "test", "main", "read", "init"];
  const times = new Map<string, number[]>([main, branch].map((ref) => [ref, []]));
  for (let i = 0; i < ROUNDS; i++) {
    for (const [ref, list] of times) {
      const word = words[i % words.length]!;
      const tool = i % 2 === 0 ? "search_code" : "locate_symbol";
      const { ms } = await session.tool(tool, tool === "search_code" ? { query: word, ref } : { name: word, ref });
      if (i >= words.length * 2) list.push(ms);
    }
  }
  const [on, off] = [percentile(times.get(branch)!, 0.5), percentile(times.get(main)!, 0.5)];
  return {
    what: "query on a branch against the default branch, p50",
    measured: `${(on / off).toFixed(2)} × (${on.toFixed(1)} / ${off.toFixed(1)} ms)`,
    floor: "≤ 1.3 ×",
  };
}

async function diffs(session: Session, main: string, branch: string): Promise<Figure> {
  const times: number[] = [];
  for (let i = 0; i < 20; i++) {
    const { ms } = await session.tool("diff_context", { base_ref: branch, head_ref: main, limit: 200 });
    times.push(ms);
  }
  return {
    what: `diff_context over ${CHANGED_FILES} changed files`,
    measured: spread(times),
    floor: "p95 ≤ 500 ms",
  };
}

async function branches(session: Session): Promise<Figure> {
  const index = (i: number) => session.tool("sync_repo", { ref: `b/${i}`, wait_seconds: 600 });
  await index(1);
  const before = storeBytes();
  for (let i = 2; i <= BRANCHES; i++) await index(i);
  const each = (storeBytes() - before) / (BRANCHES - 1);
  return {
    what: `${BRANCHES} branches (HEAD~5 to HEAD~${BRANCHES * 5}) over one base: extra disk each`,
    measured: `${((100 * each) / before).toFixed(2)} % (${(each / 1e3).toFixed(0)} kB of ${(before / 1e6).toFixed(1)} MB)`,
    floor: "≤ 3 %",
  };
}

async function linkedWorktrees(session: Session, env: NodeJS.ProcessEnv): Promise<Figure> {
  const before = storeBytes();
  for (let i = 1; i <= WORKTREES; i++) {
    const path = join(base, `worktree-${i}`);
    git("worktree", "add", "-q", "--detach", path, "HEAD");
    execFileSync(process.execPath, [BIN, "index", "--path", path], { env, stdio: "ignore" });
    rmSync(path, { recursive: true });
  }
  await session.tool("health_check", {});
  const each = (storeBytes() - before) / WORKTREES;
  return {
    what: `${WORKTREES} linked worktrees: extra disk each, clean`,
    measured: `${(each / 1e3).toFixed(0)} kB`,
    floor: "≤ 1 MB",
  };
}

/** Without the log files, but with their contents: whether those were checkpointed already is chance. */
function storeBytes(): number {
  const stores = join(home, "stores");
  const names = readdirSync(stores, { recursive: true }) as string[];
  const paths = names.filter((path) => !/-(?:wal|shm)$/.test(path)).map((path) => join(stores, path));
  return paths.reduce((sum, path) => sum + (path.endsWith(".db") ? databaseBytes(path) : statSync(path).size), 0);
}

/** Free pages were left by merged segments. New writes fill them and would seem to cost nothing. */
function databaseBytes(path: string): number {
  const db = new Database(path, { readonly: true });
  const number = (pragma: string) => Number(db.pragma(pragma, { simple: true }));
  try {
    return (number("page_count") - number("freelist_count")) * number("page_size");
  } finally {
    db.close();
  }
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await rest(5);
}

function rest(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function percentile(list: readonly number[], share: number): number {
  const sorted = [...list].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function spread(times: readonly number[]): string {
  return `p50 ${percentile(times, 0.5).toFixed(0)} ms, best ${Math.min(...times).toFixed(0)}, worst ${Math.max(...times).toFixed(0)}`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(2)} s`;
}
