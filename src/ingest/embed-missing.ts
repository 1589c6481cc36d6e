/**
 * Gives vectors of the configured model to files of a published view that have none: after another model was chosen, or
 * where the model lives elsewhere and files could not be embedded while they were read. The view is published first:
 * whoever searches meanwhile finds by words.
 */

import type { Build } from "../ports/build.ts";
import type { Embedder, Embedders } from "../ports/embedder.ts";
import type { IndexRequest } from "../ports/indexer.ts";
import type { Snapshot } from "../ports/snapshot.ts";
import type { Store } from "../ports/store.ts";
import type { FileVectors } from "../ports/versions.ts";
import type { FileRow } from "../ports/view.ts";
import { encodeVectors } from "../segment/vectors.ts";
import { chunkPassages } from "./passages.ts";

export interface EmbedMissing {
  readonly request: IndexRequest;
  readonly store: Store;
  readonly build: Build;
  readonly embedders: Embedders;
  readonly signal: AbortSignal;
}

/** Files at a time: what is done is durable, and a cancelled run goes on from there. */
const FILES_AT_ONCE = 16;
const ALL = Number.MAX_SAFE_INTEGER;

/** How many files got vectors; they are shown by the next publication. */
export async function embedMissing({ request, store, build, embedders, signal }: EmbedMissing): Promise<number> {
  const answer = await embedders.open();
  if ("unavailable" in answer) return 0;
  const snapshot = await store.snapshot(request.ref);
  if (snapshot === undefined) return 0;
  try {
    const { embedder } = answer;
    const missing = await snapshot.unembedded(embedder.model.fingerprint, ALL);
    if (missing.length === 0 || !(await shouldEmbed(request, missing, snapshot))) return 0;
    for (let at = 0; at < missing.length; at += FILES_AT_ONCE) {
      signal.throwIfAborted();
      const vectors = await embedFiles(missing.slice(at, at + FILES_AT_ONCE), embedder, snapshot, signal);
      await build.putVectors(embedder.model.fingerprint, vectors);
    }
    return missing.length;
  } finally {
    snapshot.release();
  }
}

/** Another model is taken up by an explicit run only; after that, edits are embedded as they come. */
async function shouldEmbed({ mode }: IndexRequest, missing: readonly FileRow[], snapshot: Snapshot): Promise<boolean> {
  return mode === "full" || missing.length < (await snapshot.files()).length / 2;
}

async function embedFiles(
  files: readonly FileRow[],
  embedder: Embedder,
  snapshot: Snapshot,
  signal: AbortSignal,
): Promise<FileVectors[]> {
  const found: FileVectors[] = [];
  for (const file of files) {
    const passages = chunkPassages(await snapshot.record(file), await snapshot.text(file));
    if (passages.length === 0) continue;
    found.push({ file: file.id, vectors: encodeVectors(await embedder.documents(passages, signal)) });
  }
  return found;
}
