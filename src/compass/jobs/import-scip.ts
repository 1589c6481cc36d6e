/** Adds what a compiler says of the project's files to its index, from a SCIP index. */
import { importScip } from "../../ingest/import-scip.ts";
import { withLease } from "../../ingest/run.ts";
import type { ScipImportReport } from "../../model/compiler-edges.ts";
import { CompassError } from "../../model/errors.ts";
import type { CompassPorts } from "../ports.ts";
import type { Tree } from "../projects/tree.ts";

export interface ScipFile {
  /** The bytes from the beginning, each time. */
  readonly open: () => AsyncIterable<Uint8Array>;
  /** The ref whose contents the documents are compared with; absent: what is checked out. */
  readonly ref?: string;
}

/** Refuses with `index_in_progress` while another process writes. */
export async function importScipFile(
  tree: Tree,
  { open, ref }: ScipFile,
  { stores, env, hash }: CompassPorts,
  signal: AbortSignal,
): Promise<ScipImportReport> {
  const { root, storeLocation } = tree.row;
  const { view } = await tree.resolve(ref);
  const store = await stores.open(storeLocation, { create: true, project: await tree.idsProject() });
  try {
    const at = await store.snapshot(view);
    if (at === undefined) throw new CompassError("index_not_ready", { workspace: root });
    try {
      const clock = { jobId: () => env.uniqueWord(), now: env.now() };
      return await withLease({ store, env }, signal, (lease, until) =>
        importScip({ store, lease, at, root, open, hash, ...clock, signal: until }),
      );
    } finally {
      at.release();
    }
  } finally {
    await store.close();
  }
}
