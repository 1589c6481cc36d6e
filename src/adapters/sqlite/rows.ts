/** Rows as the tables hold them, and the checksums that tell a damaged row from a whole one. */
import { crc32 } from "node:zlib";
import type { VersionRow, ViewRow } from "../../ports/backend.ts";
import { CorruptionError } from "../../segment/bytes.ts";
import { readHead } from "../../segment/format.ts";
import { hash64 } from "../../segment/symbol-keys.ts";

export type StoredVersion = VersionRow & { readonly checksum: number };

export const VERSION_COLUMNS =
  "id, path, hash, extractor, language, symbols, chunks, bytes, problem, lower(hex(blob)) AS blob, checksum";

export type StoredView = Omit<ViewRow, "isDefault"> & { readonly checksum: number };

export const VIEW_COLUMNS = `id, ref, base_view AS baseView, base_generation AS baseGeneration, generation,
  commit_id AS "commit", published_at AS publishedAt, totals, digest, checksum`;

/** 32 bits over a row's fields. */
export function checksum(...fields: readonly (string | number | null)[]): number {
  return hash64(fields.join("\0")).low;
}

export function versionChecksum(row: VersionRow): number {
  const { id, path, hash, extractor, language, symbols, chunks, bytes, problem, blob } = row;
  return checksum(id, path, hash, extractor, language, symbols, chunks, bytes, problem, blob || null);
}

/** Throws `CorruptionError` unless the row is as it was written. */
export function wholeVersion({ checksum: sum, ...row }: StoredVersion): VersionRow {
  if (versionChecksum(row) !== sum) throw new CorruptionError(`the row of file version ${row.id} is damaged`);
  return row;
}

export function viewChecksum(row: Omit<ViewRow, "isDefault">): number {
  const base = row.baseView === null ? "" : `${row.baseView}@${row.baseGeneration}`;
  return checksum(row.id, row.ref, base, row.generation, row.commit, row.publishedAt, row.totals, row.digest);
}

/** Throws `CorruptionError` unless the row is as it was written. */
export function wholeView({ checksum: sum, ...row }: StoredView): ViewRow {
  if (viewChecksum(row) !== sum) throw new CorruptionError(`the row of view ${row.id} is damaged`);
  return { ...row, isDefault: false };
}

/** Binds a segment to its row and to its file versions. */
export function segmentChecksum(id: number, versions: Uint8Array, head: Uint8Array): number {
  return checksum(id, crc32(versions), readHead(head).checksum);
}

/** The blob's first word is the CRC of its content. */
export function vectorsChecksum(version: number, model: string, bytes: Uint8Array): number {
  return checksum(version, model, crc32(bytes.subarray(0, 16)));
}

export function bytesOfHex(hex: string | null): Uint8Array | null {
  return hex === null ? null : Buffer.from(hex, "hex");
}
