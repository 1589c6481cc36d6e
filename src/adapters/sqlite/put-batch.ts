/** Stores files and the segment that indexes them; what is like another version is kept as a difference to it. */
import { blobMark } from "../../engine/integrity.ts";
import type { FileId } from "../../model/ids.ts";
import type { FileBatch, StoredFile } from "../../ports/versions.ts";
import { openSegment } from "../../segment/read.ts";
import type { Connection } from "./connection.ts";
import { keptOver, noteBase } from "./delta-rows.ts";
import { insertSegment } from "./merging.ts";
import { baseFor, versionId } from "./publish.ts";
import { VIEW_COLUMNS, type ViewRow, versionChecksum } from "./rows.ts";
import { type NewVectors, putVectors } from "./vectors.ts";

export interface PutOptions {
  readonly ref: string;
  readonly base?: string;
  readonly now: () => number;
}

export function put(db: Connection, batch: FileBatch, options: PutOptions): void {
  const { fileCount } = openSegment(batch.segment);
  if (fileCount !== batch.files.length) throw new Error("the segment does not belong to these files");
  const likes = batch.files.map((file) => likeVersion(db, options, file));
  const versions = Uint32Array.from(batch.files, (file, at) =>
    versionId(db, file) === undefined ? putFile(db, file, options.now(), likes[at]) : 0,
  );
  if (batch.model !== undefined) putVectors(db, batch.model, newVectors(batch.files, versions, likes));
  if (versions.some((version) => version !== 0)) insertSegment(db, versions, batch.segment);
}

/** What the view, or its base, shows at the path so far: the new version will be like it. */
function likeVersion(db: Connection, { ref, base }: PutOptions, file: StoredFile): number | undefined {
  const row = db.get<ViewRow>(`SELECT ${VIEW_COLUMNS} FROM view WHERE ref = ?`, ref) ?? baseFor(db, base);
  const sql = `SELECT v.id FROM view_entry e JOIN file_version v ON v.id = e.version
    WHERE e.view = ? AND e.path = ? AND e.closed IS NULL AND v.extractor = ?`;
  for (const view of [row?.id, row?.base_view]) {
    const shown = view && db.get<{ id: number }>(sql, view, file.path, file.extractor);
    if (shown) return shown.id;
  }
  return undefined;
}

function newVectors(
  files: readonly StoredFile[],
  versions: Uint32Array,
  likes: readonly (number | undefined)[],
): NewVectors[] {
  return files.flatMap(({ vectors }, at) =>
    vectors === undefined || versions[at] === 0 ? [] : [{ file: versions[at] as FileId, vectors, like: likes[at] }],
  );
}

function putFile(db: Connection, file: StoredFile, now: number, like: number | undefined): number {
  const hash = file.contentHash;
  putText(db, file, like);
  const { path, extractor, language, symbolCount: symbols, chunkCount: chunks, byteCount: bytes } = file;
  const problem = file.problem ?? null;
  const columns = "path, hash, extractor, language, symbols, chunks, bytes, problem, blob, created_at, checksum";
  const sql = `INSERT INTO file_version (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)`;
  const row = { path, hash, extractor, language, symbols, chunks, bytes, problem, blob: file.blob ?? null };
  const { lastInsertRowid: id } = db.run(sql, ...Object.values({ ...row, blob: bytesOfHex(row.blob) }), now);
  const sum = versionChecksum({ id, ...row });
  putKept(db, "record", id, like, file.record);
  const facts = file.facts.length > 0 ? putKept(db, "facts", id, like, file.facts) : undefined;
  db.run("UPDATE file_version SET checksum = ?, facts_mark = ? WHERE id = ?", sum, blobMark(id, facts), id);
  return id;
}

function putText(db: Connection, { contentHash, text }: StoredFile, like: number | undefined): void {
  const known = "SELECT id FROM content WHERE hash = ?";
  if (db.get(known, contentHash) !== undefined) return;
  const likeText = "SELECT c.id FROM content c JOIN file_version v ON v.hash = c.hash WHERE v.id = ?";
  const row = like === undefined ? undefined : db.get<{ id: number }>(likeText, like);
  const kept = keptOver(db, "text", row?.id, text);
  const { lastInsertRowid: id } = db.run("INSERT INTO content (hash, text) VALUES (?, ?)", contentHash, kept.bytes);
  noteBase(db, "text", id, kept);
}

function putKept(
  db: Connection,
  table: "record" | "facts",
  version: number,
  like: number | undefined,
  bytes: Uint8Array,
): Uint8Array {
  const kept = keptOver(db, table, like, bytes);
  db.run(`INSERT INTO ${table} (version, bytes) VALUES (?, ?)`, version, kept.bytes);
  noteBase(db, table, version, kept);
  return kept.bytes;
}

export function bytesOfHex(hex: string | null): Uint8Array | null {
  return hex === null ? null : Buffer.from(hex, "hex");
}
