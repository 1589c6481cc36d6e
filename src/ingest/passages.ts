/** The chunks of a file as texts for whoever embeds them. */
import type { FileRecord } from "../model/code.ts";
import type { Passage } from "../model/vectors.ts";
import { lineStarts, sliceLines } from "../text/lines.ts";
import { chunkNames, pathLabel } from "./chunk-names.ts";

/**
 * Names of the symbols in and around the chunk, and the file's and directory's once more:
 * ranked by likeness alone, this makes NDCG@10 0.75 of 0.69 on the retrieval suite.
 */
export function chunkPassages({ path, symbols, chunks }: FileRecord, text: string): Passage[] {
  const starts = lineStarts(text);
  const place = pathLabel(path);
  return chunks.map((chunk) => {
    const lines = sliceLines(text, chunk.lineStart, chunk.lineEnd, starts);
    return { text: `${lines}\n${chunkNames(symbols, chunk)}\n${place}`, path };
  });
}
