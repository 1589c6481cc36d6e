/**
 * Queries of one client to a server over a store that is already filled: over all of its repositories, and about one at a time.
 *
 *   node bench/postgres-queries.ts --store URL [--rounds N] [--token TOKEN] [--args "FLAGS"]
 *
 * For each kind of query: the first ones after the server's start, and later ones; partial answers; the CPU time of the server;
 * and how many connections were taken, which counts round trips. On a busy machine compare CPU time and round trips.
 */
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type HttpProcess, startHttp } from "../test/kit/http.ts";
import { runSql } from "../test/kit/postgres.ts";
import { row, share } from "./figures.ts";

const TICKS_A_SECOND = 100;
const QUERIES = [
  "retry with backoff",
  "parse http header",
  "connection pool timeout",
  "error handling middleware",
  "read configuration file",
  "async task cancellation",
  "command line arguments",
  "HttpClient",
  "escape html",
  "hash table resize",
];

const { values } = parseArgs({
  options: {
    store: { type: "string" },
    rounds: { type: "string", default: "3" },
    token: { type: "string" },
    args: { type: "string", default: "" },
  },
});
const sql = "SELECT name FROM codecompass.repository WHERE name IS NOT NULL ORDER BY name";
const names = (await runSql(values.store!, sql)).map(({ name }) => String(name));
const headers = values.token === undefined ? {} : { authorization: `Bearer ${values.token}` };
row("query", "n", "p50 / p95 ms", "partial", "CPU ms each", "round trips each", "load");
await measured("search_code over all", (at) => [
  "search_code",
  { query: QUERIES[at % QUERIES.length], workspace: "all" },
]);
await measured("semantic_search over all", (at) => [
  "semantic_search",
  { query: QUERIES[at % QUERIES.length], workspace: "all" },
]);
await measured("search_code in one", (at) => [
  "search_code",
  { query: QUERIES[at % QUERIES.length], workspace: names[at % names.length] },
]);

interface Usage {
  readonly cpuMs: number;
  readonly trips: number;
}

/** A server of its own, so that the first queries find nothing in memory. */
async function measured(what: string, request: (at: number) => readonly [string, object]): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), "codecompass-bench-"));
  const args = ["--store", values.store!, "--no-prewarm", ...values.args.split(" ").filter(Boolean)];
  const server = await startHttp(args, { ...process.env, CODECOMPASS_HOME: home });
  const count = Math.min(names.length, 16);
  try {
    await asked(`${what}, first`, server, count, request);
    await asked(`${what}, warm`, server, count * Number(values.rounds), request);
  } finally {
    await server.close();
    await rm(home, { recursive: true, force: true });
  }
}

async function asked(
  what: string,
  server: HttpProcess,
  count: number,
  request: (at: number) => readonly [string, object],
): Promise<void> {
  const before = await usageOf(server);
  const times: number[] = [];
  let partial = 0;
  for (let at = 0; at < count; at++) {
    const started = performance.now();
    const answer = await server.tool(...(request(at) as [string, object]), headers);
    times.push(performance.now() - started);
    if (answer.error !== undefined) throw new Error(JSON.stringify(answer.error));
    if (answer.metadata.result_completeness !== "complete") partial++;
  }
  const after = await usageOf(server);
  const each = (part: keyof Usage) => ((after[part] - before[part]) / count).toFixed(1);
  const load = loadavg()[0]!.toFixed(0);
  row(
    what,
    `${count}`,
    `${share(times, 0.5)} / ${share(times, 0.95)}`,
    `${partial}`,
    each("cpuMs"),
    each("trips"),
    load,
  );
}

async function usageOf(server: HttpProcess): Promise<Usage> {
  const fields = readFileSync(`/proc/${server.process.pid}/stat`, "utf8").split(") ")[1]!.split(" ");
  const ticks = Number(fields[11]) + Number(fields[12]);
  const { text } = await server.send({ path: "/metrics", headers });
  const trips = Number(/^codecompass_store_statements_total (\d+)/m.exec(text)?.[1] ?? Number.NaN);
  return { cpuMs: (ticks * 1000) / TICKS_A_SECOND, trips };
}
