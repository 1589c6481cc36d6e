/**
 * What finds repositories by words without opening a segment: the terms of each file version, as the engine indexes them.
 * Made from the segment that came with the files, so that every engine's words are the same.
 *
 * Nothing is ranked here: a repository that holds candidates is asked itself.
 */
import type { Segment } from "../../segment/read.ts";
import type { Transaction } from "./asking.ts";
import { type Field, int4, int8 } from "./copy.ts";

/** The engine refuses longer words, and longer lists of them. */
const LONGEST_TERM_BYTES = 2_000;
const MOST_TERM_BYTES = 1_000_000;

/** `versions`: by file of the segment, 0 for files that are stored already. */
export async function putFindable(
  tx: Transaction,
  repo: number,
  versions: Uint32Array,
  segment: Segment,
): Promise<void> {
  const terms = termsOf(segment, versions);
  await tx.copy(
    "codecompass.findable",
    "repo, version, terms",
    Array.from(versions, (version, slot): Field[] => [int4(repo), int8(version), terms[slot]!.finish()]).filter(
      (_, slot) => versions[slot] !== 0,
    ),
  );
}

function termsOf(segment: Segment, versions: Uint32Array): TermList[] {
  const fileOf = new Uint32Array(segment.chunkCount);
  for (let file = 0; file < segment.fileCount; file++)
    fileOf.fill(file, segment.fileChunks[file]!, segment.fileChunks[file + 1]!);
  const found = Array.from(versions, () => new TermList());
  for (let at = 0; at < segment.terms.size; at++) {
    const term = segment.terms.bytesAt(at);
    if (term.length === 0 || term.length > LONGEST_TERM_BYTES || term.includes(0)) continue;
    let last = -1;
    segment.postings.each(at, (chunk) => {
      const file = fileOf[chunk]!;
      if (file !== last && versions[file] !== 0) found[file]!.add(term);
      last = file;
    });
  }
  return found;
}

/** Half of all files have fewer than 400 words. */
const FIRST_BYTES = 4 << 10;

/**
 * A tsvector without positions, in binary: its words, each with a NUL and no position. Written as it is sent, since a list
 * of terms a file cost the job's thread a third of its time (`index` of Django: 1.7 of 5.0 s, its garbage apart).
 */
class TermList {
  #bytes = new Uint8Array(FIRST_BYTES);
  #at = 4;
  #count = 0;
  #isFull = false;

  add(term: Uint8Array): void {
    this.#isFull ||= this.#at + term.length - 4 - 3 * this.#count > MOST_TERM_BYTES;
    if (this.#isFull) return;
    this.#reserve(term.length + 3);
    // A million words of a few bytes: a call to copy one takes longer than its bytes.
    for (let i = 0; i < term.length; i++) this.#bytes[this.#at + i] = term[i]!;
    this.#at += term.length + 3;
    this.#count++;
  }

  finish(): Uint8Array {
    new DataView(this.#bytes.buffer).setInt32(0, this.#count);
    return this.#bytes.subarray(0, this.#at);
  }

  #reserve(more: number): void {
    if (this.#at + more <= this.#bytes.length) return;
    const wider = new Uint8Array(Math.max(this.#bytes.length * 2, this.#at + more));
    wider.set(this.#bytes);
    this.#bytes = wider;
  }
}
