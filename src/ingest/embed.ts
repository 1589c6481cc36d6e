/** The chunks of a file as the passages that a model embeds: the lines, and what they are called. */
import type { DocumentEncoder } from "../ports/embedder.ts";
import type { EarlierVersion } from "../ports/versions.ts";
import { encodeVectors } from "../segment/vectors.ts";
import type { IndexedFile } from "./index-file.ts";
import { embeddedBefore, encodeOthers } from "./reuse-vectors.ts";

/** As the store keeps them; nothing for a file without chunks. */
export function embedFile(
  file: Pick<IndexedFile, "record" | "text" | "words">,
  encoder: DocumentEncoder | undefined,
  earlier?: EarlierVersion,
): { readonly vectors?: Uint8Array } {
  const { chunks, place } = file.words;
  if (encoder === undefined || chunks.length === 0) return {};
  const { path } = file.record;
  const passages = chunks.map(({ lines, names }) => ({ parts: [lines, names, place], path }));
  const before = earlier && embeddedBefore(earlier, encoder.model.fingerprint);
  const vectors =
    before === undefined
      ? encoder.encode(passages)
      : encodeOthers(file, before, (others) => encoder.encode(others.map((chunk) => passages[chunk]!)));
  return { vectors: encodeVectors(vectors) };
}
