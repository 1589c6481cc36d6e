/** The chunks of a file as the passages that a model embeds: the lines, and the path they stand at. */
import type { FileRecord } from "../model/code.ts";
import type { Passage } from "../model/vectors.ts";
import type { DocumentEncoder } from "../ports/embedder.ts";
import { encodeVectors } from "../segment/vectors.ts";
import { lineStarts, sliceLines } from "../text/lines.ts";

export function passagesOf({ path, chunks }: FileRecord, text: string): Passage[] {
  const starts = lineStarts(text);
  return chunks.map(({ lineStart, lineEnd }) => ({ text: sliceLines(text, lineStart, lineEnd, starts), path }));
}

/** As the store keeps them; nothing for a file without chunks. */
export function embedFile(
  record: FileRecord,
  text: string,
  encoder: DocumentEncoder | undefined,
): { readonly vectors?: Uint8Array } {
  if (encoder === undefined || record.chunks.length === 0) return {};
  return { vectors: encodeVectors(encoder.encode(passagesOf(record, text))) };
}
