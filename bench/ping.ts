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
    console.log(`${name}, index: ${await pingsDuring(session, "index_repo", { wait_seconds: 600 })}`);
    writeFileSync(join(root, "b.py"), "def b():\n    pass\n");
    console.log(`${name}, sync: ${await pingsDuring(session, "sync_repo", { wait_seconds: 600 })}`);
    const strict = { query: "b", freshness_policy: "strict" };
    for (const which of ["first", "second"])
      console.log(`${name}, ${which} search: ${await pingsDuring(session, "search_code", strict)}`);
    await new Promise((done) => setTimeout(done, 2_000));
    console.log(`${name}, idle: ${await pingsDuring(session, "health_check", {}, 200)}`);
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

async function pingsDuring(session: Session, tool: string, input: object, least = 20): Promise<string> {
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
  const all = (await Promise.all(pings)).map(({ ms }) => ms).sort((a, b) => a - b);
  const at = (share: number) => all[Math.min(all.length - 1, Math.floor(share * all.length))]!.toFixed(0);
  return `${value.status ?? "answered"}; ${all.length} pings, p50 ${at(0.5)}, p99 ${at(0.99)}, max ${at(1)} ms`;
}
