/** Rows as the tables hold them, and the checksums that tell a damaged row from a whole one. */
import { type Totals, viewInfo } from "../../engine/totals.ts";
import type { SkipReason } from "../../model/code.ts";
import type { ContentHash, FileId } from "../../model/ids.ts";
import type { FileRow, ViewInfo } from "../../ports/view.ts";
import { CorruptionError } from "../../segment/bytes.ts";
import { type Hash64, hash64 } from "../../segment/symbol-keys.ts";

/** What a file version is, apart from its blobs. */
export interface VersionRow {
  readonly id: number;
  readonly path: string;
  readonly hash: string;
  readonly extractor: string;
  readonly language: string;
  readonly symbols: number;
  readonly chunks: number;
  readonly bytes: number;
  readonly problem: string | null;
  /** Id of git's blob with this content, where one is known. */
  readonly blob: string | null;
  readonly checksum: number;
}

export const VERSION_COLUMNS =
  "id, path, hash, extractor, language, symbols, chunks, bytes, problem, lower(hex(blob)) AS blob, checksum";

/** A file of a view, with what its row says beyond the port's. */
export interface IndexedFile extends FileRow {
  readonly symbols: number;
  readonly chunks: number;
  readonly problem?: string;
}

/** What a generation of a view shows; others may be kept as differences to it. */
export interface Base {
  readonly files: ReadonlyMap<string, IndexedFile>;
  readonly skips: ReadonlyMap<string, SkipReason>;
  readonly digest: string;
}

export interface ViewRow {
  readonly id: number;
  readonly ref: string;
  /** The view, and its generation, that this one is kept as a difference to. */
  readonly base_view: number | null;
  readonly base_generation: number | null;
  readonly generation: number;
  readonly commit_id: string | null;
  readonly published_at: number;
  readonly totals: string;
  readonly digest: string;
  readonly checksum: number;
}

export const VIEW_COLUMNS =
  "id, ref, base_view, base_generation, generation, commit_id, published_at, totals, digest, checksum";

/** 32 bits over a row's fields. */
export function checksum(...fields: readonly (string | number | null)[]): number {
  return hash64(fields.join("\0")).low;
}

export function versionChecksum(row: Omit<VersionRow, "checksum">): number {
  const { id, path, hash, extractor, language, symbols, chunks, bytes, problem, blob } = row;
  return checksum(id, path, hash, extractor, language, symbols, chunks, bytes, problem, blob || null);
}

/** Throws `CorruptionError` unless the row is as it was written. */
export function fileOf(row: VersionRow): IndexedFile {
  if (versionChecksum(row) !== row.checksum) throw new CorruptionError(`the row of file version ${row.id} is damaged`);
  const { id, path, hash, language, symbols, chunks, problem } = row;
  const file = { id: id as FileId, path, language, contentHash: hash as ContentHash, symbols, chunks };
  return problem === null ? file : { ...file, problem };
}

export function viewChecksum(row: Omit<ViewRow, "checksum">): number {
  const base = row.base_view === null ? "" : `${row.base_view}@${row.base_generation}`;
  return checksum(row.id, row.ref, base, row.generation, row.commit_id, row.published_at, row.totals, row.digest);
}

/** `storeId`: of the file that holds the row. */
export function infoOf(row: ViewRow, storeId: string): ViewInfo {
  requireWhole(row);
  const { ref, generation, commit_id: commit, published_at: publishedAt } = row;
  const stateId = stateIdOf(row, storeId);
  return viewInfo({ stateId, ref, generation, commit, publishedAt }, JSON.parse(row.totals) as Totals);
}

/** SQLite gives the number of a view that was forgotten to the next one; the digest tells what both of them show apart. */
export function stateIdOf({ id, generation, published_at, digest }: ViewRow, storeId: string): string {
  return `${storeId}.${id}.${generation}.${published_at}.${digest}`;
}

/** Throws `CorruptionError` unless the row is as it was written. */
export function requireWhole(row: ViewRow): void {
  if (viewChecksum(row) !== row.checksum) throw new CorruptionError(`the row of view ${row.id} is damaged`);
}

/** The sum of its entries' hashes: their order does not matter, and one can be taken out again. */
export class Digest {
  private high: number;
  private low: number;

  constructor(text = "0:0") {
    const [high, low] = text.split(":").map(Number);
    this.high = (high ?? 0) >>> 0;
    this.low = (low ?? 0) >>> 0;
  }

  add(path: string, shown: IndexedFile | SkipReason): void {
    this.shift(entryHash(path, shown), 1);
  }

  remove(path: string, shown: IndexedFile | SkipReason): void {
    this.shift(entryHash(path, shown), -1);
  }

  toString(): string {
    return `${this.high}:${this.low}`;
  }

  private shift(by: Hash64, sign: 1 | -1): void {
    this.high = (this.high + sign * by.high) >>> 0;
    this.low = (this.low + sign * by.low) >>> 0;
  }
}

/** Over everything a reader is told of the entry, so that loading a view needs no checksum of each row beside it. */
function entryHash(path: string, shown: IndexedFile | SkipReason): Hash64 {
  if (typeof shown === "string") return hash64(`${path}\0${shown}`);
  const { id, language, contentHash, symbols, chunks, problem } = shown;
  return hash64(`${path}\0${id}\0${language}\0${contentHash}\0${symbols}\0${chunks}\0${problem ?? ""}`);
}
