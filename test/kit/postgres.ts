/**
 * A private database for tests: on the server that `CODECOMPASS_TEST_PG` names, or on a temporary server if
 * PostgreSQL is installed. Under `CI=true` a missing server is a failure, never a skip.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chownSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { childrenOf, isRunning } from "./processes.ts";

export interface TestDatabase {
  readonly url: string;
  /** Runs a statement on a connection of its own. */
  sql(text: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  drop(): Promise<void>;
}

/** Returns the reason if there is no server to test on. */
export async function testDatabase(): Promise<TestDatabase | { readonly skip: string }> {
  const given = process.env.CODECOMPASS_TEST_PG;
  if (given) return databaseOn(given, async () => {});
  if (process.env.CI === "true") throw new Error("CI=true and CODECOMPASS_TEST_PG names no server: see .ci/run");
  if (postgresPrograms() === undefined)
    return { skip: "PostgreSQL is not installed and CODECOMPASS_TEST_PG names no server" };
  const server = await startServer();
  return databaseOn(server.url, server.remove);
}

async function databaseOn(server: string, after: () => Promise<void>): Promise<TestDatabase> {
  const name = `codecompass_test_${randomBytes(6).toString("hex")}`;
  await runSql(server, `CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    sql: (text, values) => runSql(url.href, text, values),
    drop: async () => {
      await runSql(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await after();
    },
  };
}

export async function runSql(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  try {
    const { rows } = await client.query(text, [...values]);
    return rows as Record<string, unknown>[];
  } finally {
    await client.end();
  }
}

/** Whether tests can start their own servers. Under `CI=true` this is true, and missing programs fail the tests. */
export function canStartServers(): boolean {
  return postgresPrograms() !== undefined || process.env.CI === "true";
}

/** The directory of initdb and pg_ctl; the newest release. */
export function postgresPrograms(): string | undefined {
  return globSync("/usr/lib/postgresql/*/bin")
    .filter((folder) => existsSync(join(folder, "initdb")))
    .sort((a, b) => release(b) - release(a))[0];
}

function release(folder: string): number {
  return Number(/\/(\d+)\/bin$/.exec(folder)?.[1] ?? 0);
}

export interface TestServer {
  readonly url: string;
  readonly port: number;
  readonly data: string;
  start(): void;
  /** Like a power failure that spares the disk. */
  kill(): void;
  remove(): Promise<void>;
}

/** Data that a process wrote survives its kill: only a power failure requires waiting for the disk. */
const WITHOUT_WAITING = ["fsync=off", "full_page_writes=off"];

/** Starts a private server. */
export async function startServer(settings: readonly string[] = WITHOUT_WAITING): Promise<TestServer> {
  return serverIn(settings, ({ bin, data, asOwner }) => {
    const how = ["-A", "trust", "-U", "postgres", "--no-sync", "-E", "UTF8", "--locale=C.UTF-8"];
    asOwner([join(bin, "initdb"), "-D", data, ...how]);
  });
}

/** Starts a streaming replica of the server. */
export async function startReplica(of: TestServer): Promise<TestServer> {
  return serverIn(WITHOUT_WAITING, ({ bin, data, asOwner }) => {
    const from = ["-h", "127.0.0.1", "-p", String(of.port), "-U", "postgres"];
    asOwner([join(bin, "pg_basebackup"), ...from, "-D", data, "-R", "-X", "stream", "-c", "fast", "--no-sync"]);
  });
}

interface Place {
  readonly bin: string;
  readonly data: string;
  readonly asOwner: (command: readonly string[]) => void;
}

/** `fill` creates the contents of the data directory. */
async function serverIn(settings: readonly string[], fill: (place: Place) => void): Promise<TestServer> {
  const bin = postgresPrograms();
  if (bin === undefined) throw new Error("PostgreSQL is not installed");
  const home = mkdtempSync(join(tmpdir(), "codecompass-pg-"));
  const data = join(home, "data");
  mkdirSync(data, { mode: 0o700 });
  const asOwner = ownerOf(home, data);
  fill({ bin, data, asOwner });
  const port = await freePort();
  const options = [
    `port=${port}`,
    "listen_addresses=127.0.0.1",
    `unix_socket_directories=${home}`,
    "jit=off",
    ...settings,
  ];
  const flags = options.map((option) => `-c ${option}`).join(" ");
  const start = () => asOwner([join(bin, "pg_ctl"), "-D", data, "-l", join(home, "log"), "-w", "-o", flags, "start"]);
  const stop = () => asOwner([join(bin, "pg_ctl"), "-D", data, "-m", "immediate", "-w", "stop"]);
  start();
  const guard = guardOf(home, data);
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    port,
    data,
    start,
    kill: () => killAll(data),
    remove: async () => {
      guard.kill();
      try {
        stop();
      } catch {
        // The server was killed.
      }
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Ends the server when the test run is killed. */
function guardOf(home: string, data: string): ChildProcess {
  const end = `kill -QUIT "$(head -1 '${data}/postmaster.pid')"; sleep 1; rm -rf '${home}'`;
  const script = `while kill -0 ${process.pid}; do sleep 1; done; ${end}`;
  const guard = spawn("sh", ["-c", script], { detached: true, stdio: "ignore" });
  guard.unref();
  return guard;
}

/** Kills the postmaster and all its children at once; returns when none is left. */
function killAll(data: string): void {
  const postmaster = Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0]);
  const all = [postmaster, ...childrenOf(postmaster)];
  for (const pid of all) signalled(pid, "SIGKILL");
  const pause = new Int32Array(new SharedArrayBuffer(4));
  while (all.some((pid) => signalled(pid, 0))) Atomics.wait(pause, 0, 0, 5);
  // If nothing reaps the dead process, the next server would take it for alive.
  for (const left of [join(data, "postmaster.pid"), ...globSync(join(data, "..", ".s.PGSQL.*"))])
    rmSync(left, { force: true });
}

/** Whether there was such a process; a zombie does not count. */
function signalled(pid: number, signal: "SIGKILL" | 0): boolean {
  try {
    process.kill(pid, signal);
    return isRunning(pid);
  } catch {
    return false;
  }
}

/** PostgreSQL refuses to run as root, so run it as the user that its package created. */
function ownerOf(home: string, data: string): (command: readonly string[]) => void {
  if (process.getuid?.() !== 0) return ([program, ...rest]) => void execFileSync(program!, rest, { stdio: "ignore" });
  const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  for (const folder of [home, data]) chownSync(folder, id("-u"), id("-g"));
  return (command) => {
    const quoted = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
    execFileSync("su", ["postgres", "-c", quoted], { stdio: "ignore", cwd: "/" });
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}

/** Reverts the tables to step 7. Tokens must get the hash of that time. */
export const BACK_TO_STEP_7 = `DROP TABLE codecompass.view_pack, codecompass.former_repository;
  ALTER TABLE codecompass.view DROP COLUMN digest, DROP COLUMN digest_at;
  ALTER TABLE codecompass.file_version DROP COLUMN embedded;
  DROP VIEW codecompass.readable_blob, codecompass.readable_segment_part;
  DROP FUNCTION codecompass.clean_pending_lists, codecompass.probe_node; DROP TABLE codecompass.node, codecompass.ingest;
  ALTER TABLE codecompass.blob DROP COLUMN node;
  DROP FUNCTION codecompass.found_by_words, codecompass.found_by_trigrams,
    codecompass.trigram_condition, codecompass.principal_of(text);
  CREATE FUNCTION codecompass.principal_of(token_hash bytea) RETURNS integer LANGUAGE sql STABLE SECURITY DEFINER
    AS $$ SELECT p.id FROM codecompass.principal p WHERE p.token_hash = $1 $$;
  CREATE VIEW codecompass.found AS SELECT f.repo, f.version, f.words, f.trigrams, f.files, f.run, f.run_files, f.run_places
    FROM codecompass.findable f WHERE f.repo IN (SELECT codecompass.seen());
  ALTER TABLE codecompass.repository DROP COLUMN uid;
  DELETE FROM codecompass.migration WHERE version > 7`;
