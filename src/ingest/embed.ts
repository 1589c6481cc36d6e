/** The chunks of a file as the passages that a model embeds: the lines, and what they are called. */
import type { DocumentEncoder } from "../ports/embedder.ts";
import { encodeVectors } from "../segment/vectors.ts";
import type { FileWords } from "./document.ts";

/** As the store keeps them; nothing for a file without chunks. */
export function embedFile(
  path: string,
  { chunks, place }: FileWords,
  encoder: DocumentEncoder | undefined,
): { readonly vectors?: Uint8Array } {
  if (encoder === undefined || chunks.length === 0) return {};
  const passages = chunks.map(({ lines, names }) => ({ parts: [lines, names, place], path }));
  return { vectors: encodeVectors(encoder.encode(passages)) };
}
