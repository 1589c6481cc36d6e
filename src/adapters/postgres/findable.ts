/**
 * What finds files across all repositories without opening a segment: the terms and the trigrams of each file version, as
 * the engine indexes them. Made from the segment that came with the files, so that every engine's words are the same.
 *
 * Nothing is ranked here: a repository that holds candidates is asked itself.
 */
import type { Segment } from "../../segment/read.ts";
import type { Transaction } from "./asking.ts";
import { type Field, int4, int8 } from "./copy.ts";

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
      terms[slot]!.finish(),
      trigrams[slot]!.finish(),
    ]).filter((_, slot) => versions[slot] !== 0),
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

function trigramsOf(segment: Segment, versions: Uint32Array): NumberList[] {
  const found = Array.from(versions, () => new NumberList());
  const walk = segment.trigrams.walk();
  for (; walk.trigram !== Number.POSITIVE_INFINITY; walk.next()) {
    const { trigram } = walk;
    walk.files((file) => {
      if (versions[file] !== 0) found[file]!.add(trigram);
    });
  }
  return found;
}

/**
 * A field that grows at its end; written as it is sent, since a list of terms a file cost the job's thread a third of its
 * time (`index` of Django into PostgreSQL: 1.7 of 5.0 s, its garbage apart).
 */
class GrowingField {
  protected bytes = new Uint8Array(FIRST_BYTES);
  protected view = new DataView(this.bytes.buffer);
  protected at: number;
  protected count = 0;

  constructor(headBytes: number) {
    this.at = headBytes;
  }

  protected reserve(more: number): void {
    if (this.at + more <= this.bytes.length) return;
    const wider = new Uint8Array(Math.max(this.bytes.length * 2, this.at + more));
    wider.set(this.bytes);
    this.bytes = wider;
    this.view = new DataView(wider.buffer);
  }
}

/** Half of all files have fewer than 400 words and 1,000 trigrams. */
const FIRST_BYTES = 4 << 10;

/** A tsvector without positions, in binary: its words, each with a NUL and no position. */
class TermList extends GrowingField {
  #size = 0;
  #isFull = false;

  constructor() {
    super(4);
  }

  add(term: Uint8Array): void {
    this.#isFull ||= this.#size + term.length > MOST_TERM_BYTES;
    if (this.#isFull) return;
    this.reserve(term.length + 3);
    // A million words of a few bytes: a call to copy one takes longer than its bytes.
    for (let i = 0; i < term.length; i++) this.bytes[this.at + i] = term[i]!;
    this.at += term.length + 3;
    this.#size += term.length;
    this.count++;
  }

  finish(): Uint8Array {
    this.view.setInt32(0, this.count);
    return this.bytes.subarray(0, this.at);
  }
}

/** An integer[] in binary. */
class NumberList extends GrowingField {
  constructor() {
    super(20);
  }

  add(number: number): void {
    this.reserve(8);
    this.bytes[this.at + 3] = 4;
    this.view.setInt32(this.at + 4, number);
    this.at += 8;
    this.count++;
  }

  finish(): Uint8Array {
    this.view.setInt32(0, this.count === 0 ? 0 : 1);
    this.view.setInt32(8, INT4);
    if (this.count === 0) return this.bytes.subarray(0, 12);
    this.view.setInt32(12, this.count);
    this.view.setInt32(16, 1);
    return this.bytes.subarray(0, this.at);
  }
}
