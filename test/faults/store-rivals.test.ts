/** L4 and L5 for the store: processes that start at once on a new index create one store and never write concurrently. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { systemEnv } from "../../src/adapters/env/system.ts";
import { sqliteStores } from "../../src/adapters/sqlite/stores.ts";
import { PROJECT, sha256 } from "../kit/store.ts";

const base = mkdtempSync(join(tmpdir(), "codecompass-rivals-"));
afterAll(() => rmSync(base, { recursive: true, force: true, maxRetries: 5 }));

const RIVALS = 8;
const ROUNDS_EACH = 3;
const rival = fileURLToPath(new URL("./store-rival.ts", import.meta.url));

test(`${RIVALS} competing writers take turns, and lose nothing`, async () => {
  const location = join(base, "index");
  const outputs = await Promise.all(
    Array.from({ length: RIVALS }, (_, at) => run([location, String(at), String(ROUNDS_EACH)])),
  );
  const generations = outputs.flatMap((out) => out.trim().split("\n").map(Number));
  expect(generations.sort((a, b) => a - b)).toEqual(Array.from({ length: RIVALS * ROUNDS_EACH }, (_, at) => at + 1));
  const store = await sqliteStores({ env: systemEnv(), hash: sha256 }).open(location, {
    create: false,
    project: PROJECT,
  });
  const snapshot = (await store.snapshot("main"))!;
  expect((await snapshot.files()).map((file) => file.path)).toEqual(
    Array.from({ length: RIVALS }, (_, at) => `${at}.rs`),
  );
  for (const file of await snapshot.files()) expect(await snapshot.text(file)).toContain(`round${ROUNDS_EACH - 1}`);
  snapshot.release();
  expect(await store.verify("full")).toEqual([]);
  await store.close();
}, 600_000);

function run(args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [rival, ...args], { stdio: ["ignore", "pipe", "pipe"] });
    const out = { text: "", errors: "" };
    child.stdout.on("data", (data: Buffer) => {
      out.text += data;
    });
    child.stderr.on("data", (data: Buffer) => {
      out.errors += data;
    });
    child.on("close", (code) => (code === 0 ? resolve(out.text) : reject(new Error(out.errors))));
  });
}
