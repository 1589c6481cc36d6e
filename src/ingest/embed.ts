/** Vectors of a file's chunks: while the file is read, or later for files of a published view that have none. */
import type { Build } from "../ports/build.ts";
import type { DocumentEncoder, Embedders } from "../ports/embedder.ts";
import type { IndexRequest } from "../ports/indexer.ts";
import type { Store } from "../ports/store.ts";
import type { FileVectors } from "../ports/versions.ts";
import { encodeVectors } from "../segment/stored-content.ts";
import { type CountedFile, chunkPassages } from "./document.ts";

/** Encoded for the store; empty for a file without chunks. */
export function embedFile(
  { record, words }: Pick<CountedFile, "record" | "words">,
  encoder: DocumentEncoder | undefined,
): { readonly vectors?: Uint8Array } {
  const { chunks, place } = words;
  if (encoder === undefined || chunks.length === 0) return {};
  const passages = chunks.map(({ lines, names }) => ({ parts: [lines, names, place], path: record.path }));
  return { vectors: encodeVectors(encoder.encode(passages)) };
}

export interface EmbedMissing {
  readonly request: IndexRequest;
  readonly store: Store;
  readonly build: Build;
  readonly embedders: Embedders;
  readonly signal: AbortSignal;
}

/** Files per write: finished files are durable, and a cancelled run resumes after them. */
const FILES_AT_ONCE = 16;

/**
 * Embeds the files of a published view that have no vectors of the configured model: after the model was changed, or where
 * the model runs in another process. The view is published first, so that full text search works meanwhile. Returns the
 * number of files; the next publication shows their vectors.
 */
export async function embedMissing({ request, store, build, embedders, signal }: EmbedMissing): Promise<number> {
  const opened = await embedders.open();
  if ("unavailable" in opened) return 0;
  const snapshot = await store.snapshot(request.ref);
  if (snapshot === undefined) return 0;
  try {
    const { embedder } = opened;
    const { fingerprint } = embedder.model;
    const missing = await snapshot.unembedded(fingerprint, Number.MAX_SAFE_INTEGER);
    // Only an explicit run switches to another model; afterwards changed files are embedded as they come.
    const isSwitch = request.mode !== "full" && missing.length >= (await snapshot.files()).length / 2;
    if (missing.length === 0 || isSwitch) return 0;
    for (let at = 0; at < missing.length; at += FILES_AT_ONCE) {
      signal.throwIfAborted();
      const vectors: FileVectors[] = [];
      for (const file of missing.slice(at, at + FILES_AT_ONCE)) {
        const passages = chunkPassages(await snapshot.record(file), await snapshot.text(file));
        if (passages.length === 0) continue;
        vectors.push({ file: file.id, vectors: encodeVectors(await embedder.documents(passages, signal)) });
      }
      await build.putVectors(fingerprint, vectors);
    }
    return missing.length;
  } finally {
    snapshot.release();
  }
}
