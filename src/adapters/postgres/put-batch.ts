/** Stores a batch of parsed files: blobs, versions, vectors and the segment that indexes them, in one transaction. */
import { SMALL_CHUNKS } from "../../engine/merge-policy.ts";
import type { FileBatch, FileVectors, StoredFile, VersionKey } from "../../ports/versions.ts";
import { versionKeyText } from "../../ports/versions.ts";
import { openSegment } from "../../segment/read.ts";
import { addBlob, type Blobs, putBlobs } from "./blobs.ts";
import { type Field, int4, int8, text } from "./copy.ts";
import { insertSegment, tidySegments } from "./merging.ts";
import type { Asking, Transaction } from "./query-interface.ts";
import type { Place } from "./repository.ts";
import { putFindable } from "./term-index.ts";
import { bindVectors } from "./vectors.ts";

export interface Putting {
  readonly place: Place;
  readonly now: number;
  /** Whether blobs of others are believed: a rebuild after damage looks at them. */
  readonly trust: "trust" | "distrust";
  /** Chunks of the whole build so far: a large build may make large segments. */
  readonly putChunks: number;
}

export async function putBatch(tx: Transaction, batch: FileBatch, putting: Putting): Promise<void> {
  const { place } = putting;
  const known = await versionIds(tx, place, batch.files);
  const seen = new Set(known.keys());
  const fresh = batch.files.filter((file) => isNew(seen, versionKeyText(file)));
  const stored = await storeFiles(tx, fresh, batch.model, putting);
  const versions = Uint32Array.from(batch.files, (file) => stored.get(file) ?? 0);
  if (fresh.length > 0) {
    await insertSegment(tx, place, versions, batch.segment);
    await putFindable(tx, place.repo, versions, openSegment(batch.segment));
  }
  await addBytes(tx, place.repo, fresh.length > 0 ? batch.segment.length : 0);
  await tidySegments(tx, place, Math.max(SMALL_CHUNKS, 2 * putting.putChunks));
}

/** Before anything is sent: a segment of other files would only be found out by its readers. */
export function requireFit(batch: FileBatch): void {
  if (openSegment(batch.segment).fileCount !== batch.files.length)
    throw new Error("the segment does not belong to these files");
}

function isNew(seen: Set<string>, key: string): boolean {
  return !seen.has(key) && seen.add(key) !== undefined;
}

async function storeFiles(
  tx: Transaction,
  files: readonly StoredFile[],
  model: string | undefined,
  { place, now, trust }: Putting,
): Promise<ReadonlyMap<StoredFile, number>> {
  if (files.length === 0) return new Map();
  const blobs: Blobs = new Map();
  const first = await reserveVersions(tx, place.repo, files.length);
  const ids = new Map(files.map((file, at) => [file, first + at]));
  const rows = files.map((file) => versionRow(file, ids.get(file)!, place, now, blobs));
  const vectors =
    model === undefined
      ? []
      : files.flatMap((file) =>
          file.vectors === undefined ? [] : [{ version: ids.get(file)!, key: addBlob(blobs, file.vectors) }],
        );
  await addBytes(tx, place.repo, await putBlobs(tx, place.repo, blobs, trust));
  await tx.copy("codecompass.file_version", COLUMNS, rows);
  await bindVectors(tx, place.repo, model ?? "", vectors);
  return ids;
}

const COLUMNS =
  "repo, id, epoch, path, hash, extractor, language, symbols, chunks, bytes, problem, git_blob, created_at, text_key, record_key, facts_key";

function versionRow(file: StoredFile, id: number, { repo, epoch }: Place, now: number, blobs: Blobs): Field[] {
  return [
    int4(repo),
    int8(id),
    int4(epoch),
    text(file.path),
    hexBytes(file.contentHash),
    text(file.extractor),
    text(file.language),
    int4(file.symbolCount),
    int4(file.chunkCount),
    int8(file.byteCount),
    text(file.problem),
    file.blob === undefined ? null : hexBytes(file.blob),
    int8(now),
    addBlob(blobs, file.text),
    addBlob(blobs, file.record),
    file.facts.length === 0 ? null : addBlob(blobs, file.facts),
  ];
}

async function reserveVersions(tx: Transaction, repo: number, count: number): Promise<number> {
  const sql =
    "UPDATE codecompass.repository SET last_version = last_version + $2 WHERE id = $1 RETURNING last_version AS last";
  const [row] = await tx.rows<{ last: number }>(sql, [repo, count], { prepared: "versions" });
  return row!.last - count + 1;
}

async function addBytes(tx: Transaction, repo: number, bytes: number): Promise<void> {
  const sql = "UPDATE codecompass.repository SET bytes = bytes + $2 WHERE id = $1";
  if (bytes > 0) await tx.run(sql, [repo, bytes], { prepared: "bytes" });
}

export async function putVectors(
  tx: Transaction,
  repo: number,
  model: string,
  files: readonly FileVectors[],
): Promise<void> {
  const blobs: Blobs = new Map();
  const bound = files.map(({ file, vectors }) => ({ version: file as number, key: addBlob(blobs, vectors) }));
  await addBytes(tx, repo, await putBlobs(tx, repo, blobs, "trust"));
  await bindVectors(tx, repo, model, bound);
}

/** By `versionKeyText`; versions that are not stored are left out. */
export async function versionIds(
  asking: Asking,
  place: Place,
  keys: readonly VersionKey[],
): Promise<Map<string, number>> {
  const versions = await versionsOf(asking, place, keys);
  return new Map([...versions].map(([key, { id }]) => [key, id]));
}

export interface VersionRow {
  readonly id: number;
  readonly language: string;
  readonly symbols: number;
  readonly chunks: number;
  readonly problem: string | null;
}

/** As `versionIds`, with what views add up. */
export async function versionsOf(
  asking: Asking,
  { repo, epoch }: Place,
  keys: readonly VersionKey[],
): Promise<Map<string, VersionRow>> {
  if (keys.length === 0) return new Map();
  const sql = `SELECT v.id, v.language, v.symbols, v.chunks, v.problem, k.at
    FROM unnest($3::text[], $4::bytea[], $5::text[]) WITH ORDINALITY AS k (path, hash, extractor, at)
    JOIN codecompass.file_version v
      ON v.repo = $1 AND v.epoch = $2 AND v.path = k.path AND v.hash = k.hash AND v.extractor = k.extractor`;
  const rows = await asking.rows<VersionRow & { at: number }>(sql, [
    repo,
    epoch,
    keys.map(({ path }) => path),
    keys.map(({ contentHash }) => hexBytes(contentHash)),
    keys.map(({ extractor }) => extractor),
  ]);
  return new Map(rows.map(({ at, ...row }) => [versionKeyText(keys[at - 1]!), row]));
}

export function hexBytes(hex: string): Buffer {
  return Buffer.from(hex, "hex");
}
