import { expect, test } from "vitest";
import type { ContentHash } from "../model/ids.ts";
import type { Build } from "../ports/build.ts";
import type { IndexRequest } from "../ports/indexer.ts";
import type { GitObjects } from "../ports/vcs.ts";
import { EXTRACTOR, textOnly } from "./extractor.ts";
import { fetchBatch } from "./read-batch.ts";
import { commitSource } from "./tree-source.ts";

const BYTES = new TextEncoder().encode("fn a() {}\n");
const BLOB = "ab".repeat(20);

/** The form in which a parse worker gets a file of a commit. */
async function ready(read: GitObjects["read"]) {
  const request = { root: "/r", commit: "c", project: "p", settings: { maxFileBytes: 100 } } as unknown as IndexRequest;
  const build = { entries: async () => new Map() } as unknown as Build;
  const source = await commitSource(request, { build, objects: { read } as unknown as GitObjects, since: undefined });
  return source.ready([{ path: "a.rs", size: BYTES.length, stamp: BLOB }]);
}

test("content from git keeps its object id, and no worker computes it again", async () => {
  const tasks = await ready(async (_, stamp) => ({ ok: true, bytes: BYTES, stamp }));
  expect(tasks).toEqual([{ path: "a.rs", size: BYTES.length, stamp: BLOB, bytes: BYTES, blob: BLOB }]);
  const request = { root: "/r", project: "p", settings: { maxFileBytes: 100 }, tasks, blobs: "sha1" };
  const blobId = () => expect.unreachable();
  const { outcomes, fetched } = await fetchBatch(request as never, { blobId, hash: () => "hash" } as never);
  expect([outcomes, fetched.map(({ bytes }) => bytes)]).toEqual([[undefined], [BYTES]]);
});

test("of a commit that is shown already, files that were given up are looked at once more", async () => {
  const version = (extractor: string) => ({ contentHash: "h" as ContentHash, extractor });
  const entries = new Map<string, unknown>([
    ["good.rs", { path: "good.rs", version: version(EXTRACTOR) }],
    ["given-up.rs", { path: "given-up.rs", version: version(textOnly(EXTRACTOR)) }],
  ]);
  const request = { root: "/r", commit: "c", project: "p", settings: {} } as unknown as IndexRequest;
  const objects = { changed: async () => ["changed.rs"] } as unknown as GitObjects;
  const build = { entries: async () => entries } as unknown as Build;
  const { scope } = await commitSource(request, { build, objects, since: "b" });
  expect(scope.paths).toEqual(["changed.rs", "given-up.rs"]);
});

test("what git does not have is unreadable, whatever lies on the disk", async () => {
  const tasks = await ready(async () => ({ ok: false, reason: "unreadable" }));
  expect(tasks).toEqual([{ path: "a.rs", size: BYTES.length, stamp: BLOB, unreadable: true }]);
});
