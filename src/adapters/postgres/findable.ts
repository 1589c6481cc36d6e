/**
 * What finds files across all repositories without opening a segment: the terms and the trigrams of each bunch of file
 * versions, as the engine indexes them. Made from the segment that holds the files, so that every engine's words are the same.
 *
 * Nothing is ranked here: a repository that holds candidates is asked itself.
 */
import { type Bunches, bunchesOf, Masks, NONE } from "../../segment/bunch.ts";
import type { Segment } from "../../segment/read.ts";
import type { Transaction } from "./asking.ts";
import { int2, int4, int8 } from "./copy.ts";
import { readWhole } from "./merging.ts";
import type { Place } from "./repository.ts";
import { wordsOf } from "./segments.ts";

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
  const bunches = bunchesOf(versions, segment);
  const terms = termsOf(segment, bunches);
  const masks = masksOf(segment, bunches);
  await tx.copy(
    "codecompass.findable",
    "repo, version, files, terms, trigrams, masks",
    bunches.list.map(({ first, files }, at) => [
      int4(repo),
      int8(first),
      int2(files),
      terms[at]!.finish(),
      numbers(masks[at]!.trigrams),
      // The trigrams of the bunch are those of its only file.
      files === 1 ? null : masks[at]!.placed(),
    ]),
  );
}

/** Bunches without a file that is left. */
export async function forgetFindable(tx: Transaction, repo: number): Promise<void> {
  await tx.run(
    `DELETE FROM codecompass.findable f WHERE f.repo = $1 AND NOT EXISTS (SELECT 1 FROM codecompass.file_version v
      WHERE v.repo = $1 AND v.id BETWEEN f.version AND f.version + f.files - 1)`,
    [repo],
  );
}

/** Bunches of which most files are gone: what is left of them is found by rows of its own. */
export async function rewriteFindable(tx: Transaction, { repo, epoch }: Place): Promise<void> {
  const sql = `SELECT f.version AS first, array_agg(v.id::integer) AS left FROM codecompass.findable f
    JOIN codecompass.file_version v ON v.repo = $1 AND v.id BETWEEN f.version AND f.version + f.files - 1
    WHERE f.repo = $1 AND v.epoch = $2 AND f.files > 1 GROUP BY f.version, f.files HAVING 2 * count(*) < f.files`;
  const dead = await tx.rows<{ first: number; left: number[] }>(sql, [repo, epoch]);
  if (dead.length === 0) return;
  const left = new Set(dead.flatMap((bunch) => bunch.left));
  const firsts = dead.map(({ first }) => first);
  await tx.run("DELETE FROM codecompass.findable WHERE repo = $1 AND version = ANY($2)", [repo, firsts]);
  const listed = await tx.rows<{ id: number; versions: Buffer }>(
    "SELECT id, versions FROM codecompass.segment WHERE repo = $1 AND epoch = $2",
    [repo, epoch],
  );
  for (const { id, versions } of listed) {
    const own = wordsOf(versions).map((version) => (left.has(version) ? version : 0));
    if (own.every((version) => version === 0)) continue;
    const [stored] = await readWhole(tx, repo, [id]);
    await putFindable(tx, repo, own, stored!.segment);
  }
}

function termsOf(segment: Segment, { list, of }: Bunches): TermList[] {
  const bunchOf = new Int32Array(segment.chunkCount);
  for (let file = 0; file < segment.fileCount; file++)
    bunchOf.fill(of[file]!, segment.fileChunks[file]!, segment.fileChunks[file + 1]!);
  const found = list.map(() => new TermList());
  for (let at = 0; at < segment.terms.size; at++) {
    const term = segment.terms.bytesAt(at);
    if (term.length === 0 || term.length > LONGEST_TERM_BYTES || term.includes(0)) continue;
    let last = NONE;
    segment.postings.each(at, (chunk) => {
      const bunch = bunchOf[chunk]!;
      if (bunch !== last && bunch !== NONE) found[bunch]!.add(term);
      last = bunch;
    });
  }
  return found;
}

function masksOf(segment: Segment, { list, of }: Bunches): Masks[] {
  const found = list.map(({ files }) => new Masks(files));
  const places = placesOf(of);
  const walk = segment.trigrams.walk();
  for (; walk.trigram !== Number.POSITIVE_INFINITY; walk.next()) {
    const { trigram } = walk;
    let [last, mask] = [NONE, 0];
    walk.files((file) => {
      const bunch = of[file]!;
      if (bunch === NONE) return;
      if (bunch !== last) {
        if (last !== NONE) found[last]!.add(trigram, mask);
        last = bunch;
        mask = 0;
      }
      mask |= 1 << places[file]!;
    });
    if (last !== NONE) found[last]!.add(trigram, mask);
  }
  return found;
}

/** By file of the segment, which one of its bunch it is. */
function placesOf(of: Int32Array): Uint8Array {
  const places = new Uint8Array(of.length);
  let [last, next] = [NONE, 0];
  for (let file = 0; file < of.length; file++) {
    if (of[file] === NONE) continue;
    if (of[file] !== last) next = 0;
    last = of[file]!;
    places[file] = next++;
  }
  return places;
}

/** Half of all bunches have fewer than 1,500 words. */
const FIRST_BYTES = 16 << 10;

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

/** An integer[] in binary. */
function numbers(list: Uint32Array): Uint8Array {
  if (list.length === 0) return Buffer.concat([int4(0), int4(0), int4(INT4)]);
  const view = new DataView(new ArrayBuffer(20 + 8 * list.length));
  for (const [i, word] of [1, 0, INT4, list.length, 1].entries()) view.setInt32(4 * i, word);
  for (let i = 0; i < list.length; i++) {
    view.setInt32(20 + 8 * i, 4);
    view.setInt32(24 + 8 * i, list[i]!);
  }
  return new Uint8Array(view.buffer);
}
