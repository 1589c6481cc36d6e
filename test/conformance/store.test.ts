import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, test } from "vitest";
import { postgresStores } from "../../src/adapters/postgres/stores.ts";
import { sqliteStores } from "../../src/adapters/sqlite/stores.ts";
import { plainKernel } from "../../src/embed/kernel.ts";
import { memoryStores } from "../kit/memory/stores.ts";
import { testDatabase } from "../kit/postgres.ts";
import { sha256, type TestEnv } from "../kit/store.ts";
import { describeDense } from "./dense.ts";
import { describeStore, type Engine } from "./store.ts";

const base = mkdtempSync(join(tmpdir(), "codecompass-stores-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

let places = 0;
const freshLocation = () => join(base, `store-${++places}`);

describeStore("memory", (env) => ({ stores: memoryStores({ env }), freshLocation }));
describeStore("sqlite", (env) => ({ stores: sqliteStores({ env, hash: sha256 }), freshLocation }));

describeDense("memory", (env) => ({ stores: memoryStores({ env }), freshLocation }));
describeDense("sqlite", (env) => ({ stores: sqliteStores({ env, hash: sha256 }), freshLocation }));
describeDense("sqlite without WebAssembly", (env) => ({
  stores: sqliteStores({ env, hash: sha256, kernelOf: plainKernel }),
  freshLocation,
}));

const database = await testDatabase();
if ("skip" in database) {
  describe("store: postgres", () => test.skip(database.skip, () => {}));
} else {
  afterAll(() => database.drop());
  const engine = (env: TestEnv): Engine => ({
    // The suite moves the clock by hand.
    stores: postgresStores({ url: database.url, env, clock: async () => env.now(), connections: 4 }),
    freshLocation,
  });
  describeStore("postgres", engine);
  describeDense("postgres", engine);
}
