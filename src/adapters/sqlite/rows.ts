/** Rows as the tables hold them, and the checksums that tell a damaged row from a whole one. */
import { SKIP_REASONS, type SkipReason } from "../../model/code.ts";
import type { ContentHash, FileId, Generation } from "../../model/ids.ts";
import type { FileRow, ViewInfo } from "../../ports/store.ts";
import { CorruptionError } from "../../segment/corruption.ts";
import { type Hash64, hash64 } from "../../segment/hash64.ts";

export interface VersionRow {
  readonly id: number;
  readonly path: string;
  readonly hash: Uint8Array;
  readonly extractor: string;
  readonly language: string;
  readonly symbols: number;
  readonly chunks: number;
  readonly bytes: number;
  readonly problem: string | null;
  readonly checksum: number;
}

export const VERSION_COLUMNS =
  "v.id, v.path, v.hash, v.extractor, v.language, v.symbols, v.chunks, v.bytes, v.problem, v.checksum";

/** A file of a view, with what its row says beyond the port's. */
export interface IndexedFile extends FileRow {
  readonly symbols: number;
  readonly chunks: number;
  readonly problem?: string;
}

export interface ViewRow {
  readonly id: number;
  readonly ref: string;
  readonly generation: number;
  readonly commit_id: string | null;
  readonly published_at: number;
  readonly totals: string;
  readonly digest: string;
  readonly checksum: number;
}

export const VIEW_COLUMNS = "id, ref, generation, commit_id, published_at, totals, digest, checksum";

/** Sums over a view, kept up to date by each publish. */
export interface Totals {
  readonly files: number;
  readonly symbols: number;
  readonly chunks: number;
  readonly languages: Readonly<Record<string, number>>;
  readonly skipped: Readonly<Partial<Record<SkipReason, number>>>;
  readonly uncounted: Readonly<Partial<Record<SkipReason, number>>>;
}

/** 32 bits over a row's fields. */
export function checksum(...fields: readonly (string | number | null)[]): number {
  return hash64(fields.join("\0")).low;
}

export function versionChecksum(row: Omit<VersionRow, "checksum">): number {
  const { id, path, extractor, language, symbols, chunks, bytes, problem } = row;
  return checksum(id, path, hexOf(row.hash), extractor, language, symbols, chunks, bytes, problem);
}

export function fileOf(row: VersionRow): IndexedFile {
  if (versionChecksum(row) !== row.checksum) throw new CorruptionError(`the row of file version ${row.id} is damaged`);
  return {
    id: row.id as FileId,
    path: row.path,
    language: row.language,
    contentHash: hexOf(row.hash) as ContentHash,
    symbols: row.symbols,
    chunks: row.chunks,
    ...(row.problem !== null && { problem: row.problem }),
  };
}

export function viewChecksum(row: Omit<ViewRow, "checksum">): number {
  return checksum(row.id, row.ref, row.generation, row.commit_id, row.published_at, row.totals, row.digest);
}

export function infoOf(row: ViewRow): ViewInfo {
  if (viewChecksum(row) !== row.checksum) throw new CorruptionError(`the row of view ${row.id} is damaged`);
  const totals = JSON.parse(row.totals) as Totals;
  const skippedReasons = sumOf(totals.skipped, totals.uncounted);
  return {
    ref: row.ref,
    generation: row.generation as Generation,
    ...(row.commit_id !== null && { commit: row.commit_id }),
    publishedAt: row.published_at,
    coverage: {
      filesIndexed: totals.files,
      filesSkipped: Object.values(skippedReasons).reduce((sum, count) => sum + count, 0),
      skippedReasons,
    },
    fileCount: totals.files,
    symbolCount: totals.symbols,
    chunkCount: totals.chunks,
    languages: Object.entries(totals.languages).map(([language, files]) => ({ language, files })),
  };
}

export function hexOf(hash: unknown): string {
  return hash instanceof Uint8Array ? Buffer.from(hash.buffer, hash.byteOffset, hash.length).toString("hex") : "";
}

export function bytesOfHex(hash: string): Uint8Array {
  return Buffer.from(hash, "hex");
}

type Reasons = Readonly<Partial<Record<SkipReason, number>>>;

function sumOf(one: Reasons, other: Reasons): Partial<Record<SkipReason, number>> {
  const sum: Partial<Record<SkipReason, number>> = {};
  for (const reason of SKIP_REASONS) {
    const count = (one[reason] ?? 0) + (other[reason] ?? 0);
    if (count > 0) sum[reason] = count;
  }
  return sum;
}

/** The sum of its rows' hashes: the order of rows does not matter, and one row can be taken out again. */
export class Digest {
  private high: number;
  private low: number;

  constructor(text = "0:0") {
    const [high, low] = text.split(":").map(Number);
    this.high = (high ?? 0) >>> 0;
    this.low = (low ?? 0) >>> 0;
  }

  add(path: string, version: number | null, skip: string | null): void {
    this.shift(entryHash(path, version, skip), 1);
  }

  remove(path: string, version: number | null, skip: string | null): void {
    this.shift(entryHash(path, version, skip), -1);
  }

  toString(): string {
    return `${this.high}:${this.low}`;
  }

  private shift(by: Hash64, sign: 1 | -1): void {
    this.high = (this.high + sign * by.high) >>> 0;
    this.low = (this.low + sign * by.low) >>> 0;
  }
}

function entryHash(path: string, version: number | null, skip: string | null): Hash64 {
  return hash64(`${path}\0${version ?? ""}\0${skip ?? ""}`);
}
