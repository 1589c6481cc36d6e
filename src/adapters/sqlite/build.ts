/** The write path's hold on the store: batches become durable one by one and visible together. */
import { statSync } from "node:fs";
import { SMALL_CHUNKS } from "../../engine/tiers.ts";
import type { SkipReason } from "../../model/code.ts";
import { CompassError } from "../../model/errors.ts";
import type { ContentHash, FileId } from "../../model/ids.ts";
import type { Build, Publication } from "../../ports/build.ts";
import type { Lease } from "../../ports/lease.ts";
import type { FileBatch, StoredFile, VersionKey } from "../../ports/versions.ts";
import { versionKeyText } from "../../ports/versions.ts";
import type { ViewEntry } from "../../ports/view.ts";
import { openSegment } from "../../segment/read.ts";
import type { Connection } from "./connection.ts";
import { refusing } from "./failures.ts";
import { keptOver, noteBase } from "./likeness.ts";
import { insertSegment, tidySegments } from "./merging.ts";
import { baseFor, publishedBy, publishView, versionId } from "./publish.ts";
import { fileOf, VERSION_COLUMNS, type VersionRow, VIEW_COLUMNS, type ViewRow, versionChecksum } from "./rows.ts";
import { knownStamps, restamp } from "./stamps.ts";
import { type NewVectors, putVectors } from "./vectors.ts";

export interface BuildOptions {
  readonly db: Connection;
  readonly ref: string;
  readonly lease: Lease;
  readonly after: number;
  readonly base?: string;
  readonly now: () => number;
  /** Runs a named I/O step between its failpoints. */
  readonly step: <T>(name: string, run: () => T) => T;
  /** Throws unless the lease is the newest and still held. */
  readonly requireLease: () => void;
  /** Called once the publication is committed: a reset turns the pointer here. */
  readonly onPublished: () => void;
  readonly onAbort: () => void;
}

/** A log larger than this is written back and cut after a publish. */
const LARGE_WAL_BYTES = 8 << 20;
/** Writing back waits this long for readers, which are quick; if they are not, the next one does it. */
const CHECKPOINT_WAIT_MS = 200;

export function buildOf(options: BuildOptions): Build {
  const { db, ref, step } = options;
  let putChunks = 0;
  const writing = <T>(name: string, write: () => T): T =>
    refusing(`writing the index (${name})`, () => {
      options.requireLease();
      return step(name, () =>
        db.writing(() => {
          requireFence(db, options.lease);
          return write();
        }),
      );
    });
  return {
    entries: async (paths) =>
      refusing("reading the index", () => db.reading(() => entriesOf(db, ref, options.base, paths))),
    recall: async (blobs, extractor) =>
      refusing("reading the index", () => db.reading(() => recalled(db, blobs, extractor))),
    known: async (keys) => refusing("reading the index", () => db.reading(() => knownOf(db, keys))),
    put: async (batch) => {
      putChunks += batch.files.reduce((sum, file) => sum + file.chunkCount, 0);
      writing("put", () => {
        put(db, batch, options);
        // A large build may make large segments: they are paid for once, by the work that needs them.
        tidySegments(db, Math.max(SMALL_CHUNKS, 2 * putChunks));
      });
    },
    putVectors: async (model, files) => writing("vectors", () => putVectors(db, model, files)),
    stamps: async (tree, paths) => refusing("reading the index", () => db.reading(() => knownStamps(db, tree, paths))),
    restamp: async (tree, stamps) => writing("restamp", () => restamp(db, tree, stamps)),
    publish: async (publication: Publication) => {
      const before = refusing("reading the index", () => publishedBy(db, publication.jobId));
      if (before !== undefined) return before;
      const generation = writing("publish", () => {
        const published = publishView(db, publication, options);
        step("commit", () => {});
        return published;
      });
      refusing("writing the index (publish)", () => step("checkpoint", () => checkpoint(db)));
      refusing("writing the index (publish)", options.onPublished);
      return generation;
    },
    abort: async () => options.onAbort(),
  };
}

/** Writes the log back into the database and cuts it, as far as readers let it; failing to is harmless. */
export function checkpoint(db: Connection, when: "large" | "always" = "large"): void {
  if (when === "large" && (statSync(`${db.path}-wal`, { throwIfNoEntry: false })?.size ?? 0) < LARGE_WAL_BYTES) return;
  db.pragma(`busy_timeout = ${CHECKPOINT_WAIT_MS}`);
  db.pragma("wal_checkpoint(TRUNCATE)");
  db.pragma("busy_timeout = 10000");
}

/** From now on, holders of smaller tokens are refused. */
export function raiseFence(db: Connection, { token }: Lease): void {
  if (fenceOf(db) > token) throw new CompassError("index_in_progress");
  db.run("UPDATE meta SET value = ? WHERE key = 'fence'", String(token));
}

export function requireFence(db: Connection, { token }: Lease): void {
  if (fenceOf(db) !== token) throw new CompassError("index_in_progress");
}

export function fenceOf(db: Connection): number {
  return Number(db.get<{ value: string }>("SELECT value FROM meta WHERE key = 'fence'")?.value ?? 0);
}

function put(db: Connection, batch: FileBatch, options: BuildOptions): void {
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
function likeVersion(db: Connection, { ref, base }: BuildOptions, file: StoredFile): number | undefined {
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
  db.run("UPDATE file_version SET checksum = ? WHERE id = ?", sum, id);
  putKept(db, "record", id, like, file.record);
  if (file.facts.length > 0) putKept(db, "facts", id, like, file.facts);
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
): void {
  const kept = keptOver(db, table, like, bytes);
  db.run(`INSERT INTO ${table} (version, bytes) VALUES (?, ?)`, version, kept.bytes);
  noteBase(db, table, version, kept);
}

type EntryRow = readonly [path: string, skip: SkipReason | null, hash: ContentHash | null, extractor: string];

const ENTRIES = `SELECT e.path, e.skip, v.hash, v.extractor FROM view_entry e LEFT JOIN file_version v ON v.id = e.version
  WHERE e.view = ? AND e.opened <= ? AND (e.closed IS NULL OR e.closed > ?)`;

/**
 * A path, and what lies below it; `0` comes after `/`. Two questions, because SQLite answers their `OR` by looking at
 * every entry of the view: 50 paths of Django's tree took 475 ms, and take 1.
 */
const AT = " AND e.path = ?";
const BELOW = " AND e.path >= ? AND e.path < ?";
/** More paths than this are quicker found by reading all: some 7,000 entries take as long as a thousand look-ups. */
const FEW_PATHS = 256;

/** What the view shows now; a new one begins with what its base shows. */
function entriesOf(
  db: Connection,
  ref: string,
  base: string | undefined,
  paths?: readonly string[],
): ReadonlyMap<string, ViewEntry> {
  const row = db.get<ViewRow>(`SELECT ${VIEW_COLUMNS} FROM view WHERE ref = ?`, ref) ?? baseFor(db, base);
  const entries = new Map<string, ViewEntry>();
  if (row === undefined) return entries;
  if (row.base_view !== null) addEntries(entries, rowsOf(db, row.base_view, row.base_generation!, paths));
  addEntries(entries, rowsOf(db, row.id, row.generation, paths));
  return entries;
}

function rowsOf(db: Connection, view: number, generation: number, paths: readonly string[] | undefined): EntryRow[] {
  const at = [view, generation, generation];
  if (paths === undefined || paths.length > FEW_PATHS) return db.arrays<EntryRow>(ENTRIES, ...at);
  return paths.flatMap((given) => {
    const path = given.replace(/\/+$/, "");
    const below = db.arrays<EntryRow>(ENTRIES + BELOW, ...at, `${path}/`, `${path}0`);
    return [...db.arrays<EntryRow>(ENTRIES + AT, ...at, path), ...below];
  });
}

function addEntries(to: Map<string, ViewEntry>, rows: readonly EntryRow[]): void {
  for (const [path, skip, contentHash, extractor] of rows) {
    if (skip !== null) to.set(path, { path, skip });
    else if (contentHash !== null) to.set(path, { path, version: { path, contentHash, extractor } });
    else to.delete(path);
  }
}

function recalled(db: Connection, blobs: Blobs, extractor: string): ReadonlyMap<string, VersionKey> {
  const sql = `SELECT ${VERSION_COLUMNS} FROM file_version WHERE blob = ? AND path = ? AND extractor = ?`;
  const found = new Map<string, VersionKey>();
  for (const { path, blob } of blobs) {
    const row = db.get<VersionRow>(sql, bytesOfHex(blob), path, extractor);
    if (row !== undefined) found.set(path, { path, contentHash: fileOf(row).contentHash, extractor });
  }
  return found;
}

type Blobs = Parameters<Build["recall"]>[0];

function bytesOfHex(hex: string | null): Uint8Array | null {
  return hex === null ? null : Buffer.from(hex, "hex");
}

function knownOf(db: Connection, keys: readonly VersionKey[]): ReadonlySet<string> {
  return new Set(keys.filter((key) => versionId(db, key) !== undefined).map(versionKeyText));
}
