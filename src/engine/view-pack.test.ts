import { dirname, join } from "node:path";
import Sqlite from "better-sqlite3";
import { beforeEach, expect, test } from "vitest";
import { misplacedStamp } from "../../test/kit/damage.ts";
import { scratchDirectory } from "../../test/kit/scratch.ts";
import {
  batchOf,
  PROJECT,
  publication,
  publishFiles,
  sha256,
  show,
  stamped,
  takeLease,
  testEnv,
} from "../../test/kit/store.ts";
import { sqliteStores } from "../adapters/sqlite/stores.ts";
import { isDamage } from "../model/errors.ts";
import type { Store } from "../ports/store.ts";
import { WORTH_PACKING } from "./view-pack.ts";

const scratch = scratchDirectory("pack");

const env = testEnv();
const stores = sqliteStores({ env, hash: sha256 });
const fileOf = (at: number, round = 0) => ({
  path: `src/${at % 7}/f${at}`,
  text: `def f${at}x${round} word`,
  language: at % 2 ? "go" : "c",
});
const FILES = Array.from({ length: WORTH_PACKING }, (_, at) => ({
  ...fileOf(at),
  ...(at === 3 && { problem: "parse_error" as const }),
}));
const SKIPS = [
  { path: "a.bin", skip: "binary" },
  { path: "b/", skip: "ignored" },
] as const;

let location: string;
let store: Store;
let made = 0;
beforeEach(async () => {
  location = join(scratch, `${++made}`, "stores", "one");
  store = await stores.open(location, { create: true, project: PROJECT });
  await publishFiles(store, FILES, { also: SKIPS, publication: { publishedAt: env.time } });
  return () => store.close();
});

/** What a process that starts now sees. */
async function seen() {
  const fresh = await stores.open(location, { create: false, project: PROJECT });
  const snapshot = (await fresh.snapshot("main"))!;
  const { info } = snapshot;
  const answer = {
    info,
    files: await snapshot.files(),
    skips: await Promise.all(SKIPS.map(({ path }) => snapshot.skipped(path))),
    problems: await snapshot.problems(9),
    named: (await snapshot.symbols({ name: "f", match: "prefix", limit: 9_999 })).candidates.map(({ name }) => name),
    stamps: [...(await snapshot.stamps(PROJECT))].sort(),
  };
  snapshot.release();
  await fresh.close();
  return answer;
}

function alter(sql: string): number {
  const db = new Sqlite(join(location, "index.db"));
  const { changes } = db.prepare(sql).run();
  db.close();
  return changes;
}

/** The same, read from the rows alone. */
async function seenWithoutPack() {
  expect(alter("DELETE FROM view_pack")).toBe(1);
  return seen();
}

test("a large view is the same from its pack and from its rows", async () => {
  const packed = await seen();
  expect(packed.files).toHaveLength(WORTH_PACKING);
  expect(packed.problems).toEqual([{ path: "src/3/f3", problem: "parse_error" }]);
  expect(packed).toEqual(await seenWithoutPack());
});

test("what was published after the pack shows", async () => {
  await publishFiles(store, [fileOf(5, 1), { path: "new", text: "def fresh" }], {
    also: [
      { path: "src/6/f6", removed: true },
      { path: "a.bin", removed: true },
    ],
  });
  const packed = await seen();
  expect(packed.named).toContain("f5x1");
  expect(packed.skips).toEqual([undefined, "ignored"]);
  expect(packed).toEqual(await seenWithoutPack());
});

test("it is used: a row that is lost is not missed by a reader, but by verify", async () => {
  const before = await seen();
  expect(alter("DELETE FROM view_entry WHERE path = 'src/2/f2'")).toBe(1);
  expect(await seen()).toEqual(before);
  expect((await store.verify("quick")).map(({ where }) => where)).toEqual(["view main"]);
});

test.each([
  ["damaged", "UPDATE view_pack SET bytes = substr(bytes, 1, 200) || x'00' || substr(bytes, 202)"],
  ["cut off", "UPDATE view_pack SET bytes = x'00'"],
  ["of no bytes", "UPDATE view_pack SET bytes = 'text'"],
])("a pack that is %s is none", async (_, sql) => {
  const before = await seen();
  expect(alter(sql)).toBe(1);
  expect(await seen()).toEqual(before);
});

test("gc leaves a pack from which the present can be reached, or none", async () => {
  for (let round = 1; round < 4; round++)
    await publishFiles(store, [fileOf(1, round)], { publication: { publishedAt: env.time } });
  env.time += 24 * 3_600_000;
  const lease = await takeLease(store);
  await store.gc(lease);
  await lease.release();
  await publishFiles(store, [fileOf(2, 9)]);
  const packed = await seen();
  expect(packed.named).toContain("f1x3");
  expect(packed).toEqual(await seenWithoutPack());
});

test("a view over another is the same whether that one has a pack or not", async () => {
  const lease = await takeLease(store);
  const build = await store.begin(lease, "other", "update", { base: "main" });
  await build.put(batchOf([fileOf(7, 1)]));
  await build.publish(publication([show(fileOf(7, 1))]));
  await lease.release();
  await publishFiles(store, [fileOf(8, 1)]);
  const filesOf = async () => {
    const fresh = await stores.open(location, { create: false, project: PROJECT });
    const files = await (await fresh.snapshot("other"))!.files();
    await fresh.close();
    return files;
  };
  const packed = await filesOf();
  expect(packed).toHaveLength(WORTH_PACKING);
  alter("DELETE FROM view_pack");
  expect(packed).toEqual(await filesOf());
});

test("stamps of a large tree are known from their pack and from later rows", async () => {
  const lease = await takeLease(store);
  const build = await store.begin(lease, "main", "update");
  await build.restamp(PROJECT, [...FILES.map((file, at) => stamped(file, `s${at}`)), { ...SKIPS[0], stamp: "b1" }]);
  await build.restamp(PROJECT, [stamped(FILES[4]!, "later")]);
  const stamps = new Map((await seen()).stamps);
  expect([stamps.get("src/4/f4"), stamps.get("src/5/f5"), stamps.get("a.bin"), stamps.get("b/")]).toEqual([
    "later",
    "s5",
    "b1",
    undefined,
  ]);
  expect((await build.stamps(PROJECT)).get("src/4/f4")).toEqual(stamped(FILES[4]!, "later"));
  await store.gc(lease);
  expect(new Map((await seen()).stamps)).toEqual(stamps);
  expect(alter("UPDATE stamp_pack SET bytes = substr(bytes, 1, 100) || x'00' || substr(bytes, 102)")).toBe(1);
  expect(new Map((await seen()).stamps).get("src/5/f5")).toBe("");
});

test("stamps behind a row with a damaged key are not packed: their files would stay stale", async () => {
  const stampAll = async (files: typeof FILES, stamp: string) => {
    const lease = await takeLease(store);
    const build = await store.begin(lease, "main", "update");
    const stamps = files.map((file) => stamped(file, stamp));
    await build.restamp(PROJECT, stamps).finally(() => lease.release());
  };
  await stampAll(FILES.slice(0, 100), "before");
  await store.close();
  misplacedStamp(0).apply(dirname(dirname(location)));
  store = await stores.open(location, { create: true, project: PROJECT });
  await expect(stampAll(FILES, "after")).rejects.toSatisfy(isDamage);
});
