/** C1 and L2 for the store: killed writers lose nothing that they acknowledged, concurrent readers see complete states. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { systemEnv } from "../../src/adapters/env/system.ts";
import { sqliteStores } from "../../src/adapters/sqlite/stores.ts";
import type { Store } from "../../src/ports/store.ts";
import { PROJECT, sha256 } from "../kit/store.ts";

const base = mkdtempSync(join(tmpdir(), "codecompass-kill-"));
afterAll(() => rmSync(base, { recursive: true, force: true, maxRetries: 5 }));

/** For each kind of writer. */
const KILLS = process.env.CODECOMPASS_LONG ? 100 : 5;
const TIMEOUT_MS = 600_000;
const ENDLESS = 1_000_000;
const writer = fileURLToPath(new URL("./store-writer.ts", import.meta.url));
const open = (location: string) =>
  sqliteStores({ env: systemEnv(), hash: sha256 }).open(location, { create: false, project: PROJECT });

test.each(["update", "reset"])(
  `${KILLS} writers killed at any moment (%s): the last published state is complete`,
  async (mode) => {
    const location = join(base, mode);
    const store = await open(location);
    let acknowledged = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      acknowledged = Math.max(
        acknowledged,
        await killedAfter(1 + (kill % 3), (kill * 7) % 23, [location, String(kill * 1000), String(ENDLESS), mode]),
      );
      const state = await stateOf(store);
      expect(state.rounds).toHaveLength(1);
      expect(state.generation).toBeGreaterThanOrEqual(acknowledged);
      if (kill % 5 === 0) expect(await store.verify("full")).toEqual([]);
    }
    expect(await store.verify("full")).toEqual([]);
    await store.close();
  },
);

test(
  "a reader concurrent with a writer of 50 generations never sees two rounds at once",
  async () => {
    const location = join(base, "beside");
    const store = await open(location);
    let running = true;
    const done = run([location, "0", "50", "reset"]).then(() => {
      running = false;
    });
    const seen = new Set<string>();
    let newest = 0;
    while (running) {
      const state = await stateOf(store);
      expect(state.rounds.length).toBeLessThanOrEqual(1);
      expect(state.generation).toBeGreaterThanOrEqual(newest);
      newest = state.generation;
      for (const round of state.rounds) seen.add(round);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await done;
    expect((await stateOf(store)).rounds).toEqual(["round49"]);
    expect(seen.size).toBeGreaterThan(3);
    await store.close();
  },
  TIMEOUT_MS,
);

/** The rounds that a snapshot shows, by its texts, records and full text; more than one is a torn read. */
async function stateOf(store: Store): Promise<{ generation: number; rounds: string[] }> {
  const snapshot = await store.snapshot("main");
  if (snapshot === undefined) return { generation: 0, rounds: [] };
  try {
    const rounds = new Set<string>();
    const files = await snapshot.files();
    for (const file of files) rounds.add(/round\d+/.exec(await snapshot.text(file))![0]);
    const [round] = rounds;
    const { documentFrequency } = await snapshot.termStats([round!]);
    if (documentFrequency.get(round!) !== 2 * files.length) rounds.add("another round in the full text");
    for (const file of files) expect((await snapshot.record(file)).contentHash).toBe(file.contentHash);
    return { generation: snapshot.info.generation, rounds: [...rounds] };
  } finally {
    snapshot.release();
  }
}

/** Starts a writer and kills it some milliseconds after its nth publish; returns the last generation it acknowledged. */
function killedAfter(publications: number, delayMs: number, args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [writer, ...args], { stdio: ["ignore", "pipe", "pipe"] });
    let out = "";
    let errors = "";
    let armed = false;
    child.stderr.on("data", (data: Buffer) => {
      errors += data;
    });
    child.stdout.on("data", (data: Buffer) => {
      out += data;
      if (armed || out.split("\n").length <= publications) return;
      armed = true;
      setTimeout(() => child.kill("SIGKILL"), delayMs);
    });
    child.on("close", (_, signal) => {
      if (signal !== "SIGKILL") reject(new Error(`the writer ended by itself: ${errors}`));
      else
        resolve(
          Math.max(
            ...out
              .trimEnd()
              .split("\n")
              .map((line) => Number(line.split(" ")[1] ?? 0)),
          ),
        );
    });
  });
}

function run(args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [writer, ...args], { stdio: ["ignore", "ignore", "pipe"] });
    let errors = "";
    child.stderr.on("data", (data: Buffer) => {
      errors += data;
    });
    child.on("close", (code) => (code === 0 ? resolve() : reject(new Error(errors))));
  });
}
