import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { beforeEach, expect, test } from "vitest";
import { scratchDirectory } from "../../../test/kit/scratch.ts";
import {
  batchOf,
  keyOf,
  PROJECT,
  publication,
  sha256,
  show,
  type TextFile,
  takeLease,
  testEnv,
  testRecord,
} from "../../../test/kit/store.ts";
import type { Store } from "../../ports/store.ts";
import type { StoredFile } from "../../ports/versions.ts";
import { encodeVectors } from "../../segment/stored-content.ts";
import { sqliteStores } from "./stores.ts";

const scratch = scratchDirectory("similarity");

const env = testEnv();
const stores = sqliteStores({ env, hash: sha256 });
const MODEL = "a".repeat(64);
const DIMS = 64;
/** Collection leaves what is younger. */
const GRACE_MS = 10 * 60_000;
const LINES = 300;

/** One line of many is another one in each version. */
function version(round: number, path = "src/large.c"): TextFile {
  const lines = Array.from(
    { length: LINES },
    (_, at) => `def f${at}x${at === round ? `n${round}` : 0} ${sha256(`${at}`)}`,
  );
  return { path, text: lines.join("\n\n"), language: "c", uses: lines.map((line) => line.slice(4, 20)) };
}

function vectorsOf(file: TextFile): Uint8Array {
  const rows = Int8Array.from(file.text.split("\n\n").flatMap((line) => [...Buffer.from(sha256(line))]));
  return encodeVectors({ dims: DIMS, rows, scales: new Float32Array(LINES).fill(1) });
}

async function publish(
  store: Store,
  ref: string,
  file: TextFile,
  base?: string,
  as = (it: StoredFile): StoredFile => it,
): Promise<void> {
  const lease = await takeLease(store);
  const build = await store.begin(lease, ref, "update", base === undefined ? {} : { base });
  const { files, segment } = batchOf([file]);
  await build.put({ files: files.map((it) => ({ ...as(it), vectors: vectorsOf(file) })), segment, model: MODEL });
  await build.publish(publication([show(file)], { publishedAt: env.time }));
  await lease.release();
}

let location: string;
let store: Store;
let made = 0;
beforeEach(async () => {
  location = join(scratch, `${++made}`);
  store = await stores.open(location, { create: true, project: PROJECT });
  return () => store.close();
});

function inside<T>(read: (db: Sqlite.Database) => T): T {
  const db = new Sqlite(join(location, "index.db"));
  try {
    return read(db);
  } finally {
    db.close();
  }
}

const sizes = (db: Sqlite.Database) =>
  [
    "SELECT length(text) AS n FROM content",
    "SELECT length(bytes) AS n FROM record",
    "SELECT length(bytes) AS n FROM facts",
    "SELECT length(bytes) AS n FROM vectors",
  ].map((sql) => (db.prepare(sql).all() as { n: number }[]).map(({ n }) => n));

/** Everything that is stored of the file, as a process that starts now reads it. */
async function read(ref: string) {
  const fresh = await stores.open(location, { create: false, project: PROJECT });
  const snapshot = (await fresh.snapshot(ref))!;
  const [file] = await snapshot.files();
  const query = new Float32Array(DIMS).fill(1);
  const answer = {
    text: await snapshot.text(file!),
    record: await snapshot.record(file!),
    facts: (await snapshot.facts([file!]))[0]!,
    near: (await snapshot.dense({ model: MODEL, vector: query, limit: 500 })).embedded,
    findings: await fresh.verify("full"),
  };
  snapshot.release();
  await fresh.close();
  return answer;
}

async function dumped(of: Store): Promise<StoredFile[]> {
  const dump = await of.dump();
  const files: StoredFile[] = [];
  const plain = (bytes: Uint8Array) => Uint8Array.from(bytes);
  for await (const { text, record, facts, ...rest } of dump.files())
    files.push({ ...rest, text: plain(text), record: plain(record), facts: plain(facts) });
  dump.release();
  return files;
}

test("a version is kept over the one that the view or its base shows, and reads as itself", async () => {
  await publish(store, "base", version(0));
  for (const [at, ref] of ["one", "two", "three"].entries()) await publish(store, ref, version(at + 1), "base");
  await publish(store, "three", version(9), "base");
  for (const [first, ...others] of inside(sizes)) {
    expect(others).toHaveLength(4);
    for (const other of others) expect(other).toBeLessThan(first! / 4);
  }
  for (const [ref, round] of [
    ["base", 0],
    ["one", 1],
    ["two", 2],
    ["three", 9],
  ] as const) {
    const { text, record, facts, near, findings } = await read(ref);
    expect({ text, record, near, findings }).toEqual({
      text: version(round).text,
      record: testRecord(version(round)),
      near: LINES,
      findings: [],
    });
    expect(facts.names).toEqual(version(round).uses!.toSorted());
  }
});

test("what others are kept over stays when no view shows it any more, and goes with the last of them", async () => {
  await publish(store, "main", version(0));
  await publish(store, "main", version(1));
  let others = 200;
  const collect = async () => {
    env.time += 2 * GRACE_MS;
    // A later publication, so that the one before it is settled.
    await publish(store, "other", version(++others, "src/other.c"));
    env.time += 2 * GRACE_MS;
    const lease = await takeLease(store);
    await store.gc(lease);
    await lease.release();
  };
  await collect();
  const versions = () =>
    inside((db) => db.prepare("SELECT count(*) AS n FROM file_version WHERE path = 'src/large.c'").get());
  expect(versions()).toEqual({ n: 1 });
  expect(await read("main")).toMatchObject({ text: version(1).text, near: LINES, findings: [] });
  const lease = await takeLease(store);
  await store.forget(lease, ["main"]);
  await lease.release();
  await collect();
  expect(inside((db) => db.prepare("SELECT hash FROM content").all())).not.toContainEqual({
    hash: keyOf(version(0)).contentHash,
  });
});

test("an archive holds the same bytes, whatever a version was kept over", async () => {
  await publish(store, "main", version(0));
  await publish(store, "main", version(1));
  const alone = await stores.open(join(scratch, "alone"), { create: true, project: PROJECT });
  await publish(alone, "main", version(1));
  expect(await dumped(store)).toEqual(await dumped(alone));
  await alone.close();
});

test("a version whose base is damaged or another one is said to be damaged", async () => {
  await publish(store, "main", version(0));
  await publish(store, "side", version(5, "src/other.c"));
  await publish(store, "main", version(1));
  inside((db) => db.prepare("UPDATE kept_over SET base = base + 1").run());
  const fresh = await stores.open(location, { create: false, project: PROJECT });
  expect((await fresh.verify("full")).length).toBeGreaterThan(0);
  const snapshot = (await fresh.snapshot("main"))!;
  const [file] = await snapshot.files();
  await expect(async () => snapshot.text(file!)).rejects.toMatchObject({ code: "index_incompatible" });
  snapshot.release();
  await fresh.close();
});

test("an index that was made before versions were kept over others takes them from now on", async () => {
  await publish(store, "main", version(0));
  await store.close();
  inside((db) => db.exec("DROP TABLE kept_over"));
  store = await stores.open(location, { create: true, project: PROJECT });
  expect(await read("main")).toMatchObject({ text: version(0).text, findings: [] });
  await publish(store, "main", version(1));
  expect(await read("main")).toMatchObject({ text: version(1).text, findings: [] });
});
