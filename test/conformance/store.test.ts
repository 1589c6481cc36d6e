import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { memoryStores } from "../../src/adapters/memory/stores.ts";
import { sqliteStores } from "../../src/adapters/sqlite/stores.ts";
import { plainKernel } from "../../src/embed/kernel.ts";
import { sha256 } from "../kit/store.ts";
import { describeDense } from "./dense.ts";
import { describeStore } from "./store.ts";

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
