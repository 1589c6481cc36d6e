/**
 * The server under load, over HTTP from a second process on loopback:
 *
 *     node bench/load.ts --corpus DIR [--seconds 20] [--connections 64] [--soak 200000] [--json FILE]
 *
 * DIR is indexed into a temp directory; nothing is written into it. Queries are drawn from the corpus's own names,
 * so that hardly any repeats. Run it after `npm run build`, on an otherwise idle machine.
 */
import { type ChildProcess, fork, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Figure } from "./figures.ts";
import type { LoadReport, LoadWork } from "./load-client.ts";
import { INITIALIZE, openSession } from "./session.ts";

const BIN = fileURLToPath(new URL("../bin/codecompass.js", import.meta.url));
const CLIENT = fileURLToPath(new URL("./load-client.ts", import.meta.url));

const { values } = parseArgs({
  options: {
    corpus: { type: "string" },
    seconds: { type: "string", default: "20" },
    connections: { type: "string", default: "64" },
    soak: { type: "string", default: "0" },
    json: { type: "string" },
  },
});
if (values.corpus === undefined) throw new Error("which corpus? node bench/load.ts --corpus DIR");

const base = mkdtempSync(join(tmpdir(), "codecompass-load-"));
const env = { ...process.env, CODECOMPASS_HOME: join(base, "home") };
const figures: Figure[] = [];
const figure = (what: string, measured: string, floor: string) => {
  figures.push({ what, measured, floor });
  console.log(`${what.padEnd(48)} ${measured.padEnd(64)} floor ${floor}`);
};
let server: ChildProcess | undefined;
try {
  await run("index", "--path", values.corpus);
  const port = await start(values.corpus);
  await allFigures(port, server!.pid!);
} finally {
  server?.kill("SIGTERM");
  rmSync(base, { recursive: true, force: true });
}
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(figures, null, 1)}\n`);
process.exit(0);

async function allFigures(port: number, pid: number): Promise<void> {
  const connections = Number(values.connections);
  const seconds = Number(values.seconds);
  await load({ port, connections: 8, seconds: 3, seed: 1 });
  const idle = await load({ port, connections: 8, seconds, seed: 2 });
  // A server that has just started compiles while it answers; measure a warm one.
  await load({ port, connections, seconds: 10, seed: 3 });
  const full = await load({ port, connections, seconds, seed: 4 });
  figure(
    `mixed queries, ${connections} connections`,
    `${full.perSecond.toFixed(0)} requests/s, p50 ${full.p50.toFixed(0)} ms, p95 ${full.p95.toFixed(0)} ms, ${full.errors} errors`,
    "≥ 400 requests/s, p95 ≤ 250 ms, 0 errors",
  );
  figure("memory of the server, highest so far", `${peakMb(pid).toFixed(0)} MB`, "≤ 500 MB");
  figure("/health meanwhile", `p95 ${full.health.toFixed(1)} ms`, "p95 ≤ 50 ms");
  const rebuild = fetch(`http://127.0.0.1:${port}/`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "index_repo", arguments: { force: true, wait_seconds: 600 } },
    }),
  }).then((answer) => answer.text());
  const busy = await load({ port, connections: 8, seconds, seed: 5 });
  figure(
    "8 agents while a full re-index runs",
    `p95 ${busy.p95.toFixed(0)} ms, ${(busy.p95 / idle.p95).toFixed(2)} × idle (${idle.p95.toFixed(0)} ms), ${busy.errors} errors`,
    "p95 ≤ 3 × idle, 0 errors",
  );
  figure(
    "the re-index meanwhile",
    /"status":"(\w+)"/.exec((await rebuild).replaceAll("\\", ""))?.[1] ?? "?",
    "published",
  );
  const soak = Number(values.soak);
  if (soak > 0) await soaked(port, pid, soak);
  figure("stdio handshake of a new process", `p95 ${(await handshakes()).toFixed(0)} ms`, "p95 ≤ 200 ms");
  figure("load of the machine, last minute", `${loadavg()[0]!.toFixed(1)}`, "-");
}

/** Resident memory every few seconds under load; the slope of the second half shows whether memory leaks. */
async function soaked(port: number, pid: number, requests: number): Promise<void> {
  const samples: [requests: number, mb: number][] = [];
  let done = 0;
  let errors = 0;
  const started = performance.now();
  let slowest = 0;
  for (let seed = 100; done < requests; seed++) {
    const part = await load({ port, connections: 64, requests: Math.min(10_000, requests - done), seed });
    done += part.requests;
    errors += part.errors;
    slowest = Math.max(slowest, part.p95);
    samples.push([done, residentMb(pid)]);
  }
  const late = samples.slice(samples.length >> 1);
  const slope = slopeOf(late) * 10_000;
  const perSecond = (done / (performance.now() - started)) * 1000;
  figure(
    `soak, ${done} requests from 64 connections`,
    `${perSecond.toFixed(0)} requests/s, p95 of the slowest 10,000 ${slowest.toFixed(0)} ms, ${errors} errors`,
    "≥ 400 requests/s, p95 ≤ 250 ms, 0 errors",
  );
  figure(
    "its memory",
    `${slope.toFixed(2)} MB per 10,000 requests in the second half, ${samples.at(-1)![1].toFixed(0)} MB at the end`,
    "≈ 0",
  );
}

function slopeOf(points: readonly [number, number][]): number {
  const n = points.length;
  const [mx, my] = [0, 1].map((at) => points.reduce((sum, point) => sum + point[at as 0 | 1], 0) / n) as [
    number,
    number,
  ];
  const over = points.reduce((sum, [x, y]) => sum + (x - mx) * (y - my), 0);
  return over / points.reduce((sum, [x]) => sum + (x - mx) ** 2, 0);
}

async function handshakes(): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 30; i++) {
    const started = performance.now();
    const session = openSession(BIN, values.corpus!, env);
    await session.request("initialize", INITIALIZE);
    times.push(performance.now() - started);
    await session.close();
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.95)]!;
}

function load(work: LoadWork): Promise<LoadReport> {
  const child = fork(CLIENT, [], { env: { ...process.env, LOAD_CORPUS: values.corpus }, stdio: "inherit" });
  child.send(work);
  return new Promise((resolve, reject) => {
    child.on("message", (report) => resolve(report as LoadReport));
    child.on("exit", (code) => reject(new Error(`the client left with ${code}`)));
  });
}

function run(...args: string[]): Promise<void> {
  const child = spawn(process.execPath, [BIN, ...args], { env, stdio: "inherit" });
  return new Promise((resolve, reject) =>
    child.on("exit", (code) => (code === 0 ? resolve() : reject(new Error(`${args[0]} left with ${code}`)))),
  );
}

function start(corpus: string): Promise<number> {
  const args = [BIN, "serve-mcp", "--transport", "http", "--port", "0", "--workspace", corpus];
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "ignore", "pipe"] });
  server = child;
  return new Promise((resolve) => {
    child.stderr!.on("data", (data) => {
      const [, port] = /:(\d+)\/\n/.exec(String(data)) ?? [];
      if (port !== undefined) resolve(Number(port));
      else process.stderr.write(data);
    });
  });
}

function residentMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1024;
}

function peakMb(pid: number): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1024;
}
