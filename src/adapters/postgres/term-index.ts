/**
 * What finds files across all repositories without opening a segment: the terms (with their tiers) and the trigrams of each
 * group of file versions, as GIN indexes hold them. They are made from the segment, so that every engine has the same words.
 */
import { fetchParts, StoredSegment } from "../../engine/segments.ts";
import { ByteWriter } from "../../segment/bytes.ts";
import { type FileRange, groupFiles, MASK_SLOTS, maskBytes } from "../../segment/file-groups.ts";
import { indexGroups } from "../../segment/group-index.ts";
import type { Segment } from "../../segment/read.ts";
import { PostgresContent } from "./content.ts";
import { int2, int4, int8 } from "./copy.ts";
import type { Transaction } from "./queryable.ts";
import type { EpochAddress } from "./repository.ts";

/** PostgreSQL refuses longer words. */
const MAX_TERM_BYTES = 2_000;

/** Larger rows are stored outside of their table, and take two reads instead of one. */
const ROW_BYTES = 1_900;

/** `versions`: by file of the segment, 0 for files that are stored already. */
export async function putFindable(
  tx: Transaction,
  repo: number,
  versions: Uint32Array,
  segment: Segment,
  groups = groupFiles(versions, segment),
): Promise<void> {
  const terms = groups.list.map(() => new TermList());
  const trigrams = groups.list.map((): number[] => []);
  const masks = indexGroups(segment, versions, groups, {
    word: (group, bytes, from, to, tier) => {
      if (isTerm(bytes, from, to)) terms[group]!.add(bytes, from, to, tierByte(tier));
    },
    trigram: (group, trigram) => trigrams[group]!.push(trigram),
  });
  await tx.copy(
    "codecompass.findable",
    "repo, version, files, words, trigrams, run, run_files, run_places",
    groups.list.map(({ first, files, run }, at) => [
      int4(repo),
      int8(first),
      int2(files),
      terms[at]!.finish(),
      int4Array(trigrams[at]!),
      // The trigrams of the group are those of its only file.
      ...(files === 1 ? [null, null, null] : [int8(run.first), int4(run.files), int2(masksInRow(run))]),
    ]),
  );
  const rows = [...masks].flatMap(([run, bits]) => {
    const size = masksInRow(run) * maskBytes(run);
    return Array.from({ length: bits.length / size }, (_, at) => {
      return [int4(repo), int8(run.first), int4(at), bits.subarray(at * size, (at + 1) * size)];
    });
  });
  await tx.copy("codecompass.mask", "repo, run, at, bits", rows);
}

/** A power of two, so that every row has as many. */
function masksInRow(run: FileRange): number {
  let masks = MASK_SLOTS;
  while (masks > 1 && masks * maskBytes(run) > ROW_BYTES) masks /= 2;
  return masks;
}

/** Groups without a file that is left, and the masks of such ranges. */
export async function forgetFindable(tx: Transaction, repo: number): Promise<void> {
  await tx.run(
    `DELETE FROM codecompass.findable f WHERE f.repo = $1 AND NOT EXISTS (SELECT 1 FROM codecompass.file_version v
      WHERE v.repo = $1 AND v.id BETWEEN f.version AND f.version + f.files - 1)`,
    [repo],
  );
  await tx.run(
    `DELETE FROM codecompass.mask m WHERE m.repo = $1
      AND m.run NOT IN (SELECT f.run FROM codecompass.findable f WHERE f.repo = $1 AND f.run IS NOT NULL)`,
    [repo],
  );
}

/** Groups of which most files are gone: each file that is left gets a row of its own. */
export async function rewriteFindable(tx: Transaction, { repo, epoch }: EpochAddress): Promise<void> {
  const sql = `SELECT f.version AS first, array_agg(v.id::integer) AS left FROM codecompass.findable f
    JOIN codecompass.file_version v ON v.repo = $1 AND v.id BETWEEN f.version AND f.version + f.files - 1
    WHERE f.repo = $1 AND v.epoch = $2 AND f.files > 1 GROUP BY f.version, f.files HAVING 2 * count(*) < f.files`;
  const dead = await tx.rows<{ first: number; left: number[] }>(sql, [repo, epoch]);
  if (dead.length === 0) return;
  const left = new Set(dead.flatMap((group) => group.left));
  const firsts = dead.map(({ first }) => first);
  await tx.run("DELETE FROM codecompass.findable WHERE repo = $1 AND version = ANY($2)", [repo, firsts]);
  await forgetFindable(tx, repo);
  const content = new PostgresContent(tx, { repo, epoch, uid: "" });
  for (const row of await content.rows("segments", { except: [] })) {
    const stored = new StoredSegment(row);
    const own = stored.versions.map((version) => (left.has(version) ? version : 0));
    if (own.every((version) => version === 0)) continue;
    await fetchParts(content, [stored], stored.kinds);
    await putFindable(tx, repo, own, stored.segment, groupFiles(own, stored.segment, 1));
  }
}

/** The byte behind a word: no word contains it, and none is less than those that words contain, so words stay sorted. */
export function tierByte(tier: number): number {
  return tier + 1;
}

function isTerm(bytes: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (bytes[i] === 0) return false;
  return to > from && to - from <= MAX_TERM_BYTES;
}

/** PostgreSQL refuses longer vectors. */
const MAX_VECTOR_BYTES = 1_000_000;

/** A tsvector without positions: its words, each with a NUL and the number of its positions. */
export class TermList {
  readonly #words = new ByteWriter();
  #count = 0;
  #isFull = false;

  /** The word is `text[from, to)` and a last byte. */
  add(text: Uint8Array, from: number, to: number, last: number): void {
    this.#isFull ||= this.#words.length + to - from + 1 - 3 * this.#count > MAX_VECTOR_BYTES;
    if (this.#isFull) return;
    // A million words of a few bytes: a call to copy one takes longer than its bytes.
    for (let at = from; at < to; at++) this.#words.byte(text[at]!);
    for (const byte of [last, 0, 0, 0]) this.#words.byte(byte);
    this.#count++;
  }

  finish(): Uint8Array {
    return Buffer.concat([int4(this.#count), this.#words.written()]);
  }
}

const INT4 = 23;

/** Dimensions, whether there are nulls, the type; then of its only dimension the length and the first index. */
function int4Array(numbers: readonly number[]): Uint8Array {
  const head = numbers.length === 0 ? [0, 0, INT4] : [1, 0, INT4, numbers.length, 1];
  const words = Int32Array.from([...head, ...numbers.flatMap((number) => [4, number])]);
  return Buffer.from(words.buffer).swap32();
}
