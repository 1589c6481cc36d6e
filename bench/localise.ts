/**
 * Answers every issue of the localisation benchmark with one `search_code` and writes what its score.py reads:
 *
 *   node bench/localise.ts --issues issues.jsonl --mirrors DIR [--set lite] [--repo NAME,…] [--limit 50] --out run.jsonl
 *
 * DIR holds a bare clone with full history per repository, as `owner+name/repo`. Commits are indexed as refs of the clone, in
 * the order of the issues, so that each costs its difference to the previous one. Issues without a repository are counted.
 */
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Issue } from "./figures.ts";
import { INITIALIZE, openSession } from "./session.ts";

interface SearchResult {
  readonly path: string;
  readonly line_start: number;
  readonly line_end: number;
}

const { values: options } = parseArgs({
  options: {
    issues: { type: "string" },
    mirrors: { type: "string" },
    set: { type: "string" },
    repo: { type: "string" },
    limit: { type: "string", default: "50" },
    home: { type: "string", default: join(process.env.TMPDIR ?? "/var/tmp", "codecompass-localise") },
    out: { type: "string", default: "run.jsonl" },
  },
});
if (!options.issues || !options.mirrors) throw new Error("--issues FILE and --mirrors DIR are needed");

const bin = resolve(import.meta.dirname, "../bin/codecompass.js");
const env = { ...process.env, CODECOMPASS_HOME: resolve(options.home) };
mkdirSync(options.home, { recursive: true });
const repositories = options.repo?.split(",");
const issues = readFileSync(options.issues, "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Issue)
  .filter(({ set, repo }) => (!options.set || set === options.set) && (!repositories || repositories.includes(repo)));

const times: number[] = [];
let missing = 0;
writeFileSync(options.out, "");
for (const [repo, some] of Map.groupBy(issues, (issue) => issue.repo)) await answer(repo, some);
times.sort((a, b) => a - b);
const quantile = (share: number) => times[Math.min(times.length - 1, Math.floor(share * times.length))]?.toFixed(0);
console.log(
  `${times.length} issues, ${missing} without a clone or commit; p50 ${quantile(0.5)} ms, p95 ${quantile(0.95)} ms`,
);

async function answer(repo: string, some: readonly Issue[]): Promise<void> {
  const clone = join(options.mirrors!, repo.replace("/", "+"), "repo");
  if (!existsSync(clone)) {
    missing += some.length;
    return;
  }
  const session = openSession(bin, clone, env);
  await session.request("initialize", INITIALIZE);
  for (const issue of some) {
    if (!index(clone, issue.base_commit)) {
      missing++;
      continue;
    }
    const input = { query: issue.text, ref: issue.base_commit, limit: Number(options.limit) };
    const { value, ms } = await session.tool("search_code", input);
    times.push(ms);
    const results = ((value?.results ?? []) as SearchResult[]).map(({ path, line_start, line_end }) => ({
      path,
      line_start,
      line_end,
    }));
    appendFileSync(options.out, `${JSON.stringify({ id: issue.id, set: issue.set, results })}\n`);
  }
  await session.close();
}

function index(clone: string, commit: string): boolean {
  try {
    execFileSync(process.execPath, [bin, "index", "--path", clone, "--ref", commit], { env, stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
