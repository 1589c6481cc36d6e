import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { scratchDirectory } from "../../../test/kit/scratch.ts";
import {
  batchOf,
  PROJECT,
  publication,
  sha256,
  show,
  type TextFile,
  takeLease,
  testEnv,
} from "../../../test/kit/store.ts";
import type { Store } from "../../ports/store.ts";
import { keepingOf, packPart, unpackPart } from "./segment-compression.ts";
import { sqliteStores } from "./stores.ts";

const scratch = scratchDirectory("part-bytes");

const words = Uint8Array.from({ length: 4_000 }, (_, at) => at % 7);

test.each(["plain", "packed", "aside"] as const)("a part that is kept %s is read as it was", (keeping) => {
  const kept = packPart(words, keeping);
  expect([...unpackPart(kept)]).toEqual([...words]);
  expect(kept.length < words.length).toBe(keeping !== "plain");
});

test("small segments are packed whatever they hold", () => {
  expect([1, 4_096, 4_097].map((chunks) => keepingOf(chunks, () => false))).toEqual(["packed", "packed", "plain"]);
  expect(keepingOf(4_097, () => true)).toBe("aside");
});

/** As many segments as are merged into one, of more chunks together than a small one has. */
const FILES = 8;
const CHUNKS = 600;

const filesOf = (ref: string): TextFile[] =>
  Array.from({ length: FILES }, (_, file) => ({
    path: `${file}.c`,
    text: Array.from({ length: CHUNKS }, (_, at) => `def ${ref}_${file}_${at}`).join("\n\n"),
    language: "c",
  }));

async function publish(store: Store, ref: string, base?: string): Promise<void> {
  const lease = await takeLease(store);
  const build = await store.begin(lease, ref, "update", base === undefined ? {} : { base });
  const files = filesOf(ref);
  for (const file of files) await build.put(batchOf([file]));
  await build.publish(publication(files.map(show)));
  await store.gc(lease);
  await lease.release();
}

test("of large segments those that only other refs show are packed, and answer as before", async () => {
  const store = await sqliteStores({ env: testEnv(), hash: sha256 }).open(scratch, { create: true, project: PROJECT });
  await publish(store, "base");
  await publish(store, "branch", "base");
  const db = new Sqlite(join(scratch, "index.db"), { readonly: true });
  const sql = "SELECT chunks, sum(length(bytes) % 4 > 0) > 0 AS packed FROM segment JOIN segment_part ON segment = id";
  expect(db.prepare(`${sql} GROUP BY id ORDER BY id`).all()).toEqual([
    { chunks: FILES * CHUNKS, packed: 0 },
    { chunks: FILES * CHUNKS, packed: 1 },
  ]);
  db.close();
  for (const ref of ["base", "branch"]) {
    const snapshot = (await store.snapshot(ref))!;
    const found = await snapshot.symbols({ name: `${ref}_7_599`, match: "exact", limit: 5 });
    expect([ref, found.matched]).toEqual([ref, 1]);
    snapshot.release();
  }
  await store.close();
});
