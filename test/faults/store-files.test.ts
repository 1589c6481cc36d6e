/** C10 and S15: files that disappear, change or are not files under a running store, and their permissions. */
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { sqliteStores } from "../../src/adapters/sqlite/stores.ts";
import { PROJECT, publishFiles, sha256, takeLease, testEnv } from "../kit/store.ts";
import { dumpAnswers, roundTree } from "../kit/store-answers.ts";

const base = mkdtempSync(join(tmpdir(), "codecompass-files-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const stores = sqliteStores({ env: testEnv(), hash: sha256 });
const open = (name: string, create = true) => stores.open(join(base, name), { create, project: PROJECT });

test.each(["the directory", "the database"])(
  "%s is deleted under a reader: not indexed, never an empty answer",
  async (what) => {
    const name = what.replace(" ", "-");
    const store = await open(name);
    await publishFiles(store, roundTree(0));
    const reader = await open(name, false);
    const held = (await reader.snapshot("main"))!;
    const before = await dumpAnswers(reader);
    if (what === "the directory") rmSync(join(base, name), { recursive: true });
    else for (const suffix of ["", "-wal", "-shm"]) rmSync(join(base, name, `index.db${suffix}`), { force: true });
    expect(await reader.snapshot("main")).toBeUndefined();
    expect((await reader.inspect()).status).toBe("not_indexed");
    expect(await held.text((await held.files())[0]!)).toBe(roundTree(0)[0]!.text);
    held.release();
    await publishFiles(store, roundTree(0));
    expect(await dumpAnswers(reader)).toBe(before);
    await reader.close();
    await store.close();
  },
);

test("an index rebuilt by another process is detected at the next query", async () => {
  const store = await open("rebuilt");
  await publishFiles(store, roundTree(0));
  const reader = await open("rebuilt", false);
  const held = (await reader.snapshot("main"))!;
  await publishFiles(store, roundTree(1), { mode: "reset" });
  const now = (await reader.snapshot("main"))!;
  expect(now.info.generation).toBe(held.info.generation + 1);
  expect(await now.text((await now.files())[0]!)).toContain("round1");
  expect(await held.text((await held.files())[0]!)).toContain("round0");
  held.release();
  now.release();
  await reader.close();
  await store.close();
});

test("an index file swapped for another is read again", async () => {
  const [one, two] = [await open("one"), await open("two")];
  await publishFiles(one, roundTree(1));
  await publishFiles(two, roundTree(2));
  await two.close();
  const reader = await open("one", false);
  expect((await dumpAnswers(reader))?.includes("round1")).toBe(true);
  await one.close();
  for (const suffix of ["-wal", "-shm"]) rmSync(join(base, "one", `index.db${suffix}`), { force: true });
  renameSync(join(base, "two", "index.db"), join(base, "one", "index.db"));
  expect((await dumpAnswers(reader))?.includes("round2")).toBe(true);
  await reader.close();
});

test("a directory in place of the database is damage, not an empty index", async () => {
  const store = await open("odd");
  mkdirSync(join(base, "odd", "index.db"), { recursive: true });
  expect((await store.inspect()).status).toBe("corrupt_manifest");
  await expect(store.snapshot("main")).rejects.toMatchObject({ name: "CompassError" });
  await store.close();
});

test("every file is readable by its owner only", async () => {
  const store = await open("private");
  await publishFiles(store, roundTree(0), { mode: "reset" });
  expect(statSync(join(base, "private")).mode & 0o777).toBe(0o700);
  const modes = readdirSync(join(base, "private")).map(
    (name) => `${name}: ${(statSync(join(base, "private", name)).mode & 0o777).toString(8)}`,
  );
  expect(modes.length).toBeGreaterThan(2);
  for (const mode of modes) expect(mode).toMatch(/: 600$/);
  await store.close();
});

test("the write-ahead log does not grow with many publishes", async () => {
  const store = await open("log");
  for (let round = 0; round < 60; round++) await publishFiles(store, roundTree(round));
  const log = readdirSync(join(base, "log")).find((name) => name.endsWith("-wal"));
  expect(statSync(join(base, "log", log!)).size).toBeLessThan(24 << 20);
  await store.close();
});

test("garbage is removed, and the file shrinks", async () => {
  const env = testEnv();
  const store = await sqliteStores({ env, hash: sha256 }).open(join(base, "shrinks"), {
    create: true,
    project: PROJECT,
  });
  for (let round = 0; round < 30; round++)
    await publishFiles(store, roundTree(round), { publication: { publishedAt: env.time } });
  const before = await dumpAnswers(store);
  env.time += 86_400_000;
  const report = await store.gc(await takeLease(store));
  expect(report.versionsRemoved).toBe(29 * 24);
  expect(report.bytesFreed).toBeGreaterThan(100_000);
  expect(await dumpAnswers(store)).toBe(before);
  expect(await store.verify("full")).toEqual([]);
  await store.close();
});
