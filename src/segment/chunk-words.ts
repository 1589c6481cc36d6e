/** What the chunks of a segment say, as texts of words that every full text parser cuts at their spaces. */

import type { Segment } from "./read.ts";
import { hash64 } from "./symbol-keys.ts";

export interface ChunkText {
  /** Position in the segment. */
  readonly file: number;
  /** Each word as often as the chunk has it, in no order. */
  readonly words: string;
}

/** At least one for every file that is wanted, so that a file without words is known to have none. */
export function* chunkWords(segment: Segment, isWanted: (file: number) => boolean): Generator<ChunkText> {
  const { fileCount, fileChunks } = segment;
  const wanted = new Uint8Array(segment.chunkCount);
  for (let file = 0; file < fileCount; file++)
    if (isWanted(file)) wanted.fill(1, fileChunks[file]!, fileChunks[file + 1]!);
  const { terms, starts } = termsByChunk(segment, wanted);
  const spelt = Array.from({ length: segment.terms.size }, (_, at) => encodeTerm(segment.terms.at(at)));
  for (let file = 0; file < fileCount; file++) {
    if (!isWanted(file)) continue;
    const [from, to] = [fileChunks[file]!, fileChunks[file + 1]!];
    if (from === to) yield { file, words: "" };
    for (let chunk = from; chunk < to; chunk++) {
      const own = terms.subarray(starts[chunk], starts[chunk + 1]);
      yield { file, words: Array.from(own, (term) => spelt[term]).join(" ") };
    }
  }
}

/** A term in letters and digits, which no parser takes for a number, a path or two words. */
export function encodeTerm(term: string): string {
  if (/^[a-z]{1,64}$/.test(term)) return term;
  const { high, low } = hash64(term);
  return `q${high.toString(16)}q${low.toString(16)}`;
}

/** The lists of the terms turned round: of each chunk its terms, each as often as it is there. */
function termsByChunk({ chunkCount, postings, terms }: Segment, wanted: Uint8Array) {
  const starts = new Uint32Array(chunkCount + 1);
  for (let term = 0; term < terms.size; term++)
    postings.each(term, (chunk, count) => {
      if (wanted[chunk] === 1) starts[chunk + 1]! += count;
    });
  for (let chunk = 0; chunk < chunkCount; chunk++) starts[chunk + 1]! += starts[chunk]!;
  const next = starts.slice();
  const byChunk = new Uint32Array(starts[chunkCount]!);
  for (let term = 0; term < terms.size; term++)
    postings.each(term, (chunk, count) => {
      if (wanted[chunk] !== 1) return;
      byChunk.fill(term, next[chunk]!, next[chunk]! + count);
      next[chunk]! += count;
    });
  return { terms: byChunk, starts };
}
