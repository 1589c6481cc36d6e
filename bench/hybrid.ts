/**
 * Measures semantic and hybrid queries in one process, over an existing index:
 *
 *   CODECOMPASS_HOME=DIR node bench/hybrid.ts TREE
 *   CODECOMPASS_HOME=DIR node bench/hybrid.ts TREE --chunks 50000 --into COPY
 *
 * With --chunks the tree's folders are copied until that many chunks are indexed; an existing copy and its index are
 * reused.
 *
 * Cold: the first query loads model and vectors. Fresh: the median over the next 240 queries, while V8 still
 * compiles. Warm: median and 95th percentile over 240 more. CPU times are shown as well, since wall times vary under load.
 */
import { cpSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { cpuUsage, env } from "node:process";
import { parseArgs } from "node:util";
import type { Compass } from "../src/compass/compass.ts";
import { openCompass } from "../src/compose/compose.ts";
import { DEFAULTS } from "../src/config/schema.ts";

const QUESTIONS = [
  "how are requests retried after a failure",
  "parse command line arguments",
  "where is the connection pool created",
  "validate a session token",
  "write a row to disk and flush it",
  "format a date for display",
  "compare two versions of a file",
  "compute a hash of the content",
  "render a template with variables",
  "limit the number of open connections",
  "read configuration from environment variables",
  "convert a string to an integer",
];

const ROUNDS = 20;

const { values, positionals } = parseArgs({
  options: { chunks: { type: "string" }, into: { type: "string" } },
  allowPositionals: true,
});
const [source] = positionals;
if (source === undefined || env.CODECOMPASS_HOME === undefined)
  throw new Error("usage: CODECOMPASS_HOME=DIR node bench/hybrid.ts TREE [--chunks NUMBER --into COPY]");
const tree = values.into ?? source;
if (values.chunks !== undefined) mkdirSync(tree, { recursive: true });
const compass = await openCompass({
  home: env.CODECOMPASS_HOME,
  workspaces: [tree],
  settings: { ...DEFAULTS, "server.prewarm": false },
  watch: false,
});
if (values.chunks !== undefined) await grow(compass, source, Number(values.chunks));
const project = await compass.project();
await compass.read(project, { policy: "best_effort" }, async (reading) => {
  const { chunkCount } = await compass.status(project);
  console.log(`${chunkCount} chunks`);
  const page = { threshold: 0.02, topK: 10, offset: 0, limit: 10, context: 2 };
  const asks = {
    locate: (_: string, i: number) => reading.locate({ name: `main${i % 2}`, limit: 10 }),
    hybrid_search: (query: string) => reading.hybrid({ query, ...page }),
    semantic_search: (query: string) => reading.semantic({ query, ...page, threshold: 0.6 }),
    search_code: (query: string) => reading.search({ query, limit: 10 }),
  };
  for (const [name, ask] of Object.entries(asks)) {
    const cold = await timed(() => ask(QUESTIONS[0]!, 0));
    const fresh = await many(ask, 0);
    const warm = await many(ask, ROUNDS);
    const at = (of: readonly Timed[], share: number) => {
      const told = (key: keyof Timed) =>
        of
          .map((one) => one[key])
          .sort((a, b) => a - b)
          [Math.floor(share * (of.length - 1))]!.toFixed(1);
      return `${told("ms")} ms (CPU ${told("cpu")})`;
    };
    console.log(
      `${name.padEnd(16)} first ${cold.ms.toFixed(0)} ms (CPU ${cold.cpu.toFixed(0)}), fresh p50 ${at(fresh, 0.5)}, warm p50 ${at(warm, 0.5)}, p95 ${at(warm, 0.95)}`,
    );
  }
});
await compass.close();

/** No query occurs twice. */
async function many(ask: (query: string, i: number) => Promise<unknown>, from: number): Promise<Timed[]> {
  const times: Timed[] = [];
  for (let round = from; round < from + ROUNDS; round++) {
    for (const [i, question] of QUESTIONS.entries()) times.push(await timed(() => ask(`${question} ${round}`, i)));
  }
  return times;
}

/** Copies folder after folder until there are enough chunks. */
async function grow(of: Compass, from: string, chunks: number): Promise<void> {
  const copied = await of.register(tree);
  for (const name of readdirSync(from).sort()) {
    if (((await of.status(copied)).chunkCount ?? 0) >= chunks) return;
    if (!existsSync(join(tree, name))) cpSync(join(from, name), join(tree, name), { recursive: true });
    await of.freshen(copied, {});
  }
}

interface Timed {
  readonly ms: number;
  readonly cpu: number;
}

async function timed(run: () => Promise<unknown>): Promise<Timed> {
  const before = cpuUsage();
  const started = performance.now();
  await run();
  const { user, system } = cpuUsage(before);
  return { ms: performance.now() - started, cpu: (user + system) / 1000 };
}
