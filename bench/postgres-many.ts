/**
 * Many small repositories in one shared store. Starts its own PostgreSQL with default settings.
 *
 *   node bench/postgres-many.ts [--repositories N] [--lines N] CHECKOUT...
 *
 * The files of the checkouts, in order, are split into bare clones with different names, of about `--lines` lines
 * each. `index --repos` stores them, twice. Then repositories are selected by new words, without opening any, and one client
 * queries a server over HTTP: about one of them, about all, and the same for a principal who sees all.
 */
import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { systemEnv } from "../src/adapters/env/system.ts";
import { postgresPrincipals } from "../src/adapters/postgres/principals.ts";
import { postgresStores } from "../src/adapters/postgres/stores.ts";
import { termsOf } from "../src/compass/multi-repository/workspace-selection.ts";
import { type HttpProcess, startHttp } from "../test/kit/http.ts";
import { randomQueries } from "../test/kit/indexed-engines.ts";
import { runSql, startServer } from "../test/kit/postgres.ts";
import { row, share } from "./figures.ts";
import { textsOf } from "./texts.ts";

const ROUNDS = 5;
/** Repositories queried one by one. */
const SOME = 60;
const LARGEST_FILE = 100_000;
const SELECTIONS = 200;
/** As `compass/multi-repository` asks. */
const MOST_SELECTED = 32;
const WORDS = ["retry backoff", "parse header", "connection timeout", "error handling", "new server", "read file"];
const OVER_ALL: readonly (readonly [string, object])[] = [
  ["regex_search", { pattern: "EAGAIN_RETRY_\\w+" }],
  ["regex_search", { pattern: "throw new \\w+Exception" }],
  ["regex_search", { pattern: "func \\w+Error\\(" }],
  ["regex_search", { pattern: "class \\w+Factory\\b" }],
  ["search_code", { query: "connection pool timeout" }],
  ["locate_symbol", { name: "NewServer" }],
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { repositories: { type: "string", default: "1000" }, lines: { type: "string", default: "800" } },
});
const database = await startServer([]);
const home = await mkdtemp(join(tmpdir(), "codecompass-bench-"));
const env = { ...process.env, CODECOMPASS_HOME: home };
try {
  const clones = cut(positionals.map((path) => resolve(path)));
  await ingest(clones, "first ingest");
  await ingest(clones, "the same again");
  await runSql(database.url, "ANALYZE");
  const names = clones.map((_, at) => nameOf(at));
  await selected();
  await asked("everybody", [], names);
  const principals = postgresPrincipals(database.url);
  const token = await principals.add({ name: "all", globs: ["**"] });
  await principals.close();
  await asked("a principal who sees all", ["--access", "principals"], names, { authorization: `Bearer ${token}` });
} finally {
  await database.remove();
  await rm(home, { recursive: true, force: true });
}

function nameOf(at: number): string {
  return `bench.invalid/team-${at % 20}/part-${String(at).padStart(5, "0")}`;
}

/** Directory of the clones. */
function cut(checkouts: readonly string[]): string[] {
  const clones: string[] = [];
  let files: { readonly path: string; readonly bytes: Buffer }[] = [];
  let lines = 0;
  for (const checkout of checkouts) {
    const paths = execFileSync("git", ["-C", checkout, "ls-files", "-z"], { maxBuffer: 1 << 28 })
      .toString()
      .split("\0");
    for (const path of paths) {
      if (clones.length === Number(values.repositories)) return clones;
      const bytes = textOf(join(checkout, path));
      if (bytes === undefined || /["\n\\]/.test(path)) continue;
      files.push({ path, bytes });
      lines += bytes.toString("latin1").split("\n").length;
      if (lines < Number(values.lines)) continue;
      clones.push(clone(clones.length, files));
      [files, lines] = [[], 0];
    }
  }
  return clones;
}

function textOf(path: string): Buffer | undefined {
  try {
    const bytes = readFileSync(path);
    return bytes.length > LARGEST_FILE || bytes.includes(0) ? undefined : bytes;
  } catch {
    return undefined;
  }
}

function clone(at: number, files: readonly { readonly path: string; readonly bytes: Buffer }[]): string {
  const root = join(home, "clones", `${at}.git`);
  for (const folder of ["objects", "refs"]) mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, "HEAD"), "ref: refs/heads/main\n");
  const remote = `[remote "origin"]\n\turl = https://${nameOf(at)}.git\n`;
  writeFileSync(join(root, "config"), `[core]\n\trepositoryformatversion = 0\n\tbare = true\n${remote}`);
  const said = ["commit refs/heads/main\ncommitter a <a@example.org> 1700000000 +0000\ndata 1\nx\n"];
  const parts = files.flatMap(({ path, bytes }) => [`M 100644 inline ${path}\ndata ${bytes.length}\n`, bytes, "\n"]);
  const input = Buffer.concat([...said, ...parts].map((part) => (typeof part === "string" ? Buffer.from(part) : part)));
  execFileSync("git", ["-C", root, "fast-import", "--quiet"], { input });
  return root;
}

async function ingest(clones: readonly string[], what: string): Promise<void> {
  const list = join(home, "repositories.txt");
  writeFileSync(list, clones.join("\n"));
  const command = fileURLToPath(new URL("../bin/codecompass.js", import.meta.url));
  const args = [command, "index", "--repos", list, "--jobs", "2", "--store", database.url];
  const started = performance.now();
  await promisify(execFile)(process.execPath, args, { env, maxBuffer: 1 << 28 });
  const seconds = (performance.now() - started) / 1000;
  const each = (seconds * 1000) / clones.length;
  row(`${what}, ${clones.length} repositories`, `${seconds.toFixed(1)} s`, `${each.toFixed(1)} ms each`);
}

/** As a search over all repositories selects those that it opens: with an index of every word that was not asked before. */
async function selected(): Promise<void> {
  const stores = postgresStores({ url: database.url, env: systemEnv() });
  const times: number[] = [];
  for (const query of randomQueries(positionals.flatMap(textsOf), SELECTIONS)) {
    const started = performance.now();
    await stores.shared!.withTerms(termsOf(query), { most: MOST_SELECTED });
    times.push(performance.now() - started);
  }
  await stores.close();
  row(`selection, ${times.length} queries of new words`, `p50 ${share(times, 0.5)} ms`, `p95 ${share(times, 0.95)} ms`);
}

async function asked(
  who: string,
  args: readonly string[],
  names: readonly string[],
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const server = await startHttp(["--store", database.url, ...args], env);
  try {
    const some = Array.from({ length: SOME }, (_, at) => names[Math.floor((at * names.length) / SOME)]!);
    const one = (round: number) =>
      some.map((workspace, at) => ["search_code", { query: WORDS[(at + round) % WORDS.length], workspace }] as const);
    await measured(`${who}: search_code in one of ${SOME}`, server, one, headers);
    for (const [tool, input] of OVER_ALL)
      await measured(
        `${who}: ${tool} ${Object.values(input)} over all`,
        server,
        () => [[tool, { ...input, workspace: "all" }]],
        headers,
      );
  } finally {
    await server.close();
  }
}

/** The first round separately: it opens what later rounds find open. */
async function measured(
  what: string,
  server: HttpProcess,
  questions: (round: number) => readonly (readonly [string, object])[],
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const times: number[][] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const own: number[] = [];
    for (const [tool, input] of questions(round)) {
      const started = performance.now();
      const answer = await server.tool(tool, input, headers);
      own.push(performance.now() - started);
      if (answer.error !== undefined) throw new Error(JSON.stringify(answer.error));
    }
    times.push(own);
  }
  const [first, ...after] = times;
  const of = (some: readonly number[]) => `p50 ${share(some, 0.5)} ms, p95 ${share(some, 0.95)} ms`;
  row(what, `first ${of(first!)}`, `then ${of(after.flat())}`);
}
