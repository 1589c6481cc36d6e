/** The write path's hold on the store: batches become durable one by one and visible together. */
import { statSync } from "node:fs";
import { dirname } from "node:path";
import { SMALL_CHUNKS } from "../../engine/merge-policy.ts";
import type { Build, Publication } from "../../ports/build.ts";
import type { Lease } from "../../ports/lease.ts";
import type { Connection } from "./connection.ts";
import { earlierOf } from "./earlier-versions.ts";
import { refusing } from "./failures.ts";
import { requireFence } from "./fencing-token.ts";
import { entriesOf, knownOf, recalled } from "./known-versions.ts";
import { tidySegments } from "./merging.ts";
import { publishedBy, publishView } from "./publish.ts";
import { type PutOptions, put } from "./put-batch.ts";
import { knownStamps, restamp } from "./stamps.ts";
import { putVectors } from "./vectors.ts";

export interface BuildOptions extends PutOptions {
  readonly db: Connection;
  readonly lease: Lease;
  readonly after: number;
  /** Runs a named I/O step between its failpoints. */
  readonly step: <T>(name: string, run: () => T) => T;
  /** Throws unless the lease is the newest and still held. */
  readonly requireLease: () => void;
  /** Called once the publication is committed: a reset turns the pointer here. */
  readonly onPublished: () => void;
  readonly onAbort: () => void;
}

/** A log larger than this is written back and cut after a publish. */
const LARGE_WAL_BYTES = 8 << 20;
/** Writing back waits this long for readers, which are quick; if they are not, the next one does it. */
const CHECKPOINT_WAIT_MS = 200;

export function buildOf(options: BuildOptions): Build {
  const { db, ref, step } = options;
  let putChunks = 0;
  const refusingWrite = <T>(name: string, write: () => T): T =>
    refusing(`writing the index (${name})`, write, dirname(db.path));
  const writing = <T>(name: string, write: () => T): T =>
    refusingWrite(name, () => {
      options.requireLease();
      return step(name, () =>
        db.writing(() => {
          requireFence(db, options.lease);
          return write();
        }),
      );
    });
  return {
    entries: async (paths) =>
      refusing("reading the index", () => db.reading(() => entriesOf(db, ref, options.base, paths))),
    recall: async (blobs, extractor) =>
      refusing("reading the index", () => db.reading(() => recalled(db, blobs, extractor))),
    known: async (keys) => refusing("reading the index", () => db.reading(() => knownOf(db, keys))),
    earlier: async (keys) => refusing("reading the index", () => db.reading(() => earlierOf(db, keys))),
    put: async (batch) => {
      putChunks += batch.files.reduce((sum, file) => sum + file.chunkCount, 0);
      writing("put", () => {
        put(db, batch, options);
        // A large build may make large segments: they are paid for once, by the work that needs them.
        tidySegments(db, Math.max(SMALL_CHUNKS, 2 * putChunks));
      });
    },
    putVectors: async (model, files) => writing("vectors", () => putVectors(db, model, files)),
    stamps: async (tree, paths) => refusing("reading the index", () => db.reading(() => knownStamps(db, tree, paths))),
    restamp: async (tree, stamps) => writing("restamp", () => restamp(db, tree, stamps)),
    publish: async (publication: Publication) => {
      const before = refusing("reading the index", () => publishedBy(db, publication.jobId));
      if (before !== undefined) return before;
      const generation = writing("publish", () => {
        const published = publishView(db, publication, options);
        step("commit", () => {});
        return published;
      });
      refusingWrite("publish", () => step("checkpoint", () => checkpoint(db)));
      refusingWrite("publish", options.onPublished);
      return generation;
    },
    abort: async () => options.onAbort(),
  };
}

/** Writes the log back into the database and cuts it, as far as readers let it; failing to is harmless. */
export function checkpoint(db: Connection, when: "large" | "always" = "large"): void {
  if (when === "large" && (statSync(`${db.path}-wal`, { throwIfNoEntry: false })?.size ?? 0) < LARGE_WAL_BYTES) return;
  db.pragma(`busy_timeout = ${CHECKPOINT_WAIT_MS}`);
  db.pragma("wal_checkpoint(TRUNCATE)");
  db.pragma("busy_timeout = 10000");
}
