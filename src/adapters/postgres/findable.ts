/**
 * What finds files across all repositories without opening a segment: the terms and the trigrams of each file version, as
 * the engine indexes them. Made from the segment that came with the files, so that every engine's words are the same.
 *
 * Nothing is ranked here: a repository that holds candidates is asked itself.
 */
import type { Segment } from "../../segment/read.ts";
import { type Field, int4, int8 } from "./copy.ts";
import type { Transaction } from "./db.ts";

/** The engine refuses longer words, and longer lists of them. */
const LONGEST_TERM_BYTES = 2_000;
const MOST_TERM_BYTES = 1_000_000;
const INT4 = 23;

/** `versions`: by file of the segment, 0 for files that are stored already. */
export async function putFindable(
  tx: Transaction,
  repo: number,
  versions: Uint32Array,
  segment: Segment,
): Promise<void> {
  const terms = termsOf(segment, versions);
  const trigrams = trigramsOf(segment, versions);
  await tx.copy(
    "codecompass.findable",
    "repo, version, terms, trigrams",
    Array.from(versions, (version, slot): Field[] => [
      int4(repo),
      int8(version),
      vectorOf(terms[slot]!),
      arrayOf(trigrams[slot]!),
    ]).filter((_, slot) => versions[slot] !== 0),
  );
}

function termsOf(segment: Segment, versions: Uint32Array): Buffer[][] {
  const fileOf = new Uint32Array(segment.chunkCount);
  for (let file = 0; file < segment.fileCount; file++)
    fileOf.fill(file, segment.fileChunks[file]!, segment.fileChunks[file + 1]!);
  const found: Buffer[][] = Array.from(versions, () => []);
  for (let at = 0; at < segment.terms.size; at++) {
    const term = Buffer.from(segment.terms.at(at));
    if (term.length === 0 || term.length > LONGEST_TERM_BYTES || term.includes(0)) continue;
    let last = -1;
    segment.postings.each(at, (chunk) => {
      const file = fileOf[chunk]!;
      if (file !== last && versions[file] !== 0) found[file]!.push(term);
      last = file;
    });
  }
  return found;
}

function trigramsOf(segment: Segment, versions: Uint32Array): number[][] {
  const found: number[][] = Array.from(versions, () => []);
  const walk = segment.trigrams.walk();
  for (; walk.trigram !== Number.POSITIVE_INFINITY; walk.next()) {
    const { trigram } = walk;
    walk.files((file) => {
      if (versions[file] !== 0) found[file]!.push(trigram);
    });
  }
  return found;
}

/** A tsvector without positions, in binary: its words, each with a NUL and no position. */
function vectorOf(terms: readonly Buffer[]): Buffer {
  const kept: Buffer[] = [];
  let size = 0;
  for (const term of terms) {
    if (size + term.length > MOST_TERM_BYTES) break;
    size += term.length;
    kept.push(term);
  }
  const bytes = Buffer.alloc(4 + size + 3 * kept.length);
  let at = bytes.writeInt32BE(kept.length);
  for (const term of kept) at += term.copy(bytes, at) + 3;
  return bytes;
}

/** An integer[] in binary. */
function arrayOf(numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(numbers.length === 0 ? 12 : 20 + 8 * numbers.length);
  bytes.writeInt32BE(numbers.length === 0 ? 0 : 1);
  bytes.writeInt32BE(INT4, 8);
  if (numbers.length === 0) return bytes;
  bytes.writeInt32BE(numbers.length, 12);
  let at = bytes.writeInt32BE(1, 16);
  for (const number of numbers) {
    at = bytes.writeInt32BE(4, at);
    at = bytes.writeInt32BE(number, at);
  }
  return bytes;
}
