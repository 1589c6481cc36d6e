/**
 * How long a ping waits while a server walks trees that are nothing but directories: `node bench/ping.ts [BIN]`.
 * One has 200,000 of them, the other is 4,000 levels deep. An idle server of the same run shows the machine's share.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { INITIALIZE, openSession, type Session } from "./session.ts";

const DIRECTORIES = 200_000;
const LEVELS = 4_000;
const INTERVAL_MS = 10;

const bin = process.argv[2] ?? resolve(import.meta.dirname, "../bin/codecompass.js");
const base = mkdtempSync(join(tmpdir(), "codecompass-ping-"));
try {
  for (const [name, make] of [
    [`${DIRECTORIES} directories`, makeWide],
    [`${LEVELS} levels`, makeDeep],
  ] as const) {
    const root = join(base, name.replace(" ", "-"));
    mkdirSync(root);
    writeFileSync(join(root, "a.py"), "def a():\n    pass\n");
    make(root);
    const session = openSession(bin, root, { ...process.env, CODECOMPASS_HOME: `${root}.home` });
    await session.request("initialize", INITIALIZE);
    const all: number[] = [];
    const during = async (what: string, tool: string, input: object) => {
      const { status, pings } = await pingsDuring(session, tool, input);
      console.log(`${name}, ${what}: ${status}; ${summary(pings)}`);
      all.push(...pings);
    };
    await during("index", "index_repo", { wait_seconds: 600 });
    writeFileSync(join(root, "b.py"), "def b():\n    pass\n");
    await during("sync", "sync_repo", { wait_seconds: 600 });
    const strict = { query: "b", freshness_policy: "strict" };
    for (const which of ["first", "second"]) await during(`${which} search`, "search_code", strict);
    console.log(`${name}, all: ${summary(all)}`);
    await new Promise((done) => setTimeout(done, 2_000));
    console.log(`${name}, idle: ${summary((await pingsDuring(session, "health_check", {}, 200)).pings)}`);
    await session.close();
  }
} finally {
  // The path of the deepest directory is longer than Node accepts.
  execFileSync("rm", ["-rf", base]);
}

function makeWide(root: string): void {
  for (let at = 0; at < DIRECTORIES; at++) mkdirSync(join(root, `${at % 200}`, `${at}`), { recursive: true });
}

function makeDeep(root: string): void {
  const back = process.cwd();
  process.chdir(root);
  for (let level = 0; level < LEVELS; level++) {
    mkdirSync("d");
    process.chdir("d");
  }
  process.chdir(back);
}

async function pingsDuring(session: Session, tool: string, input: object, least = 20) {
  let isDone = false;
  const call = session.tool(tool, input).finally(() => {
    isDone = true;
  });
  const pings: Promise<{ ms: number }>[] = [];
  while (!isDone || pings.length < least) {
    pings.push(session.request("ping", {}));
    await new Promise((done) => setTimeout(done, INTERVAL_MS));
  }
  const { value } = await call;
  return { status: value.status ?? "answered", pings: (await Promise.all(pings)).map(({ ms }) => ms) };
}

function summary(pings: readonly number[]): string {
  const sorted = pings.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!.toFixed(0);
  return `${sorted.length} pings, p50 ${at(0.5)}, p99 ${at(0.99)}, max ${at(1)} ms`;
}
