/** Indexes of earlier releases: those of this schema still answer, others return an error that says what to do. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Sqlite from "better-sqlite3";
import { afterAll, expect, test } from "vitest";
import { SCHEMA_VERSION } from "../../src/adapters/sqlite/schema.ts";
import { sqliteStores } from "../../src/adapters/sqlite/stores.ts";
import { PROJECT, publishFiles, sha256, takeLease, testEnv } from "../kit/store.ts";
import { dumpAnswers, roundTree } from "../kit/store-answers.ts";

const base = mkdtempSync(join(tmpdir(), "codecompass-frozen-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const frozen = fileURLToPath(new URL("./frozen/", import.meta.url));
const stores = sqliteStores({ env: testEnv(), hash: sha256 });
const open = (location: string) => stores.open(location, { create: true, project: PROJECT });

function thawed(name: string, version = SCHEMA_VERSION): string {
  const location = join(base, name);
  cpSync(join(frozen, `v${version}`), location, { recursive: true });
  return location;
}

function alter(location: string, sql: string): void {
  const db = new Sqlite(join(location, "index.db"));
  db.exec(sql);
  db.close();
}

test("there is a frozen index of this schema", () => {
  const maker = fileURLToPath(new URL("./freeze.ts", import.meta.url));
  expect(readdirSync(frozen), `make it with: node ${maker}`).toContain(`v${SCHEMA_VERSION}`);
});

test("it opens, verifies and answers as it did", async () => {
  const location = thawed("answers");
  const expected = JSON.parse(readFileSync(join(location, "answers.json"), "utf8")) as Record<string, string>;
  const store = await open(location);
  expect(await store.inspect()).toMatchObject({ status: "compatible", currentVersion: SCHEMA_VERSION });
  expect(await store.verify("full")).toEqual([]);
  for (const [ref, answers] of Object.entries(expected)) expect(await dumpAnswers(store, ref)).toBe(answers);
  await store.close();
});

test("it can be written to and garbage collected", async () => {
  const store = await open(thawed("written"));
  await publishFiles(store, roundTree(5));
  await store.gc(await takeLease(store));
  expect(await store.verify("full")).toEqual([]);
  expect((await dumpAnswers(store))?.includes("round5")).toBe(true);
  await store.close();
});

test.each([SCHEMA_VERSION + 1, 99])("schema version %i must be rebuilt, and can be", async (version) => {
  const location = thawed(`other-${version}`);
  alter(location, `UPDATE meta SET value = '${version}' WHERE key = 'schema_version'`);
  const store = await open(location);
  const report = await store.inspect();
  expect(report).toMatchObject({
    status: "reindex_required",
    currentVersion: version,
    requiredVersion: SCHEMA_VERSION,
  });
  expect(report.message).toContain(`schema version ${version}`);
  await expect(store.snapshot("main")).rejects.toMatchObject({ code: "index_incompatible" });
  await expect(store.views()).rejects.toMatchObject({ code: "index_incompatible" });
  const lease = await takeLease(store);
  await expect(store.begin(lease, "main", "update")).rejects.toMatchObject({ code: "index_incompatible" });
  await lease.release();
  await publishFiles(store, roundTree(0), { mode: "reset" });
  expect((await store.inspect()).status).toBe("compatible");
  await store.close();
});

test.each([
  ["meta without a version", "DELETE FROM meta WHERE key = 'schema_version'"],
  ["no meta", "DROP TABLE meta"],
  ["another program's database", "PRAGMA application_id = 7"],
  ["a wrong digest", "UPDATE view SET digest = '1:2'"],
  ["a lost row", "DELETE FROM view_entry WHERE path = 'src/0/file0.rs'"],
  ["a row of another file", "UPDATE view_entry SET version = 3 WHERE path = 'src/0/file0.rs' AND closed IS NULL"],
  ["a changed language", "UPDATE file_version SET language = 'cobol'"],
])("%s is a corrupt manifest, never an answer", async (name, sql) => {
  const location = thawed(name);
  alter(location, sql);
  const store = await open(location);
  expect((await store.inspect()).status).toBe("corrupt_manifest");
  await expect(store.snapshot("main")).rejects.toMatchObject({ code: "index_incompatible" });
  await store.close();
});

test.each([
  ["a lost segment", "DELETE FROM segment WHERE id = 1"],
  [
    "segments that changed places",
    "UPDATE segment SET id = 9 WHERE id = 1; UPDATE segment SET id = 1 WHERE id = 2; UPDATE segment SET id = 2 WHERE id = 9",
  ],
])("%s refuses the full text", async (name, sql) => {
  const location = thawed(name);
  alter(location, sql);
  const store = await open(location);
  const snapshot = (await store.snapshot("main"))!;
  await expect(snapshot.lexical({ terms: [{ term: "common", weight: 1 }], limit: 5 })).rejects.toMatchObject({
    code: "index_incompatible",
  });
  await expect(snapshot.symbols({ name: "made1", match: "exact", limit: 5 })).rejects.toMatchObject({
    code: "index_incompatible",
  });
  snapshot.release();
  await store.close();
});
