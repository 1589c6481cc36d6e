/**
 * Many servers over one shared store, by the figures of L3 and S20. Starts its own PostgreSQL.
 *
 *   node bench/postgres-servers.ts [--phase servers,greedy] [--seconds N]
 *
 * servers  4 stateless servers, 64 connections that query all the time, a writer that stores 300 chunks per second
 * greedy   8 principals that query now and then, alone and next to one that queries as fast as it can
 */

import { mkdtemp, rm } from "node:fs/promises";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { systemEnv } from "../src/adapters/env/system.ts";
import { postgresPrincipals } from "../src/adapters/postgres/principals.ts";
import { postgresStores } from "../src/adapters/postgres/stores.ts";
import { type HttpProcess, startHttp, toolCall } from "../test/kit/http.ts";
import { runSql, startServer } from "../test/kit/postgres.ts";
import { PROJECT, publishFiles } from "../test/kit/store.ts";
import { roundTree } from "../test/kit/store-answers.ts";
import { row, share } from "./figures.ts";

const SERVERS = 4;
const CONNECTIONS = 64;
const CHUNKS_A_SECOND = 300;
const REPOSITORIES = 8;
const POLITE = 8;
const POLITE_PAUSE_MS = 100;
/** With and without it, alternating: the machine varies from one minute to the next. */
const TURNS = 3;
/** Files per repository; a publish replaces all of them. */
const FILES = 60;
/** More than the queue holds, so that some are rejected. */
const GREEDY = 64;

const { values } = parseArgs({
  options: { phase: { type: "string", default: "servers,greedy" }, seconds: { type: "string", default: "15" } },
});
const seconds = Number(values.seconds);
const database = await startServer([]);
const home = await mkdtemp(join(tmpdir(), "codecompass-bench-"));
const { url } = database;
const stores = postgresStores({
  url,
  env: systemEnv(),
  connections: 4,
  nameOf: (name) => ({ key: name.replaceAll("/", "-"), name }),
});
const nameOf = (at: number) => `bench.invalid/acme/repo-${at}`;
const agent = new Agent({ keepAlive: true, maxSockets: 1_000 });
const question = (at: number) => ({ query: "common", workspace: nameOf(at % REPOSITORIES), detail_level: "context" });
try {
  for (let at = 0; at < REPOSITORIES; at++) await publish(at, 0);
  if (values.phase.includes("servers")) await servers();
  if (values.phase.includes("greedy")) await greedy();
} finally {
  await database.remove();
  await rm(home, { recursive: true, force: true });
}

/** The number of chunks it stored. */
async function publish(at: number, round: number): Promise<number> {
  const store = await stores.open(nameOf(at), { create: true, project: PROJECT });
  const files = roundTree(round, FILES);
  await publishFiles(store, files, { ref: "refs/heads/main" });
  await store.close();
  // Blank lines separate them.
  return files.reduce((sum, { text }) => sum + text.split("\n\n").filter(Boolean).length, 0);
}

interface Asked {
  readonly ms: number;
  readonly status: number;
  readonly text: string;
}

function ask(port: number, input: object, token?: string): Promise<Asked> {
  const started = performance.now();
  const headers = { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) };
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: "127.0.0.1", method: "POST", agent, headers }, (response) => {
      let text = "";
      response.on("data", (part) => {
        text += part;
      });
      response.on("end", () => resolve({ ms: performance.now() - started, status: response.statusCode!, text }));
    });
    sent.on("error", reject);
    sent.end(JSON.stringify(toolCall(1, "search_code", input)));
  });
}

/** Whether all of one answer is of one round. */
function isWhole({ text }: Asked): boolean {
  return new Set(text.match(/round\d+/g) ?? []).size <= 1;
}

async function servers(): Promise<void> {
  const env = { ...process.env, CODECOMPASS_HOME: home, CODECOMPASS_SERVER_WATCH: "false" };
  const all: HttpProcess[] = [];
  for (let at = 0; at < SERVERS; at++) all.push(await startHttp(["--store", url], env));
  await Promise.all(
    all.flatMap(({ port }) => Array.from({ length: REPOSITORIES }, (_, at) => ask(port, question(at)))),
  );
  const until = performance.now() + seconds * 1000;
  const times: number[] = [];
  let errors = 0;
  let torn = 0;
  let chunks = 0;
  const writing = (async () => {
    const started = performance.now();
    for (let round = 1; performance.now() < until; round++) {
      const some = [0, 1, 2].map((step) => publish((round * 3 + step) % REPOSITORIES, round));
      chunks += (await Promise.all(some)).reduce((sum, count) => sum + count, 0);
      const early = (chunks / CHUNKS_A_SECOND) * 1000 - (performance.now() - started);
      if (early > 0) await new Promise((done) => setTimeout(done, early));
    }
  })();
  const asking = Array.from({ length: CONNECTIONS }, async (_, at) => {
    for (let turn = at; performance.now() < until; turn++) {
      const answer = await ask(all[at % SERVERS]!.port, question(turn));
      times.push(answer.ms);
      if (answer.status !== 200 || answer.text.includes('"isError":true')) {
        if (errors++ === 0) console.error(answer.text.slice(0, 500));
      }
      if (!isWhole(answer)) torn++;
    }
  });
  await Promise.all([writing, ...asking]).finally(() => Promise.all(all.map((server) => server.close())));
  row(
    `${SERVERS} servers, ${CONNECTIONS} connections, a writer`,
    `${Math.round(times.length / seconds)} questions/s`,
    `p50 ${share(times, 0.5)} ms, p95 ${share(times, 0.95)} ms`,
    `${Math.round(chunks / seconds)} chunks/s written`,
    `${errors} errors, ${torn} torn`,
  );
}

async function greedy(): Promise<void> {
  const principals = postgresPrincipals(url);
  const add = (name: string) => principals.add({ name, globs: ["**"] });
  const polite = await Promise.all(Array.from({ length: POLITE }, (_, at) => add(`polite-${at}`)));
  const glutton = await add("greedy");
  await principals.close();
  await runSql(url, "ANALYZE");
  const env = { ...process.env, CODECOMPASS_HOME: home, CODECOMPASS_SERVER_WATCH: "false" };
  const server = await startHttp(["--store", url, "--access", "principals"], env);
  const { port } = server;
  const round = async () => {
    const until = performance.now() + seconds * 1000;
    const times: number[] = [];
    await Promise.all(
      polite.map(async (token, at) => {
        for (let turn = at; performance.now() < until; turn++) {
          const { ms, status } = await ask(port, question(turn), token);
          if (status !== 200) throw new Error(`a polite one was told ${status}`);
          times.push(ms);
          await new Promise((done) => setTimeout(done, POLITE_PAUSE_MS));
        }
      }),
    );
    return times;
  };
  await round();
  const alone: number[] = [];
  const beside: number[] = [];
  let served = 0;
  let refused = 0;
  for (let turn = 0; turn < TURNS; turn++) {
    alone.push(...(await round()));
    let isOver = false;
    const eating = Array.from({ length: GREEDY }, async (_, at) => {
      for (let next = at; !isOver; next++) {
        const { status } = await ask(port, question(next), glutton);
        // Neither waits: it retries at once, whatever the reply.
        if (status === 200) served++;
        else refused++;
      }
    });
    beside.push(...(await round()));
    isOver = true;
    await Promise.all(eating);
  }
  row(
    `${POLITE} principals beside one that asks ${GREEDY} at a time`,
    `p95 alone ${share(alone, 0.95)} ms, beside it ${share(beside, 0.95)} ms (p50 ${share(alone, 0.5)}, ${share(beside, 0.5)})`,
    `it had ${Math.round(served / seconds / TURNS)} answers and ${Math.round(refused / seconds / TURNS)} refusals a second`,
  );
  await server.close();
}

agent.destroy();
