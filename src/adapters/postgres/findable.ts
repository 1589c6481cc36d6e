/**
 * What finds files across all repositories without opening a segment: the terms and the trigrams of each bunch of file
 * versions, as the engine indexes them. Made from the segment that holds the files, so that every engine's words are the same.
 *
 * Nothing is ranked here: a repository that holds candidates is asked itself.
 */
import {
  ALL_PLACES,
  type Bunches,
  bunchesOf,
  maskBytes,
  NONE,
  placeOf,
  type Run,
  wordPlace,
} from "../../segment/bunch.ts";
import type { Segment } from "../../segment/read.ts";
import type { Transaction } from "./asking.ts";
import { NumberList, TermList } from "./binary-lists.ts";
import { int2, int4, int8 } from "./copy.ts";
import { readWhole } from "./merging.ts";
import type { Place } from "./repository.ts";
import { wordsOf } from "./segments.ts";

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
  bunches = bunchesOf(versions, segment),
): Promise<void> {
  const masks = new RunMasks(versions, bunches);
  const terms = termsOf(segment, bunches, masks);
  const trigrams = trigramsOf(segment, bunches, masks);
  await tx.copy(
    "codecompass.findable",
    "repo, version, files, terms, trigrams, run, run_files, run_places",
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

async function putMasks(tx: Transaction, repo: number, run: Run, bits: Uint8Array): Promise<void> {
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
function placesInRow(run: Run): number {
  let places = ALL_PLACES;
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
export async function rewriteFindable(tx: Transaction, { repo, epoch }: Place): Promise<void> {
  const sql = `SELECT f.version AS first, array_agg(v.id::integer) AS left FROM codecompass.findable f
    JOIN codecompass.file_version v ON v.repo = $1 AND v.id BETWEEN f.version AND f.version + f.files - 1
    WHERE f.repo = $1 AND v.epoch = $2 AND f.files > 1 GROUP BY f.version, f.files HAVING 2 * count(*) < f.files`;
  const dead = await tx.rows<{ first: number; left: number[] }>(sql, [repo, epoch]);
  if (dead.length === 0) return;
  const left = new Set(dead.flatMap((bunch) => bunch.left));
  const firsts = dead.map(({ first }) => first);
  await tx.run("DELETE FROM codecompass.findable WHERE repo = $1 AND version = ANY($2)", [repo, firsts]);
  await forgetMasks(tx, repo);
  const listed = await tx.rows<{ id: number; versions: Buffer }>(
    "SELECT id, versions FROM codecompass.segment WHERE repo = $1 AND epoch = $2",
    [repo, epoch],
  );
  for (const { id, versions } of listed) {
    const own = wordsOf(versions).map((version) => (left.has(version) ? version : 0));
    if (own.every((version) => version === 0)) continue;
    const [stored] = await readWhole(tx, repo, [id]);
    await putFindable(tx, repo, own, stored!.segment, bunchesOf(own, stored!.segment, 1));
  }
}

/** The masks of all runs of a segment. */
class RunMasks {
  readonly runs = new Map<Run, Uint8Array>();
  readonly #of: Int32Array;
  /** By bunch. */
  readonly #bits: readonly Uint8Array[];
  readonly #widths: Uint32Array;
  /** By file, where its bit lies in a mask. */
  readonly #byteAt: Uint32Array;
  readonly #bit: Uint8Array;

  constructor(versions: Uint32Array, { list, of }: Bunches) {
    for (const { files, run } of list)
      if (files > 1 && !this.runs.has(run)) this.runs.set(run, new Uint8Array(ALL_PLACES * maskBytes(run)));
    const places = Uint32Array.from(of, (bunch, file) =>
      bunch === NONE ? 0 : versions[file]! - list[bunch]!.run.first,
    );
    this.#of = of;
    this.#bits = list.map(({ run }) => this.runs.get(run) ?? NO_BITS);
    this.#widths = Uint32Array.from(list, ({ run }) => maskBytes(run));
    this.#byteAt = places.map((place) => place >>> 3);
    this.#bit = Uint8Array.from(places, (place) => 1 << (place & 7));
  }

  /** Of a file that is in a bunch. Out of the bounds of those without masks, nothing is written. */
  set(place: number, file: number): void {
    const bunch = this.#of[file]!;
    this.#bits[bunch]![place * this.#widths[bunch]! + this.#byteAt[file]!]! |= this.#bit[file]!;
  }
}

const NO_BITS = new Uint8Array(0);

function termsOf(segment: Segment, { list, of }: Bunches, masks: RunMasks): TermList[] {
  const fileOf = new Uint32Array(segment.chunkCount);
  for (let file = 0; file < segment.fileCount; file++)
    fileOf.fill(file, segment.fileChunks[file]!, segment.fileChunks[file + 1]!);
  const found = list.map(() => new TermList());
  for (let at = 0; at < segment.terms.size; at++) {
    const term = segment.terms.bytesAt(at);
    if (term.length === 0 || term.length > LONGEST_TERM_BYTES || term.includes(0)) continue;
    const place = wordPlace(term);
    let [lastFile, lastBunch] = [NONE, NONE];
    segment.postings.each(at, (chunk) => {
      const file = fileOf[chunk]!;
      const bunch = of[file]!;
      if (file === lastFile || bunch === NONE) return;
      lastFile = file;
      masks.set(place, file);
      if (bunch !== lastBunch) found[bunch]!.add(term);
      lastBunch = bunch;
    });
  }
  return found;
}

function trigramsOf(segment: Segment, { list, of }: Bunches, masks: RunMasks): NumberList[] {
  const found = list.map(() => new NumberList());
  const walk = segment.trigrams.walk();
  for (; walk.trigram !== Number.POSITIVE_INFINITY; walk.next()) {
    const { trigram } = walk;
    const place = placeOf(trigram);
    let last = NONE;
    walk.files((file) => {
      const bunch = of[file]!;
      if (bunch === NONE) return;
      masks.set(place, file);
      if (bunch !== last) found[bunch]!.add(trigram);
      last = bunch;
    });
  }
  return found;
}
