/** A database file as it is written: one transaction per write, refused when the lease was lost. */
import { statSync } from "node:fs";
import { blobMark } from "../../engine/integrity.ts";
import { keyOf } from "../../engine/vectors.ts";
import { CompassError } from "../../model/errors.ts";
import type { FileId } from "../../model/ids.ts";
import type {
  Change,
  CollectRequest,
  MergedSegments,
  PublishedView,
  PutFiles,
  WritableContent,
} from "../../ports/backend.ts";
import type { Lease } from "../../ports/store.ts";
import type { FileVectors, StoredFile } from "../../ports/versions.ts";
import { CorruptionError } from "../../segment/bytes.ts";
import { cutIntoParts } from "../../segment/format.ts";
import { openSegment } from "../../segment/read.ts";
import type { Connection } from "./connection.ts";
import { SqliteRows } from "./content.ts";
import { basesOf, forgetBase, forgetKept, isBase, keptOver, noteBase } from "./delta-rows.ts";
import { bytesOfHex, segmentChecksum, vectorsChecksum, versionChecksum, viewChecksum } from "./rows.ts";
import { keepingOf, packPart } from "./segment-compression.ts";
import { collectStamps, writeStamps } from "./stamps.ts";

export interface SqliteWriterOptions {
  readonly db: Connection;
  readonly lease: Lease;
  readonly now: () => number;
  /** Runs a named I/O step between its failpoints. */
  readonly step: <T>(name: string, run: () => T) => T;
  /** Throws unless the lease is the newest and still held. */
  readonly requireLease: () => void;
  /** Throws unless what was just written can be seen. */
  readonly requireCurrent: () => void;
  readonly onSwap: () => void;
  readonly onClose: () => void;
}

/** A log larger than this is written back and cut after a publication. */
const LARGE_WAL_BYTES = 8 << 20;
/** Writing back waits this long for readers, which are quick; if they are not, the next one does it. */
const CHECKPOINT_WAIT_MS = 200;

export class SqliteWriter extends SqliteRows implements WritableContent {
  readonly #options: SqliteWriterOptions;
  #isCollected = false;

  /** From now on, holders of older leases are refused. */
  constructor(options: SqliteWriterOptions) {
    super(options.db);
    this.#options = options;
    const { db, lease } = options;
    db.writing(() => {
      if (fenceOf(db) > lease.token) throw new CompassError("index_in_progress");
      db.run("UPDATE meta SET value = ? WHERE key = 'fence'", String(lease.token));
    });
  }

  async write(name: string, changes: readonly Change[]): Promise<void> {
    const { db, step, requireCurrent } = this.#options;
    const isPublication = name === "publish";
    this.#writing(name, () => {
      for (const change of changes) this.#apply(change);
      if (isPublication) step("commit", () => {});
    });
    if (!isPublication) return;
    step("checkpoint", () => checkpoint(db));
    requireCurrent();
  }

  async collect(request: CollectRequest): Promise<number> {
    this.#isCollected = true;
    return this.#writing("gc", () => collect(this.db, request));
  }

  async swap(): Promise<void> {
    const { db, requireLease, onSwap } = this.#options;
    requireLease();
    checkpoint(db, "always");
    onSwap();
  }

  /** After a collection, gives the space back. */
  async close(): Promise<void> {
    const { db, step, onClose } = this.#options;
    if (this.#isCollected) {
      step("vacuum", () => db.exec("PRAGMA incremental_vacuum"));
      step("checkpoint", () => checkpoint(db, "always"));
    }
    onClose();
  }

  #writing<T>(name: string, write: () => T): T {
    const { db, lease, step, requireLease } = this.#options;
    requireLease();
    return step(name, () =>
      db.writing(() => {
        if (fenceOf(db) !== lease.token) throw new CompassError("index_in_progress");
        return write();
      }),
    );
  }

  #apply(change: Change): void {
    const { db } = this;
    if ("put" in change) putFiles(db, change.put, this.#options.now());
    else if ("vectors" in change) putVectors(db, change.vectors.model, change.vectors.files);
    else if ("stamps" in change) writeStamps(db, change.stamps.tree, change.stamps.rows);
    else if ("publish" in change) publish(db, change.publish);
    else if ("merge" in change) mergeSegments(db, change.merge);
    else if ("pack" in change) {
      const { view, generation, bytes } = change.pack;
      db.run("INSERT OR REPLACE INTO view_pack (view, generation, bytes) VALUES (?, ?, ?)", view, generation, bytes);
    } else for (const view of change.removeViews) removeView(db, view);
  }
}

/** The newest writer's token, kept in the index itself: a process that lost the lease without noticing is refused. */
export function fenceOf(db: Connection): number {
  return Number(db.get<{ value: string }>("SELECT value FROM meta WHERE key = 'fence'")?.value ?? 0);
}

/** Writes the log back into the database and cuts it, as far as readers let it; failing to is harmless. */
function checkpoint(db: Connection, when: "large" | "always" = "large"): void {
  if (when === "large" && (statSync(`${db.path}-wal`, { throwIfNoEntry: false })?.size ?? 0) < LARGE_WAL_BYTES) return;
  db.pragma(`busy_timeout = ${CHECKPOINT_WAIT_MS}`);
  db.pragma("wal_checkpoint(TRUNCATE)");
  db.pragma("busy_timeout = 10000");
}

// Files: what is like another version is kept as a difference to it.

function putFiles(db: Connection, { files, isNew, segment, model, near }: PutFiles, now: number): void {
  const vectors: NewVectors[] = [];
  const versions = files.map((file, at) => {
    if (!isNew[at]) return 0;
    const like = versionLike(db, near, file);
    const version = putFile(db, file, now, like);
    if (model !== undefined && file.vectors !== undefined)
      vectors.push({ file: version as FileId, vectors: file.vectors, like });
    return version;
  });
  if (model !== undefined) putVectors(db, model, vectors);
  insertSegment(db, Uint32Array.from(versions), segment, () => false);
}

/** What the views show at the path so far: the new version will be like it. */
function versionLike(db: Connection, views: readonly number[], file: StoredFile): number | undefined {
  const sql = `SELECT v.id FROM view_entry e JOIN file_version v ON v.id = e.version
    WHERE e.view = ? AND e.path = ? AND e.closed IS NULL AND v.extractor = ?`;
  for (const view of views) {
    const shown = db.get<{ id: number }>(sql, view, file.path, file.extractor);
    if (shown) return shown.id;
  }
  return undefined;
}

function putFile(db: Connection, file: StoredFile, now: number, like: number | undefined): number {
  putText(db, file, like);
  const { path, contentHash: hash, extractor, language, symbolCount: symbols, chunkCount: chunks } = file;
  const { byteCount: bytes, problem = null, blob = null } = file;
  const row = { path, hash, extractor, language, symbols, chunks, bytes, problem, blob };
  const columns = "path, hash, extractor, language, symbols, chunks, bytes, problem, blob, created_at, checksum";
  const sql = `INSERT INTO file_version (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)`;
  const { lastInsertRowid: id } = db.run(sql, ...Object.values({ ...row, blob: bytesOfHex(blob) }), now);
  putBlob(db, "record", id, like, file.record);
  const facts = file.facts.length > 0 ? putBlob(db, "facts", id, like, file.facts) : undefined;
  const marks = [versionChecksum({ id, ...row }), blobMark(id, facts)] as const;
  db.run("UPDATE file_version SET checksum = ?, facts_mark = ? WHERE id = ?", ...marks, id);
  return id;
}

function putText(db: Connection, { contentHash, text }: StoredFile, like: number | undefined): void {
  if (db.get("SELECT id FROM content WHERE hash = ?", contentHash) !== undefined) return;
  const sql = "SELECT c.id FROM content c JOIN file_version v ON v.hash = c.hash WHERE v.id = ?";
  const row = like === undefined ? undefined : db.get<{ id: number }>(sql, like);
  const kept = keptOver(db, "text", row?.id, text);
  const { lastInsertRowid: id } = db.run("INSERT INTO content (hash, text) VALUES (?, ?)", contentHash, kept.bytes);
  noteBase(db, "text", id, kept);
}

function putBlob(
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

/** A file's vectors, and the version that it should have much in common with. */
interface NewVectors extends FileVectors {
  readonly like?: number | undefined;
}

/** A version that is not stored any more gets none. */
function putVectors(db: Connection, fingerprint: string, files: readonly NewVectors[]): void {
  const model = keyOf(fingerprint);
  const rowId = (version: number) =>
    db.get<{ id: number }>("SELECT id FROM vectors WHERE model = ? AND version = ?", model, version)?.id;
  const sql = `INSERT OR REPLACE INTO vectors (version, model, checksum, bytes) SELECT ?, ?, ?, ?
    WHERE EXISTS (SELECT 1 FROM file_version WHERE id = ?)`;
  for (const { file, vectors, like } of files) {
    const before = rowId(file);
    // The same text has the same vectors; others are kept over these bytes.
    if (before !== undefined && isBase(db, "vectors", before)) continue;
    const kept = keptOver(db, "vectors", like === undefined ? undefined : rowId(like), vectors);
    const sum = vectorsChecksum(file, model, kept.bytes);
    const { changes, lastInsertRowid: id } = db.run(sql, file, model, sum, kept.bytes, file);
    if (before !== undefined) forgetBase(db, "vectors", before);
    if (changes === 0) continue;
    noteBase(db, "vectors", id, kept);
    db.run("UPDATE file_version SET embedded = ? WHERE id = ?", model, file);
  }
}

// Segments.

function insertSegment(db: Connection, versions: Uint32Array, bytes: Uint8Array, isAside: () => boolean): void {
  const { chunkCount } = openSegment(bytes);
  const { head, parts } = cutIntoParts(bytes);
  const words = new Uint8Array(versions.buffer, versions.byteOffset, versions.byteLength);
  const sql = "INSERT INTO segment (chunks, checksum, versions, head) VALUES (?, 0, ?, ?)";
  const { lastInsertRowid: id } = db.run(sql, chunkCount, words, head);
  db.run("UPDATE segment SET checksum = ? WHERE id = ?", segmentChecksum(id, words, head), id);
  const keeping = keepingOf(chunkCount, isAside);
  const put = "INSERT INTO segment_part (segment, start, bytes) VALUES (?, ?, ?)";
  for (const part of parts) db.run(put, id, part.start, packPart(part.bytes, keeping));
}

/** Whether most of these are shown by other refs only, and neither by a work tree nor by the base. */
function isAside(db: Connection, { versions, isOfBranch }: NonNullable<MergedSegments["added"]>): boolean {
  const sql = `SELECT e.version, max(w.base_view IS NULL) FROM view_entry e JOIN view w ON w.id = e.view
    WHERE e.closed IS NULL AND e.version IS NOT NULL GROUP BY e.version`;
  const isWhole = new Map(db.arrays<[number, number]>(sql));
  const aside = versions.filter((version) => (isWhole.get(version) ?? (isOfBranch ? 0 : 1)) === 0);
  return aside.length > versions.length / 2;
}

function mergeSegments(db: Connection, { removed, added }: MergedSegments): void {
  if (added !== undefined) insertSegment(db, added.versions, added.bytes, () => isAside(db, added));
  for (const id of removed) {
    db.run("DELETE FROM segment WHERE id = ?", id);
    db.run("DELETE FROM segment_part WHERE segment = ?", id);
  }
}

// Views.

function publish(db: Connection, { row, before, rowsBefore, closed, opened, job }: PublishedView): void {
  const { generation, baseView, publishedAt } = row;
  const id = row.id === 0 ? createView(db, row, before) : row.id;
  const adds = opened.length > closed.length || opened.some(({ path }) => !closed.includes(path));
  // A path may only seem new because its row was lost. Views over a base are few rows, and loaded from them.
  if (baseView === null && adds) requireRowCount(db, id, row.ref, rowsBefore);
  const close =
    baseView === null
      ? "UPDATE view_entry SET closed = ? WHERE view = ? AND path = ? AND closed IS NULL"
      : // Rows are replaced and not closed: a state of such a view is loaded from its base and all of its few rows.
        "DELETE FROM view_entry WHERE opened < ? AND view = ? AND path = ?";
  for (const path of closed) db.run(close, generation, id, path);
  const open = "INSERT INTO view_entry (view, path, opened, version, skip) VALUES (?, ?, ?, ?, ?)";
  for (const { path, version, skip } of opened) db.run(open, id, path, generation, version, skip);
  const update = `UPDATE view SET generation = ?, commit_id = ?, published_at = ?, totals = ?, digest = ?, checksum = ?
    WHERE id = ? AND generation = ?`;
  const values = [generation, row.commit, publishedAt, row.totals, row.digest, viewChecksum({ ...row, id })] as const;
  if (db.run(update, ...values, id, before).changes === 0) throw new CompassError("index_in_progress");
  const noted = "INSERT INTO publication (job, view, generation, published_at) VALUES (?, ?, ?, ?)";
  db.run(noted, job, id, generation, publishedAt);
}

function createView(db: Connection, { ref, baseView, baseGeneration }: PublishedView["row"], before: number): number {
  const sql = `INSERT INTO view (ref, base_view, base_generation, generation, published_at, totals, digest, checksum)
    VALUES (?, ?, ?, ?, 0, '', '', 0)`;
  return db.run(sql, ref, baseView, baseGeneration, before).lastInsertRowid;
}

function requireRowCount(db: Connection, view: number, ref: string, expected: number): void {
  const sql = "SELECT count(*) AS count FROM view_entry WHERE view = ? AND closed IS NULL";
  const { count } = db.get<{ count: number }>(sql, view)!;
  if (count !== expected) throw new CorruptionError(`${ref} has ${count} rows instead of ${expected}`);
}

function removeView(db: Connection, view: number): void {
  for (const table of ["view_entry", "publication", "view_pack"]) db.run(`DELETE FROM ${table} WHERE view = ?`, view);
  db.run("DELETE FROM view WHERE id = ?", view);
}

// Collection.

function collect(db: Connection, { before, pinned }: CollectRequest): number {
  for (const { id } of db.all<{ id: number }>("SELECT id FROM view")) collectEntries(db, id, before, pinned.get(id));
  db.run("DELETE FROM view_pack WHERE view NOT IN (SELECT id FROM view)");
  const removed = collectVersions(db, before);
  collectStamps(db);
  return removed;
}

/** Generations that were replaced long ago, unless a snapshot or a view over them still shows them. */
function collectEntries(db: Connection, view: number, before: number, pinned: number | undefined): void {
  type Row = { readonly settled: number | null; readonly base: number | null };
  const sql = `SELECT (SELECT max(generation) FROM publication WHERE view = ? AND published_at <= ?) AS settled,
    (SELECT min(base_generation) FROM view WHERE base_view = ?) AS base`;
  const row = db.get<Row>(sql, view, before, view)!;
  const settled = row.settled ?? 0;
  const until = Math.min(settled, pinned ?? settled, row.base ?? settled);
  db.run("DELETE FROM view_entry WHERE view = ? AND closed IS NOT NULL AND closed <= ?", view, until);
  db.run("DELETE FROM publication WHERE view = ? AND generation < ?", view, until);
}

function collectVersions(db: Connection, before: number): number {
  const unused = "id NOT IN (SELECT version FROM view_entry WHERE version IS NOT NULL)";
  const { changes } = db.run(`DELETE FROM file_version WHERE ${unused} AND created_at <= ?`, before);
  if (changes === 0) return 0;
  forgetKept(db);
  const gone = "version NOT IN (SELECT id FROM file_version)";
  db.run(`DELETE FROM record WHERE ${gone} AND version NOT IN ${basesOf("record")}`);
  db.run(`DELETE FROM vectors WHERE ${gone} AND id NOT IN ${basesOf("vectors")}`);
  db.run(`DELETE FROM facts WHERE ${gone} AND version NOT IN ${basesOf("facts")}`);
  db.run(`DELETE FROM content WHERE hash NOT IN (SELECT hash FROM file_version) AND id NOT IN ${basesOf("text")}`);
  return changes;
}
