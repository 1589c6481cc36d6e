/**
 * Queries of one client to a server over a store that is already filled: over all of its repositories, and about one at a time.
 *
 *   node bench/postgres-queries.ts --store URL [--rounds N] [--token TOKEN] [--args "FLAGS"] [TREE...]
 *
 * Queries are cut from the texts of the trees and asked once, so that their words are new; without trees ten queries repeat.
 * For each kind of query: the first ones after the server's start, and later ones; partial answers; the CPU time of the server;
 * and how many connections were taken, which counts round trips. On a busy machine compare CPU time and round trips.
 * `CODECOMPASS_TEST_MAIN=bin/codecompass.js` starts the build: without it a first query also waits for sources to be stripped.
 */
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type HttpProcess, startHttp } from "../test/kit/http.ts";
import { randomQueries } from "../test/kit/indexed-engines.ts";
import { runSql } from "../test/kit/postgres.ts";
import { row, share } from "./figures.ts";
import { textsOf } from "./texts.ts";

const TICKS_A_SECOND = 100;
/** Servers that are started for one first query each. */
const OPENINGS = 8;
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

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    store: { type: "string" },
    rounds: { type: "string", default: "3" },
    token: { type: "string" },
    args: { type: "string", default: "" },
  },
});
const sql = "SELECT name FROM codecompass.repository WHERE name IS NOT NULL ORDER BY name";
const names = (await runSql(values.store!, sql)).map(({ name }) => String(name));
const cut = positionals.length === 0 ? QUERIES : randomQueries(positionals.flatMap(textsOf), 1_000);
const queryAt = (at: number) => cut[at % cut.length];
const headers = values.token === undefined ? {} : { authorization: `Bearer ${values.token}` };
row("query", "n", "p50 / p95 ms", "partial", "CPU ms each", "round trips each", "load");
await measured(
  "search_code over all",
  (at) => ["search_code", { query: queryAt(at), workspace: "all" }],
  "of a server",
);
await measured(
  "semantic_search over all",
  (at) => ["semantic_search", { query: queryAt(at), workspace: "all" }],
  "of a server",
);
await measured(
  "search_code in one",
  (at) => ["search_code", { query: queryAt(at), workspace: names[at % names.length] }],
  "of a repository",
);

type Request = (at: number) => readonly [string, object];

interface Usage {
  readonly cpuMs: number;
  readonly trips: number;
}

/**
 * Each on a server of its own, so that the first queries find nothing in memory: over all repositories only one query of a
 * server is the first, in one repository the first one of each.
 */
async function measured(what: string, request: Request, first: "of a server" | "of a repository"): Promise<void> {
  const [openings, count] = first === "of a server" ? [OPENINGS, 1] : [1, names.length];
  const cold: Figures[] = [];
  for (let at = 0; at < openings; at++)
    cold.push(await withServer((server) => asked(server, count, (next) => request(at + next))));
  report(`${what}, first ${first}`, cold);
  const warm = names.length * Number(values.rounds);
  const later = await withServer(async (server) => {
    await asked(server, names.length, request);
    return asked(server, warm, (at) => request(names.length + at));
  });
  report(`${what}, warm`, [later]);
}

async function withServer<T>(use: (server: HttpProcess) => Promise<T>): Promise<T> {
  const home = await mkdtemp(join(tmpdir(), "codecompass-bench-"));
  const args = ["--store", values.store!, ...values.args.split(" ").filter(Boolean)];
  const server = await startHttp(args, { ...process.env, CODECOMPASS_HOME: home });
  try {
    await untilWarm(server);
    return await use(server);
  } finally {
    await server.close();
    await rm(home, { recursive: true, force: true });
  }
}

/** A server loads its model and its code when it starts; no query waits for that in operation. */
async function untilWarm(server: HttpProcess): Promise<void> {
  for (;;) {
    const { prewarm_status: status } = await server.tool("health_check", {}, headers);
    if (status !== "pending" && status !== "running") return;
    await new Promise((done) => setTimeout(done, 100));
  }
}

interface Figures extends Usage {
  readonly times: readonly number[];
  readonly partial: number;
}

async function asked(server: HttpProcess, count: number, request: Request): Promise<Figures> {
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
  return { times, partial, cpuMs: after.cpuMs - before.cpuMs, trips: after.trips - before.trips };
}

function report(what: string, figures: readonly Figures[]): void {
  const times = figures.flatMap((one) => one.times);
  const sum = (part: "cpuMs" | "trips" | "partial") => figures.reduce((total, one) => total + one[part], 0);
  const each = (part: keyof Usage) => (sum(part) / times.length).toFixed(1);
  const percentiles = `${share(times, 0.5)} / ${share(times, 0.95)}`;
  const load = loadavg()[0]!.toFixed(0);
  row(what, `${times.length}`, percentiles, `${sum("partial")}`, each("cpuMs"), each("trips"), load);
}

async function usageOf(server: HttpProcess): Promise<Usage> {
  const fields = readFileSync(`/proc/${server.process.pid}/stat`, "utf8").split(") ")[1]!.split(" ");
  const ticks = Number(fields[11]) + Number(fields[12]);
  const { text } = await server.send({ path: "/metrics", headers });
  const trips = Number(/^codecompass_store_statements_total (\d+)/m.exec(text)?.[1] ?? Number.NaN);
  return { cpuMs: (ticks * 1000) / TICKS_A_SECOND, trips };
}
