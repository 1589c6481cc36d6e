/**
 * The figures of the shared store. Without `--store` it starts its own PostgreSQL with default settings.
 *
 *   node bench/postgres.ts [--store URL] [--phase ingest,search,wide,readers,kills] [--seconds N] [--kills N] TREE...
 *
 * ingest   lines per second from the files to the published index, as CI does it: `index --repos`, two in parallel.
 *          Counts stored lines, without those of skipped files (generated, too large)
 * search   `search_code` in each tree of the full store: the first query of a tree, and later ones
 * wide     every repository of the store at once, through the tools, without a checkout: sentences, names, patterns
 * readers  32 readers while a writer swaps whole trees: queries per second, errors, torn reads
 * kills    kill -9 of the whole server during ingest: torn, lost, and the time until it answers again
 */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import pg from "pg";
import { systemEnv } from "../src/adapters/env/system.ts";
import { postgresStores } from "../src/adapters/postgres/stores.ts";
import type { Compass, Project } from "../src/compass/compass.ts";
import { openCompass } from "../src/compose/compose.ts";
import { DEFAULTS } from "../src/config/schema.ts";
import type { Store } from "../src/ports/store.ts";
import { decodeText } from "../src/segment/stored-content.ts";
import { DEFAULT_SETTINGS } from "../src/tools/define.ts";
import { findTool } from "../src/tools/index.ts";
import { runTool } from "../src/tools/run.ts";
import { randomQueries } from "../test/kit/indexed-engines.ts";
import { startServer } from "../test/kit/postgres.ts";
import { batchOf, PROJECT, publication, publishFiles, show, takeLease } from "../test/kit/store.ts";
import { roundTree } from "../test/kit/store-answers.ts";
import { row, share } from "./figures.ts";
import { textsOf } from "./texts.ts";

const PATTERNS = [
  "TODO|FIXME",
  "\\bfunction \\w+\\(",
  "[Cc]onnection pool",
  "class \\w+Error\\b",
  "deadlock",
  "0x[0-9a-f]{8}",
  "utf-?8",
];
const NAMES = ["parse", "Connection", "validate_token", "HttpClient", "main", "cache_key", "onError", "Iterator"];
const ROUNDS = 5;
const READERS = 32;
const REPOSITORIES = 8;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    store: { type: "string" },
    phase: { type: "string", default: "ingest,search,wide,readers,kills" },
    seconds: { type: "string", default: "20" },
    kills: { type: "string", default: "20" },
  },
});
const phases = values.phase.split(",");
const server = values.store === undefined ? await startServer([]) : undefined;
const url = values.store ?? server!.url;
const home = await mkdtemp(join(tmpdir(), "codecompass-bench-"));
const trees = positionals.map((path) => resolve(path));
try {
  if (phases.includes("ingest")) await ingest();
  if (phases.includes("search")) await withTrees(search);
  if (phases.includes("wide")) await wide();
  if (phases.includes("readers")) await readers(Number(values.seconds));
  if (phases.includes("kills")) await kills(Number(values.kills));
} finally {
  await server?.remove();
  await rm(home, { recursive: true, force: true });
}

async function withTrees(use: (compass: Compass, projects: readonly Project[]) => Promise<void>): Promise<void> {
  const settings = { ...DEFAULTS, store: url, "server.warmset": 64 };
  // With a watcher, as in a server: otherwise every query checks every file of the tree first.
  const compass = await openCompass({ home, workspaces: trees, settings, watch: true });
  try {
    const projects: Project[] = [];
    for (const tree of trees) projects.push(await compass.project(tree));
    await use(compass, projects);
  } finally {
    await compass.close();
  }
}

async function ingest(): Promise<void> {
  const list = join(home, "repositories.txt");
  await writeFile(list, trees.join("\n"));
  const command = fileURLToPath(new URL("../bin/codecompass.js", import.meta.url));
  const started = performance.now();
  await promisify(execFile)(process.execPath, [command, "index", "--repos", list, "--jobs", "2", "--store", url], {
    env: { ...process.env, CODECOMPASS_HOME: home },
    maxBuffer: 1 << 26,
  });
  const seconds = (performance.now() - started) / 1000;
  const lines = await storedLines();
  row(
    "ingest",
    `${lines.toLocaleString("en")} lines`,
    `${seconds.toFixed(1)} s`,
    `${Math.round(lines / seconds).toLocaleString("en")} lines/s`,
  );
}

/** Lines of everything that is stored. */
async function storedLines(): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let lines = 0;
    for (let after = ""; ; ) {
      const sql = `SELECT t.key, b.bytes FROM (SELECT DISTINCT text_key AS key FROM codecompass.file_version
        WHERE encode(text_key, 'hex') > $1 ORDER BY 1 LIMIT 500) t JOIN codecompass.blob b ON b.key = t.key ORDER BY t.key`;
      const { rows } = await client.query<{ key: Buffer; bytes: Buffer }>(sql, [after]);
      for (const { bytes } of rows) lines += decodeText(bytes).split("\n").length - 1;
      if (rows.length === 0) return lines;
      after = rows.at(-1)!.key.toString("hex");
    }
  } finally {
    await client.end();
  }
}

async function search(compass: Compass, projects: readonly Project[]): Promise<void> {
  const questions = new Map<Project, string[]>();
  for (const project of projects) questions.set(project, randomQueries(textsOf(project.root), 60));
  const ask = (project: Project, query: string) =>
    timed(() =>
      compass.read(project, { policy: "best_effort" }, async (reading) => {
        if (reading.status.schema !== "compatible") throw new Error(`${project.root} is not in the store`);
        await reading.search({ query, limit: 10 });
      }),
    );
  const first: number[] = [];
  const warm: number[] = [];
  for (const project of projects) first.push(await ask(project, questions.get(project)![0]!));
  for (let at = 1; at < 60; at++)
    for (const project of projects) warm.push(await ask(project, questions.get(project)![at]!));
  for (const [name, times] of [
    ["search_code, first in a tree", first],
    ["search_code, after that", warm],
  ] as const)
    row(
      name,
      `${times.length} questions in ${projects.length} trees`,
      `p50 ${share(times, 0.5)} ms`,
      `p95 ${share(times, 0.95)} ms`,
    );
}

/** Through the tools, like a server without any checkout: every repository of the store at once. */
async function wide(): Promise<void> {
  const unname = await nameAll();
  const settings = { ...DEFAULTS, store: url, "server.warmset": 64, "query.wide_deadline_ms": 60_000 };
  const compass = await openCompass({ home: join(home, "wide"), workspaces: [], settings, watch: false });
  try {
    const questions = randomQueries(trees.flatMap(textsOf), 60);
    await measure("search_code, all repositories", compass, "search_code", [
      ...questions.map((query) => ({ query })),
      ...NAMES.map((query) => ({ query })),
    ]);
    await measure(
      "locate_symbol, all repositories",
      compass,
      "locate_symbol",
      NAMES.map((name) => ({ name })),
    );
    await measure(
      "pattern, all repositories, the first 50 lines",
      compass,
      "regex_search",
      PATTERNS.map((pattern) => ({ pattern, page_size: 50 })),
    );
  } finally {
    await compass.close();
    await unname();
  }
}

/** The first query of each kind separately: it opens what later ones find open. */
async function measure(what: string, compass: Compass, tool: string, inputs: readonly object[]): Promise<void> {
  const times: number[][] = [];
  for (let round = 0; round < ROUNDS; round++) {
    times.push([]);
    for (const input of inputs) times[round]!.push(await timed(() => asked(compass, tool, input)));
  }
  const [first, ...after] = times;
  const warm = after.flat();
  row(
    what,
    `${inputs.length} questions, ${ROUNDS} rounds`,
    `first round p50 ${share(first!, 0.5)} ms, p95 ${share(first!, 0.95)} ms`,
    `after that p50 ${share(warm, 0.5)} ms, p95 ${share(warm, 0.95)} ms`,
  );
}

async function asked(compass: Compass, tool: string, input: object): Promise<void> {
  const context = { compass, settings: DEFAULT_SETTINGS, version: "0.0.0" };
  const { isError, body } = await runTool(findTool(tool)!, { ...input, workspace: "all" }, context);
  const { late } = (body.metadata as { workspaces?: { late?: unknown } }).workspaces ?? {};
  if (isError || late !== undefined) throw new Error(JSON.stringify(body).slice(0, 500));
}

/** Gives trees without a remote a name and shows them as a branch, for the duration of the run. */
async function nameAll(): Promise<() => Promise<void>> {
  const views = await asOwner("SELECT repo, id, ref FROM codecompass.view WHERE ref IN ('live', 'worktree')");
  await asOwner("UPDATE codecompass.repository SET name = 'bench.invalid/' || key WHERE name IS NULL");
  await asOwner("UPDATE codecompass.view SET ref = 'refs/heads/main' WHERE ref IN ('live', 'worktree')");
  return async () => {
    await asOwner("UPDATE codecompass.repository SET name = NULL WHERE name = 'bench.invalid/' || key");
    for (const { repo, id, ref } of views)
      await asOwner("UPDATE codecompass.view SET ref = $3 WHERE repo = $1 AND id = $2", [repo, id, ref]);
  };
}

async function asOwner(sql: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql, [...values])).rows;
  } finally {
    await client.end();
  }
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await run();
  return performance.now() - started;
}

async function readers(seconds: number): Promise<void> {
  const stores = postgresStores({ url, env: systemEnv(), connections: 10 });
  const open = (at: number) => stores.open(`bench-${at}`, { create: true, project: PROJECT });
  const all = await Promise.all(Array.from({ length: REPOSITORIES }, (_, at) => open(at)));
  for (const store of all) await publishFiles(store, roundTree(0));
  const until = performance.now() + seconds * 1000;
  const counts = { questions: 0, torn: 0, errors: 0, swaps: 0 };
  const writing = (async () => {
    const writers = await Promise.all(Array.from({ length: REPOSITORIES }, (_, at) => open(at)));
    for (let round = 1; performance.now() < until; round++) {
      await publishFiles(writers[round % REPOSITORIES]!, roundTree(round));
      counts.swaps++;
    }
    for (const store of writers) await store.close();
  })();
  const reading = Array.from({ length: READERS }, async (_, reader) => {
    for (let turn = reader; performance.now() < until; turn++) {
      try {
        if (!(await isWhole(all[turn % REPOSITORIES]!))) counts.torn++;
      } catch (error) {
        counts.errors++;
        console.error(error);
      }
      counts.questions++;
    }
  });
  await Promise.all([writing, ...reading]);
  for (const store of all) await store.close();
  const { questions, torn, errors, swaps } = counts;
  row(
    `${READERS} readers, 1 writer, ${seconds} s`,
    `${Math.round(questions / seconds)} questions/s`,
    `${swaps} swaps`,
    `${errors} errors, ${torn} torn`,
  );
}

/** A ranked query, the texts it finds, and whether all of it is of one round. */
async function isWhole(store: Store): Promise<boolean> {
  const snapshot = (await store.snapshot("main"))!;
  try {
    const { candidates, matched } = await snapshot.lexical({ terms: [{ term: "common", weight: 1 }], limit: 5 });
    const texts = await Promise.all(candidates.map(({ file }) => snapshot.text(file)));
    const rounds = new Set(texts.flatMap((text) => text.match(/round\d+/g) ?? []));
    return matched === roundTree(0).length && rounds.size === 1;
  } finally {
    snapshot.release();
  }
}

async function kills(times: number): Promise<void> {
  const victim = server ?? (await startServer([]));
  const stores = postgresStores({ url: victim.url, env: systemEnv() });
  const store = await stores.open("victim", { create: true, project: PROJECT });
  await publishFiles(store, roundTree(0, 200));
  let lost = 0;
  let torn = 0;
  const back: number[] = [];
  for (let round = 1; round <= times; round++) {
    const files = roundTree(round, 200);
    const lease = await takeLease(store, systemEnv().self);
    const build = await store.begin(lease, "main", "update");
    const halves = [files.slice(0, 100), files.slice(100)];
    const ingest = (async () => {
      for (const half of halves) await build.put(batchOf(half));
      return build.publish(publication(files.map(show)));
    })();
    // Somewhere in the middle: later in each round.
    await new Promise((done) => setTimeout(done, (round * 7) % 60));
    const killed = performance.now();
    victim.kill();
    victim.start();
    await store.snapshot("main");
    back.push(performance.now() - killed);
    const generation = await ingest;
    await lease.release();
    if ((await store.views())[0]!.generation !== generation) lost++;
    if ((await store.verify("full")).length > 0) torn++;
  }
  await store.close();
  if (server === undefined) await victim.remove();
  row(
    `${times} × kill -9 during ingest`,
    `${torn} torn`,
    `${lost} lost`,
    `back after p50 ${share(back, 0.5)} ms, most ${Math.max(...back).toFixed(0)} ms`,
  );
}

console.log(`\n${basename(process.argv[1]!)}: ${url.replace(/:[^:@/]*@/, "@")}`);
