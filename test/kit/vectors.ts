/** Files with hand-written vectors of four numbers per chunk. */
import type { FileBatch } from "../../src/ports/versions.ts";
import { encodeVectors } from "../../src/segment/stored-content.ts";
import { batchOf, type TextFile } from "./store.ts";

const DIMS = 4;
/** A model fingerprint. */
export const MODEL = "a".repeat(64);

/** A file with one chunk per vector. */
export interface VectorFile extends TextFile {
  readonly vectors: readonly (readonly number[])[];
}

export const vectorFile = (path: string, vectors: VectorFile["vectors"], language = "rust"): VectorFile => ({
  path,
  language,
  text: vectors.map((_, i) => `word${i}`).join("\n\n"),
  vectors,
});

export function encodeTestVectors(vectors: VectorFile["vectors"]): Uint8Array {
  const rows = Int8Array.from(vectors.flat());
  const scales = Float32Array.from(vectors, (row) => {
    const length = Math.hypot(...row);
    return length === 0 ? 0 : 1 / length;
  });
  return encodeVectors({ dims: DIMS, rows, scales });
}

export function vectorBatch(files: readonly VectorFile[], model = MODEL): FileBatch {
  const batch = batchOf(files);
  return {
    ...batch,
    model,
    files: batch.files.map((file, i) => ({ ...file, vectors: encodeTestVectors(files[i]!.vectors) })),
  };
}
