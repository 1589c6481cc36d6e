/** The write path's hold on the store: batches become durable one by one and visible together. */
import type { Build, Publication } from "../../ports/build.ts";
import type { Lease } from "../../ports/lease.ts";
import type { VersionKey } from "../../ports/versions.ts";
import type { ViewEntry } from "../../ports/view.ts";
import type { Clock } from "./clock.ts";
import type { Db } from "./db.ts";
import { refusing } from "./failures.ts";
import { requireLease } from "./lease.ts";
import { baseFor, publishedBy, publishView } from "./publish.ts";
import { hexBytes, putBatch, putVectors, requireFit, versionIds } from "./put-batch.ts";
import type { Asking, Transaction } from "./query-interface.ts";
import type { Place } from "./repository.ts";
import { knownStamps, restamp } from "./stamps.ts";
import { loadShown, loadWhole, readView } from "./view-state.ts";

export interface BuildOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly place: Place;
  readonly ref: string;
  readonly lease: Lease;
  readonly after: number;
  readonly base?: string;
  /** A rebuild after damage does not believe what is stored. */
  readonly trust: "trust" | "distrust";
  /** Runs a named I/O step between its failpoints. */
  readonly step: <T>(name: string, run: () => Promise<T>) => Promise<T>;
  /** Called inside the publishing transaction: a reset turns to its epoch here. */
  readonly onPublishing: (tx: Transaction) => Promise<void>;
  readonly onAbort: () => Promise<void>;
}

export function buildOf(options: BuildOptions): Build {
  const { db, place, ref, step, clock } = options;
  let putChunks = 0;
  const reading = <T>(read: () => Promise<T>) => refusing("reading the index", db.address, read);
  const writing = <T>(name: string, write: (tx: Transaction) => Promise<T>): Promise<T> =>
    refusing(`writing the index (${name})`, db.address, () =>
      step(name, () =>
        db.transaction(async (tx) => {
          await requireLease(tx, place.repo, options.lease);
          return write(tx);
        }),
      ),
    );
  return {
    entries: (paths) => reading(() => entriesOf(db, options, paths)),
    recall: (blobs, extractor) => reading(() => recalled(db, place, blobs, extractor)),
    known: (keys) => reading(async () => new Set((await versionIds(db, place, keys)).keys())),
    put: async (batch) => {
      requireFit(batch);
      putChunks += batch.files.reduce((sum, file) => sum + file.chunkCount, 0);
      const { trust } = options;
      await writing("put", async (tx) => putBatch(tx, batch, { place, now: await clock(tx), trust, putChunks }));
    },
    putVectors: (model, files) => writing("vectors", (tx) => putVectors(tx, place.repo, model, files)),
    stamps: (tree, paths) => reading(() => knownStamps(db, place, tree, paths)),
    restamp: (tree, stamps) => writing("restamp", (tx) => restamp(tx, place, tree, stamps)),
    publish: async (publication: Publication) => {
      const before = await reading(() => publishedBy(db, place.repo, publication.jobId));
      if (before !== undefined) return before;
      return writing("publish", async (tx) => {
        // Asked again: the connection may have been lost after the commit and before its answer.
        const already = await publishedBy(tx, place.repo, publication.jobId);
        if (already !== undefined) return already;
        const generation = await publishView(tx, publication, { place, ref, after: options.after, base: options.base });
        await options.onPublishing(tx);
        await step("commit", async () => {});
        return generation;
      });
    },
    abort: () => refusing("discarding a build", db.address, options.onAbort),
  };
}

/** What the view shows now; a new one begins with what its base shows. */
async function entriesOf(
  db: Db,
  { place, ref, base }: BuildOptions,
  paths?: readonly string[],
): Promise<ReadonlyMap<string, ViewEntry>> {
  const row = (await readView(db, place, ref)) ?? (await baseFor(db, place, base));
  const entries = new Map<string, ViewEntry>();
  if (row === undefined) return entries;
  const ask = { asking: db, repo: place.repo, paths };
  const { files, skips } = await loadShown(ask, row, (view, generation) => loadWhole(ask, view, generation));
  for (const [path, skip] of skips) entries.set(path, { path, skip });
  for (const [path, { contentHash, extractor }] of files) {
    entries.set(path, { path, version: { path, contentHash, extractor } });
  }
  return entries;
}

async function recalled(
  asking: Asking,
  { repo, epoch }: Place,
  blobs: Parameters<Build["recall"]>[0],
  extractor: string,
): Promise<ReadonlyMap<string, VersionKey>> {
  const sql = `SELECT v.path, encode(v.hash, 'hex') AS hash
    FROM unnest($4::text[], $5::bytea[]) AS k (path, blob)
    JOIN codecompass.file_version v
      ON v.repo = $1 AND v.epoch = $2 AND v.extractor = $3 AND v.git_blob = k.blob AND v.path = k.path`;
  const rows = await asking.rows<{ path: string; hash: VersionKey["contentHash"] }>(sql, [
    repo,
    epoch,
    extractor,
    blobs.map(({ path }) => path),
    blobs.map(({ blob }) => hexBytes(blob)),
  ]);
  return new Map(rows.map(({ path, hash }) => [path, { path, contentHash: hash, extractor }]));
}
