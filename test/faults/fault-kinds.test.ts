/** Faults that need no special kernel: each is survived or reported with a code, and a normal run works afterwards. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemEnv } from "../../src/adapters/env/system.ts";
import { sqliteStores } from "../../src/adapters/sqlite/stores.ts";
import { ERRORS } from "../../src/model/errors.ts";
import type { Env } from "../../src/ports/env.ts";
import { type CommandResult, codecompass, runInShell } from "../kit/command.ts";
import { publishedContents, storeLocation, unchangedFiles, until } from "../kit/faults.ts";
import { codecompass as runInline } from "../kit/inline-command.ts";
import { pick, prng } from "../kit/prng.ts";
import { commit, git, type Sandbox, sandbox, write } from "../kit/sandbox.ts";
import { startServer } from "../kit/stdio.ts";
import { PROJECT, sha256 } from "../kit/store.ts";

const YEAR_MS = 365 * 86_400_000;
const TIMEOUT_MS = 300_000;
/** Each encounters some hundred changes of file type. */
const RESTLESS_RUNS = process.env.CODECOMPASS_LONG ? 6 : 1;
const MANY_FILES = process.env.CODECOMPASS_LONG ? 3_000 : 500;

let box: Sandbox;
let root: string;
const undo: (() => void)[] = [];

beforeEach(() => {
  box = sandbox();
  root = box.tree(unchangedFiles(40));
});

afterEach(() => {
  for (const step of undo.splice(0).reverse()) step();
  box[Symbol.dispose]();
});

const run = (...args: string[]) => codecompass(args, { cwd: root, env: box.env });
/** Where nothing is broken. */
const runWhole = (...args: string[]) => runInline(args, { cwd: root, env: box.env });
const canMount =
  process.getuid?.() === 0 &&
  tried(() => {
    const dir = join("/tmp", `codecompass-mount-${process.pid}`);
    mkdirSync(dir);
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", dir], { stdio: "ignore" });
      execFileSync("umount", [dir]);
    } finally {
      rmSync(dir, { recursive: true });
    }
  });

function tried(attempt: () => void): boolean {
  try {
    attempt();
    return true;
  } catch {
    return false;
  }
}

/** Exited by itself, with a readable message and no stack trace. */
function expectRefusal(ran: CommandResult, reason: RegExp): void {
  expect(ran.err).toMatch(/^codecompass: /m);
  expect(ran.err).toMatch(reason);
  expect(ran.err).not.toMatch(/unhandled|uncaught|\n {4}at /i);
  expect(ran.code).toBe(2);
}

async function expectWorks(): Promise<void> {
  const ran = await runWhole("locate_symbol", "quiet_7", "--json");
  expect(`${ran.code} ${ran.err}`).toBe("0 ");
  expect(ran.json().results[0].name).toBe("quiet_7");
}

/** Mounts a small file system as the data directory. */
function mountHome(sizeKib: number): void {
  mkdirSync(box.home, { recursive: true, mode: 0o700 });
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${sizeKib}k,mode=0700`, "tmpfs", box.home]);
  undo.push(() => execFileSync("umount", ["-l", box.home]));
}

test.skipIf(!canMount).each([4, 32, 64, 128, 256])(
  "ENOSPC: a data directory of %i KiB: refused or whole, and works with more room",
  async (sizeKib) => {
    mountHome(sizeKib);
    const ran = await run("index");
    if (ran.code !== 0) expectRefusal(ran, /no space left|ENOSPC|disk reported an error/i);
    execFileSync("mount", ["-o", "remount,size=64m", box.home]);
    await expectWorks();
  },
  TIMEOUT_MS,
);

test.skipIf(!canMount)(
  "ENOSPC while a server syncs: the old state is answered, then the new one",
  async () => {
    mountHome(4_096);
    const server = startServer(["--workspace", root], { ...box.env, CODECOMPASS_SERVER_WATCH: "false" });
    await server.initialize();
    expect((await server.tool("index_repo", { wait_seconds: 60 })).status).toBe("published");
    writeFileSync(join(box.home, "ballast"), new Uint8Array(3 << 20));
    tried(() => writeFileSync(join(box.home, "ballast2"), new Uint8Array(2 << 20)));
    write(root, { "more.py": "def came_late(): pass\n" });
    write(root, Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`more${at}.txt`, noise(at)])));
    const full = await server.tool("sync_repo", { wait_seconds: 60 });
    expect(Object.keys(ERRORS)).toContain(full.error.code ?? full.error);
    const told =
      full.error.code === undefined ? full : { ...full.error, ...full.error.data, error_message: full.error.message };
    expect(told.error_message).toContain(`no space left on the disk that holds ${box.home}`);
    expect(told.suggestion ?? told.remediation).toMatch(/Free some space.*CODECOMPASS_HOME/);
    const ill = await server.tool("health_check");
    expect([ill.readiness, ill.health, ill.projects[0].index_status]).toEqual(["error", "degraded", "error"]);
    expect(ill.projects[0].message).toMatch(/no space left.*CODECOMPASS_HOME/);
    expect((await server.tool("locate_symbol", { name: "quiet_3" })).results).toHaveLength(1);
    for (const name of readdirSync(box.home).filter((name) => name.startsWith("ballast"))) rmSync(join(box.home, name));
    execFileSync("mount", ["-o", "remount,size=64m", box.home]);
    await until(
      "the sync works",
      async () => (await server.tool("sync_repo", { wait_seconds: 60 })).status === "published",
    );
    expect((await server.tool("locate_symbol", { name: "came_late" })).results).toHaveLength(1);
    expect((await server.tool("health_check")).health).toBe("healthy");
    expect(server.stderr()).not.toMatch(/unhandled|uncaught/);
    await server.close();
  },
  TIMEOUT_MS,
);

test.skipIf(!canMount)(
  "ENOSPC and edits: a command answers from the index, and says that it is stale and why",
  async () => {
    mountHome(4_096);
    expect((await runWhole("index")).code).toBe(0);
    write(root, { "more.py": "def came_late(): pass\n" });
    write(root, Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`more${at}.txt`, noise(at)])));
    tried(() => writeFileSync(join(box.home, "ballast"), new Uint8Array(4 << 20)));
    const found = await run("search", "quiet_3");
    expect(`${found.code} ${found.out}`).toMatch(/^0 .*quiet_3/s);
    expect(found.err).toMatch(/Stale: read these files directly.*more.py/);
    expect(found.err).toMatch(/The last sync failed: .*no space left/);
    const { metadata, results } = (await run("locate_symbol", "quiet_3", "--json")).json();
    expect([metadata.freshness_status, results.length]).toEqual(["stale", 1]);
    expect(metadata.warnings.join()).toMatch(/The last sync failed: .*no space left/);
    expectRefusal(await run("sync"), /no space left on the disk that holds .*\n.*Free some space.*CODECOMPASS_HOME/);
    expect((await runWhole("doctor")).out).toMatch(/fail +data directory: .*no space left/);
    rmSync(join(box.home, "ballast"));
    execFileSync("mount", ["-o", "remount,size=64m", box.home]);
    const late = await run("search", "came_late");
    expect(`${late.code} ${late.out}${late.err}`).toMatch(/^0 more.py:1(?!.*failed)/s);
  },
  TIMEOUT_MS,
);

/** Text that does not compress. */
function noise(seed: number): string {
  const random = prng(seed);
  return Array.from({ length: 2_000 }, () => `${Math.floor(random() * 2 ** 50).toString(36)}\n`).join("");
}

test.skipIf(!canMount)(
  "EROFS: a read-only data directory can be read; writing to it is an error",
  async () => {
    expect((await runWhole("index")).code).toBe(0);
    execFileSync("mount", ["--bind", box.home, box.home]);
    undo.push(() => execFileSync("umount", ["-l", box.home]));
    execFileSync("mount", ["-o", "remount,ro,bind", box.home]);
    await expectWorks();
    expectRefusal(await run("index", "--force"), /read-only/);
    write(root, { "late.py": "def came_late(): pass\n" });
    expectRefusal(await run("sync"), /read-only/);
    const inJson = await run("sync", "--json");
    expect(inJson).toMatchObject({ code: 2, err: "" });
    expect(inJson.json().error.message).toMatch(/read-only/);
    execFileSync("mount", ["-o", "remount,rw,bind", box.home]);
    expect((await run("sync")).code).toBe(0);
    await expectWorks();
  },
  TIMEOUT_MS,
);

/** Root can read and write everywhere; without this capability it is an ordinary user. */
const AS_ANYBODY = process.getuid?.() === 0 ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] : [];

test.each(["absent", "present"])(
  "EACCES: a data directory without write permission, index %s: an error about permissions",
  async (index) => {
    if (index === "present") expect((await runWhole("index")).code).toBe(0);
    else mkdirSync(box.home, { recursive: true });
    const folders = [
      box.home,
      ...readdirSync(box.home, { recursive: true, encoding: "utf8" }).map((name) => join(box.home, name)),
    ];
    for (const path of folders) chmodSync(path, /\.(db|json)(-\w+)?$/.test(path) ? 0o400 : 0o500);
    write(root, { "late.py": "def came_late(): pass\n" });
    const ran = await runInShell(":", ["index"], { cwd: root, env: box.env }, AS_ANYBODY);
    expectRefusal(ran, /permission|EACCES|read-only|cannot be opened/i);
    for (const path of folders) chmodSync(path, 0o700);
    await expectWorks();
  },
  TIMEOUT_MS,
);

test(
  "EACCES: a repository of a list without read permission, or in an unreadable directory, is reported as such",
  async () => {
    const closed = join(root, "quiet/2");
    const below = join(root, "quiet/1/below");
    mkdirSync(below);
    for (const path of [closed, dirname(below)]) chmodSync(path, 0);
    write(root, { "list.txt": `${closed}\n${below}\n` });
    const ran = await runInShell(
      ":",
      ["index", "--repos", "list.txt", "--json"],
      { cwd: root, env: box.env },
      AS_ANYBODY,
    );
    for (const path of [closed, dirname(below)]) chmodSync(path, 0o700);
    const rows = ran.out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const told = (path: string) => ({
      path,
      error: { code: "invalid_input", message: `Invalid input: ${path} may not be read by this user` },
    });
    expect(ran.code).toBe(2);
    expect(rows).toMatchObject([told(closed), told(below), { failed: 2 }]);
  },
  TIMEOUT_MS,
);

test(
  "EACCES: unreadable files and directories of the tree are counted, the rest is indexed",
  async () => {
    chmodSync(join(root, "quiet/1/q1.py"), 0);
    chmodSync(join(root, "quiet/2"), 0);
    const ran = await runInShell(":", ["index", "--json"], { cwd: root, env: box.env }, AS_ANYBODY);
    expect(ran.err).toBe("");
    expect(ran.json()).toMatchObject({ status: "published", file_count: 35, skipped_reasons: { unreadable: 2 } });
    chmodSync(join(root, "quiet/1/q1.py"), 0o600);
    chmodSync(join(root, "quiet/2"), 0o700);
    expect((await runWhole("sync", "--json")).json().file_count).toBe(40);
  },
  TIMEOUT_MS,
);

test.each([24, 32, 40, 64])(
  "EMFILE: with %i descriptors it works or fails, and loses nothing",
  async (limit) => {
    write(root, unchangedFiles(100));
    const ran = await runInShell(`ulimit -n ${limit}`, ["index"], { cwd: root, env: box.env });
    if (ran.code === 0) expect(ran.out).toContain(": 100 files,");
    else expectRefusal(ran, /too many open files|EMFILE|cannot be opened/i);
    await expectWorks();
    expect((await runWhole("sync", "--json")).json().file_count).toBe(100);
  },
  TIMEOUT_MS,
);

test(
  `ENOMEM: a heap of 256 MB is enough for ${MANY_FILES} files`,
  async () => {
    write(root, unchangedFiles(MANY_FILES));
    const env = { ...box.env, NODE_OPTIONS: "--max-old-space-size=256" };
    const ran = await codecompass(["index", "--json"], { cwd: root, env });
    expect(ran.err).toBe("");
    expect(ran.json().file_count).toBe(MANY_FILES);
  },
  TIMEOUT_MS,
);

test(
  "SIGTERM: a command exits with 130, a server drains and exits with 0, and the next run resumes",
  async () => {
    write(root, unchangedFiles(MANY_FILES));
    const stopped = await codecompass(["index"], {
      cwd: root,
      env: box.env,
      onStart: (child) => {
        const timer = setInterval(() => {
          if (storeLocation(box.home) === undefined) return;
          clearInterval(timer);
          child.kill("SIGTERM");
        }, 5);
        child.on("exit", () => clearInterval(timer));
      },
    });
    expect([0, 130]).toContain(stopped.code);
    expect(stopped.err).not.toMatch(/unhandled|uncaught|\n {4}at /);
    const server = startServer(["--workspace", root], box.env);
    await server.initialize();
    const left = new Promise<number | null>((resolve) => server.process.on("exit", resolve));
    const answer = server.tool("locate_symbol", { name: "quiet_7" });
    await server.tool("index_status");
    server.process.kill("SIGTERM");
    expect((await answer).metadata).toBeDefined();
    expect(await left).toBe(0);
    await expectWorks();
  },
  TIMEOUT_MS,
);

const CLOCKS = { "a year ago": -YEAR_MS, "in ten years": 10 * YEAR_MS } as const;

test.each(Object.entries(CLOCKS))(
  "a lease that was taken %s by a process that lives on a wrong clock does not block",
  async (_, shiftMs) => {
    expect((await runWhole("index")).code).toBe(0);
    const store = await storeAt({ ...systemEnv(), now: () => Date.now() + shiftMs });
    expect(await store.lease(systemEnv().self, 30_000)).toHaveProperty("lease");
    write(root, { "late.py": "def came_late(): pass\n" });
    expect((await run("sync", "--json")).json()).toMatchObject({ status: "published", changed_files: 1 });
    await store.close();
    await expectWorks();
  },
  TIMEOUT_MS,
);

test(
  "the lease of a dead process, or of a reused pid, does not block; that of a live process does",
  async () => {
    expect((await runWhole("index")).code).toBe(0);
    const store = await storeAt(systemEnv());
    const { pid, incarnation } = systemEnv().self;
    for (const owner of [
      { pid: 2 ** 22 - 1, incarnation },
      { pid, incarnation: "another boot" },
    ]) {
      expect(await store.lease(owner, 3_600_000)).toHaveProperty("lease");
      expect((await run("index", "--force")).code).toBe(0);
    }
    expect(await store.lease({ pid, incarnation }, 3_600_000)).toHaveProperty("lease");
    expectRefusal(await run("index", "--force"), /already running/);
    await store.close();
  },
  TIMEOUT_MS,
);

function storeAt(env: Env) {
  return sqliteStores({ env, hash: sha256 }).open(storeLocation(box.home)!, { create: true, project: PROJECT });
}

test(
  `files that become directories, FIFOs and links during indexing, ${RESTLESS_RUNS} runs: all finish, the last equals a fresh build`,
  async () => {
    const random = prng(15);
    expect((await runWhole("index")).code).toBe(0);
    for (let round = 0; round < RESTLESS_RUNS; round++) {
      const running = run("sync");
      let busy = true;
      void running.then(() => {
        busy = false;
      });
      while (busy) {
        become(join(root, `quiet/${pick(random, 10)}/q${pick(random, 40)}.py`), pick(random, 4), round);
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      expect(await running).toMatchObject({ code: 0, err: "" });
    }
    expect((await runWhole("sync")).code).toBe(0);
    const again = { ...box.env, CODECOMPASS_HOME: `${box.home}-again` };
    expect((await codecompass(["index"], { cwd: root, env: again })).code).toBe(0);
    expect(await publishedContents(box.home)).toEqual(await publishedContents(again.CODECOMPASS_HOME));
  },
  TIMEOUT_MS,
);

function become(path: string, kind: number, round: number): void {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(dirname(path), { recursive: true });
  if (kind === 0) mkdirSync(path);
  else if (kind === 1) execFileSync("mkfifo", [path]);
  else if (kind === 2) symlinkSync("/etc/passwd", path);
  else writeFileSync(path, `def again_${round}(): pass\n`);
}

test(
  "git gc, commits and branches during indexing, 3 runs: all finish, and the last shows the last commit",
  async () => {
    git(root, "init", "-q", "-b", "main");
    commit(root, "first");
    for (let round = 0; round < 3; round++) {
      const running = run("sync", "--json");
      write(root, { "moving.py": `def moved_${round}(): pass\n` });
      git(root, "checkout", "-q", "-B", `branch-${round % 2}`);
      commit(root, `round ${round}`);
      git(root, "gc", "-q", "--prune=now");
      const ran = await running;
      expect(`${ran.code} ${ran.err}`).toBe("0 ");
    }
    const last = await run("locate_symbol", "moved_2", "--json");
    expect(last.json()).toMatchObject({
      results: [{ name: "moved_2" }],
      metadata: { ref: "branch-0", freshness_status: "fresh" },
    });
  },
  TIMEOUT_MS,
);

test(
  "EPIPE: a server exits if its client stops reading; a command exits quietly if its reader is gone",
  async () => {
    expect((await runWhole("index")).code).toBe(0);
    const server = startServer(["--workspace", root], box.env);
    await server.initialize();
    const left = new Promise<number | null>((resolve) => server.process.on("exit", resolve));
    server.process.stdout.destroy();
    const timer = setInterval(() => server.send('{"jsonrpc":"2.0","id":9,"method":"ping"}'), 50);
    server.process.stdin.on("error", () => {});
    expect(await left).toBe(0);
    clearInterval(timer);
    expect(server.stderr()).not.toMatch(/unhandled|uncaught/);
    const ran = await codecompass(["search", "quiet"], {
      cwd: root,
      env: box.env,
      onStart: (child) => child.stdout?.destroy(),
    });
    expect(`${ran.code} ${ran.err}`).toMatch(/^0 10 of \d+ results; --limit 50 for more\n$/);
    await expectWorks();
  },
  TIMEOUT_MS,
);
