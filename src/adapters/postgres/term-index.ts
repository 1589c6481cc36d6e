/**
 * What finds files across all repositories without opening a segment: the terms (with their tiers) and the trigrams of each
 * bunch of file versions, as the engine indexes them. Made from the segment that holds the files, so that every engine's words are the same.
 *
 * Nothing is ranked here: a repository that holds candidates is asked itself.
 */
import { fetchParts, StoredSegment } from "../../engine/segments.ts";
import {
  type FileGroups,
  type FileRange,
  groupFiles,
  MASK_SLOTS,
  maskBytes,
  maskSlot,
  NONE,
} from "../../segment/file-groups.ts";
import type { Segment } from "../../segment/read.ts";
import { halfSaturation, scoreTier } from "../../segment/score.ts";
import { PostgresContent } from "./content.ts";
import { int2, int4, int8 } from "./copy.ts";
import type { Transaction } from "./queryable.ts";
import type { EpochAddress } from "./repository.ts";

/** The engine refuses longer words. */
const LONGEST_TERM_BYTES = 2_000;

/** Larger rows lie outside of their table, and are two looks instead of one. */
const ROW_BYTES = 1_900;

/** `versions`: by file of the segment, 0 for files that are stored already. */
export async function putFindable(
  tx: Transaction,
  repo: number,
  versions: Uint32Array,
  segment: Segment,
  bunches = groupFiles(versions, segment),
): Promise<void> {
  const masks = new RunMasks(versions, bunches);
  const terms = termsOf(segment, bunches);
  const trigrams = trigramsOf(segment, bunches, masks);
  await tx.copy(
    "codecompass.findable",
    "repo, version, files, words, trigrams, run, run_files, run_places",
    bunches.list.map(({ first, files, run }, at) => [
      int4(repo),
      int8(first),
      int2(files),
      terms[at]!.finish(),
      trigrams[at]!.finish(),
      // The trigrams of the bunch are those of its only file.
      ...(files === 1 ? [null, null, null] : [int8(run.first), int4(run.files), int2(placesInRow(run))]),
    ]),
  );
  for (const [run, bits] of masks.runs) await putMasks(tx, repo, run, bits);
}

async function putMasks(tx: Transaction, repo: number, run: FileRange, bits: Uint8Array): Promise<void> {
  const size = placesInRow(run) * maskBytes(run);
  await tx.copy(
    "codecompass.mask",
    "repo, run, at, bits",
    Array.from({ length: bits.length / size }, (_, at) => [
      int4(repo),
      int8(run.first),
      int4(at),
      bits.subarray(at * size, (at + 1) * size),
    ]),
  );
}

/** A power of two, so that every row has as many. */
function placesInRow(run: FileRange): number {
  let places = MASK_SLOTS;
  while (places > 1 && places * maskBytes(run) > ROW_BYTES) places /= 2;
  return places;
}

/** Bunches without a file that is left, and the masks of such runs. */
export async function forgetFindable(tx: Transaction, repo: number): Promise<void> {
  await tx.run(
    `DELETE FROM codecompass.findable f WHERE f.repo = $1 AND NOT EXISTS (SELECT 1 FROM codecompass.file_version v
      WHERE v.repo = $1 AND v.id BETWEEN f.version AND f.version + f.files - 1)`,
    [repo],
  );
  await forgetMasks(tx, repo);
}

async function forgetMasks(tx: Transaction, repo: number): Promise<void> {
  await tx.run(
    `DELETE FROM codecompass.mask m WHERE m.repo = $1
      AND m.run NOT IN (SELECT f.run FROM codecompass.findable f WHERE f.repo = $1 AND f.run IS NOT NULL)`,
    [repo],
  );
}

/** Bunches of which most files are gone: each that is left is found by a row of its own. */
export async function rewriteFindable(tx: Transaction, { repo, epoch }: EpochAddress): Promise<void> {
  const sql = `SELECT f.version AS first, array_agg(v.id::integer) AS left FROM codecompass.findable f
    JOIN codecompass.file_version v ON v.repo = $1 AND v.id BETWEEN f.version AND f.version + f.files - 1
    WHERE f.repo = $1 AND v.epoch = $2 AND f.files > 1 GROUP BY f.version, f.files HAVING 2 * count(*) < f.files`;
  const dead = await tx.rows<{ first: number; left: number[] }>(sql, [repo, epoch]);
  if (dead.length === 0) return;
  const left = new Set(dead.flatMap((bunch) => bunch.left));
  const firsts = dead.map(({ first }) => first);
  await tx.run("DELETE FROM codecompass.findable WHERE repo = $1 AND version = ANY($2)", [repo, firsts]);
  await forgetMasks(tx, repo);
  const content = new PostgresContent(tx, { repo, epoch, uid: "" });
  for (const row of await content.rows("segments", { except: [] })) {
    const stored = new StoredSegment(row);
    const own = stored.versions.map((version) => (left.has(version) ? version : 0));
    if (own.every((version) => version === 0)) continue;
    await fetchParts(content, [stored], stored.kinds);
    await putFindable(tx, repo, own, stored.segment, groupFiles(own, stored.segment, 1));
  }
}

/** The masks of all runs of a segment. */
class RunMasks {
  readonly runs = new Map<FileRange, Uint8Array>();
  /** All of them, and a byte that is nobody's. */
  readonly #bits: Uint8Array;
  /** By file: where its bit lies in the first mask, and how many bytes further in the next. */
  readonly #byteAt: Uint32Array;
  readonly #width: Uint32Array;
  readonly #bit: Uint8Array;

  constructor(versions: Uint32Array, { list, of }: FileGroups) {
    const starts = new Map<FileRange, number>();
    let end = 0;
    for (const { files, run } of list) {
      if (files === 1 || starts.has(run)) continue;
      starts.set(run, end);
      end += MASK_SLOTS * maskBytes(run);
    }
    this.#bits = new Uint8Array(end + 1);
    for (const [run, at] of starts) this.runs.set(run, this.#bits.subarray(at, at + MASK_SLOTS * maskBytes(run)));
    this.#byteAt = new Uint32Array(of.length).fill(end);
    this.#width = new Uint32Array(of.length);
    this.#bit = new Uint8Array(of.length);
    for (const [file, bunch] of of.entries()) {
      const run = list[bunch]?.run;
      const start = run && starts.get(run);
      if (start === undefined) continue;
      const place = versions[file]! - run!.first;
      this.#byteAt[file] = start + (place >>> 3);
      this.#width[file] = maskBytes(run!);
      this.#bit[file] = 1 << (place & 7);
    }
  }

  /** For the first `count` files. */
  set(place: number, files: Uint32Array, count: number): void {
    for (let i = 0; i < count; i++) {
      const file = files[i]!;
      this.#bits[this.#byteAt[file]! + place * this.#width[file]!]! |= this.#bit[file]!;
    }
  }
}

/** Each word with the tier of the bunch's best chunk behind it, so that the words stay sorted. */
function termsOf(
  { terms, postings, chunkCount, chunkLengths, fileCount, fileChunks }: Segment,
  { list, of }: FileGroups,
) {
  const bunchOf = new Int32Array(chunkCount);
  for (let file = 0; file < fileCount; file++) bunchOf.fill(of[file]!, fileChunks[file]!, fileChunks[file + 1]!);
  const halves = Float64Array.from(chunkLengths, halfSaturation);
  const found = list.map(() => new TermList());
  const chunks = new Uint32Array(chunkCount);
  const counts = new Uint32Array(chunkCount);
  const { bytes, starts } = terms;
  for (let at = 0; at < terms.size; at++) {
    const [from, to] = [starts[at]!, starts[at + 1]!];
    if (!isTerm(bytes, from, to)) continue;
    const end = postings.copyTo(at, 0, chunks, counts, 0);
    let bunch = NONE;
    let best = 0;
    for (let i = 0; i < end; i++) {
      const chunk = chunks[i]!;
      const own = bunchOf[chunk]!;
      if (own === NONE) continue;
      if (own !== bunch) {
        if (bunch !== NONE) found[bunch]!.add(bytes, from, to, tierByte(scoreTier(best)));
        bunch = own;
        best = 0;
      }
      const share = counts[i]! / (counts[i]! + halves[chunk]!);
      if (share > best) best = share;
    }
    if (bunch !== NONE) found[bunch]!.add(bytes, from, to, tierByte(scoreTier(best)));
  }
  return found;
}

/** No word has such a byte, and none is less than those that words have. */
export function tierByte(tier: number): number {
  return tier + 1;
}

function isTerm(bytes: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (bytes[i] === 0) return false;
  return to > from && to - from <= LONGEST_TERM_BYTES;
}

function trigramsOf(segment: Segment, { list, of }: FileGroups, masks: RunMasks): NumberList[] {
  const found = list.map(() => new NumberList());
  const files = new Uint32Array(segment.fileCount);
  const walk = segment.trigrams.walk();
  for (; walk.trigram !== Number.POSITIVE_INFINITY; walk.next()) {
    const { trigram } = walk;
    const count = walk.copyTo(files);
    masks.set(maskSlot(trigram), files, count);
    eachOwner(of, files, count, (bunch) => found[bunch]!.add(trigram));
  }
  return found;
}

function eachOwner(owners: Int32Array, numbers: Uint32Array, count: number, visit: (owner: number) => void): void {
  let last = NONE;
  for (let i = 0; i < count; i++) {
    const owner = owners[numbers[i]!]!;
    if (owner === last || owner === NONE) continue;
    visit(owner);
    last = owner;
  }
}

const FIRST_BYTES = 16 << 10;

class Growing {
  protected bytes = new Uint8Array(FIRST_BYTES);
  protected view = new DataView(this.bytes.buffer);

  /** Makes room up to `end`; what is new is zero. */
  protected reserve(end: number): void {
    if (end <= this.bytes.length) return;
    const wider = new Uint8Array(Math.max(this.bytes.length * 2, end));
    wider.set(this.bytes);
    this.bytes = wider;
    this.view = new DataView(wider.buffer);
  }
}

/** The engine refuses longer ones. */
const MOST_TERM_BYTES = 1_000_000;

/** A tsvector without positions: its words, each with a NUL and the number of its positions. */
export class TermList extends Growing {
  #at = 4;
  #count = 0;
  #isFull = false;

  /** The word is `text[from, to)` and a last byte. */
  add(text: Uint8Array, from: number, to: number, last: number): void {
    const length = to - from + 1;
    this.#isFull ||= this.#at + length - 4 - 3 * this.#count > MOST_TERM_BYTES;
    if (this.#isFull) return;
    this.reserve(this.#at + length + 3);
    // A million words of a few bytes: a call to copy one takes longer than its bytes.
    for (let i = from; i < to; i++) this.bytes[this.#at + i - from] = text[i]!;
    this.bytes[this.#at + length - 1] = last;
    this.#at += length + 3;
    this.#count++;
  }

  finish(): Uint8Array {
    this.view.setInt32(0, this.#count);
    return this.bytes.subarray(0, this.#at);
  }
}

const INT4 = 23;
/** Dimensions, whether there are nulls, the type; then of its only dimension the length and the first index. */
const HEAD = 20;

/** An integer[]. */
export class NumberList extends Growing {
  #count = 0;

  add(number: number): void {
    const at = HEAD + 8 * this.#count++;
    this.reserve(at + 8);
    this.view.setInt32(at, 4);
    this.view.setInt32(at + 4, number);
  }

  finish(): Uint8Array {
    const count = this.#count;
    const head = count === 0 ? [0, 0, INT4] : [1, 0, INT4, count, 1];
    for (const [i, word] of head.entries()) this.view.setInt32(4 * i, word);
    return this.bytes.subarray(0, 4 * head.length + 8 * count);
  }
}
