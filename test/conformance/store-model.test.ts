/** Random sequences of publish, collect, rebuild and reopen: each engine answers as the plain store does. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { postgresStores } from "../../src/adapters/postgres/stores.ts";
import { sqliteStores } from "../../src/adapters/sqlite/stores.ts";
import type { Snapshot, ViewChange } from "../../src/ports/snapshot.ts";
import type { Store, StoreOpener } from "../../src/ports/store.ts";
import { onTestDatabase } from "../kit/database-tests.ts";
import { plainStores } from "../kit/plain-store/stores.ts";
import { PROJECT, publishFiles, sha256, type TestEnv, type TextFile, takeLease, testEnv } from "../kit/store.ts";
import { dumpAnswers, snapshotContents } from "../kit/store-answers.ts";

const base = mkdtempSync(join(tmpdir(), "codecompass-model-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const REFS = ["main", "feature/x"];
const path = fc.constantFrom("a.rs", "b/c.go", "b/d.go", "e");
const text = fc
  .array(fc.constantFrom("def mine", "def Made", "common", "token1", "filler", "\n\n"), { maxLength: 12 })
  .map((words) => words.join(" "));
const edit = fc.record({
  path,
  what: fc.oneof({ weight: 4, arbitrary: text }, fc.constant("removed"), fc.constant("skipped")),
});
const publish = fc.record({
  do: fc.constantFrom("update", "update", "update", "reset"),
  ref: fc.constantFrom(...REFS),
  edits: fc.array(edit, { maxLength: 4 }),
});
const step = fc.oneof(
  { weight: 5, arbitrary: publish },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("gc"), later: fc.constantFrom(0, 86_400_000) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("reopen") }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("hold"), ref: fc.constantFrom(...REFS) }) },
);

let lives = 0;

const lifeOf = (storesOf: (env: TestEnv) => StoreOpener) => async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10 }), async (steps) => {
      const env = testEnv();
      const openers = [storesOf(env), plainStores({ env })];
      const location = join(base, `life-${++lives}`);
      const open = () =>
        Promise.all(openers.map((stores) => stores.open(location, { create: true, project: PROJECT })));
      let stores = await open();
      const held: { snapshot: Snapshot; answers: string }[] = [];
      for (const it of steps) {
        if ("edits" in it) for (const store of stores) await apply(store, it);
        else if ("later" in it) {
          env.time += it.later;
          for (const store of stores) await collect(store);
        } else if ("ref" in it) held.push(...(await hold(stores[0]!, it.ref)));
        else {
          for (const { snapshot } of held.splice(0)) snapshot.release();
          for (const store of stores) await store.close();
          stores = await open();
        }
        for (const ref of REFS) expect(await dumpAnswers(stores[0]!, ref)).toBe(await dumpAnswers(stores[1]!, ref));
        for (const { snapshot, answers } of held)
          expect(JSON.stringify(await snapshotContents(snapshot))).toBe(answers);
      }
      expect(await stores[0]!.verify("full")).toEqual([]);
      for (const { snapshot } of held) snapshot.release();
      for (const store of stores) await store.close();
      await openers[0]!.remove(location);
      rmSync(location, { recursive: true, force: true });
    }),
    { numRuns: process.env.CODECOMPASS_LONG ? 500 : 20 },
  );
};

const said = "answers equal the plain store's after every step";
test(
  `sqlite: ${said}`,
  lifeOf((env) => sqliteStores({ env, hash: sha256 })),
  600_000,
);

await onTestDatabase((database) => {
  afterAll(() => database.drop());
  const { url } = database;
  test(
    `postgres: ${said}`,
    lifeOf((env) => postgresStores({ url, env, clock: async () => env.now(), connections: 4 })),
    600_000,
  );
});

async function apply(
  store: Store,
  it: { do: string; ref: string; edits: { path: string; what: string }[] },
): Promise<void> {
  const edits = new Map(it.edits.map((edit) => [edit.path, edit.what]));
  const files: TextFile[] = [];
  const also: ViewChange[] = [];
  for (const [path, what] of edits) {
    if (what === "removed") also.push({ path, removed: true });
    else if (what === "skipped") also.push({ path, skip: "binary" });
    else files.push({ path, text: what, language: path.endsWith("go") ? "go" : "rust" });
  }
  await publishFiles(store, files, { ref: it.ref, mode: it.do === "reset" ? "reset" : "update", also });
}

async function collect(store: Store): Promise<void> {
  const lease = await takeLease(store);
  await store.gc(lease);
  await lease.release();
}

async function hold(store: Store, ref: string): Promise<{ snapshot: Snapshot; answers: string }[]> {
  const snapshot = await store.snapshot(ref);
  return snapshot ? [{ snapshot, answers: JSON.stringify(await snapshotContents(snapshot)) }] : [];
}
