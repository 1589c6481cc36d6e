/** One database file as it is read: rows and blobs, checked as far as their checksums go. */
import { NO_MARKS, requireFacts, requireNoVectors, type StoredMarks } from "../../engine/integrity.ts";
import type { ContentHash } from "../../model/ids.ts";
import {
  type BlobQuery,
  type Content,
  type EntryQuery,
  type EntryRow,
  SchemaMismatch,
  type SegmentRow,
  type StoredBlob,
  type Tables,
  type VersionQuery,
  type VersionRef,
  type VersionRow,
  type ViewRow,
} from "../../ports/backend.ts";
import type { VersionKey } from "../../ports/versions.ts";
import { CorruptionError } from "../../segment/bytes.ts";
import { Connection, hasMarks, isEmpty, schemaVersionOf } from "./connection.ts";
import { type DeltaKind, storedOf, wholeOf } from "./delta-rows.ts";
import { identityOf } from "./directory.ts";
import {
  bytesOfHex,
  type StoredVersion,
  type StoredView,
  segmentChecksum,
  VERSION_COLUMNS,
  VIEW_COLUMNS,
  vectorsChecksum,
  wholeVersion,
  wholeView,
} from "./rows.ts";
import { SCHEMA_VERSION } from "./schema.ts";
import { unpackPart } from "./segment-compression.ts";
import { readStamps } from "./stamps.ts";
import { findingsOf } from "./verify.ts";

type Readers = { readonly [K in keyof Tables]: (where: Tables[K]["where"]) => readonly Tables[K]["row"][] };

/** The rows and blobs behind a connection, for readers and writers alike. */
export class SqliteRows {
  readonly db: Connection;
  #storeId: string | undefined;
  readonly #readers: Readers;

  constructor(db: Connection) {
    this.db = db;
    this.#readers = {
      views: ({ refs }) => readViews(db, refs),
      entries: (query) => readEntries(db, query),
      versions: (query) => readVersions(db, query),
      versionIds: ({ model }) =>
        model === undefined
          ? db.all("SELECT id FROM file_version NOT INDEXED")
          : db.all("SELECT version AS id FROM vectors WHERE model = ?", model),
      models: () => db.all("SELECT model FROM vectors GROUP BY model ORDER BY max(id) DESC"),
      segments: ({ except }) => readSegments(db, new Set(except)),
      stamps: ({ tree }) => readStamps(db, tree),
      trees: () => [{ revision: Number(db.pragma("data_version")) }],
      publications: ({ job }) => db.all("SELECT generation FROM publication WHERE job = ?", job),
      findings: ({ level }) => findingsOf(db, level),
    };
  }

  /** Made up when the file was created: two files at one path never have the same. */
  get id(): string {
    this.#storeId ??= this.db.get<{ value: string }>("SELECT value FROM meta WHERE key = 'store_id'")?.value ?? "";
    return this.#storeId;
  }

  async rows<K extends keyof Tables>(table: K, where: Tables[K]["where"]): Promise<readonly Tables[K]["row"][]> {
    return this.db.reading(() => this.#readers[table](where));
  }

  async blobs(query: BlobQuery): Promise<readonly StoredBlob[]> {
    return this.db.reading(() => readBlobs(this.db, query));
  }
}

/** A file that is open for reading. */
export class SqliteContent extends SqliteRows implements Content {
  readonly identity: string;
  /** From then on, those who read it close it. */
  isHandedOut = false;
  /** The log and its index that this connection reads, once seen. */
  readonly #sideFiles: (string | undefined)[] = [undefined, undefined];
  #hasSchema = false;

  constructor(path: string, identity: string) {
    super(new Connection(path, "read"));
    this.identity = identity;
  }

  /** Reads something, so that the log is open too. A file that cannot even be read is closed again. */
  touch(): void {
    try {
      this.db.get("SELECT 1 FROM sqlite_schema");
    } catch (error) {
      this.db.close();
      throw error;
    }
  }

  /**
   * False when the log or its index was deleted under this connection, which continues to read the deleted ones: it would
   * never see a later publication. While it is open, SQLite itself leaves both in place.
   */
  hasItsLog(): boolean {
    return ["-wal", "-shm"].every((suffix, at) => {
      const now = identityOf(this.db.path + suffix);
      this.#sideFiles[at] ??= now;
      return this.#sideFiles[at] === now;
    });
  }

  /** A file without tables: its writer has not come that far, or was killed before. */
  isEmpty(): boolean {
    return !this.#hasSchema && isEmpty(this.db);
  }

  /** Throws `SchemaMismatch`. One file keeps its schema for life. */
  requireSchema(): void {
    if (this.#hasSchema) return;
    const version = schemaVersionOf(this.db);
    if (version !== SCHEMA_VERSION) throw new SchemaMismatch(version);
    this.#hasSchema = true;
  }

  async close(): Promise<void> {
    this.db.close();
  }
}

function readViews(db: Connection, refs: readonly string[] | undefined): ViewRow[] {
  if (refs === undefined) {
    requireViews(db);
    return db.all<StoredView>(`SELECT ${VIEW_COLUMNS} FROM view NOT INDEXED ORDER BY ref`).map(wholeView);
  }
  return refs.flatMap((ref) => {
    const row = db.get<StoredView>(`SELECT ${VIEW_COLUMNS} FROM view WHERE ref = ?`, ref);
    if (row === undefined) {
      requireViews(db);
      // Looked for without the index on refs, which may have lost the entry.
      if (db.get("SELECT 1 FROM view NOT INDEXED WHERE ref = ?", ref) === undefined) return [];
    }
    if (row?.ref !== ref) throw new CorruptionError("the index of views by their refs is damaged");
    return [wholeView(row)];
  });
}

/** The newest publication of a view stays as long as the view does: one without a view means that its row was lost. */
function requireViews(db: Connection): void {
  const lost = db.get("SELECT 1 FROM publication WHERE view NOT IN (SELECT id FROM view NOT INDEXED)");
  if (lost !== undefined) throw new CorruptionError("the row of a view is missing");
}

const ENTRIES = `SELECT e.path, e.skip, e.version, v.path, v.hash, v.extractor, v.language, v.symbols, v.chunks, v.problem
  FROM view_entry e LEFT JOIN file_version v ON v.id = e.version
  WHERE e.view = ? AND e.opened <= ? AND (e.closed IS NULL OR e.closed > ?)`;
const CLOSED = "SELECT path FROM view_entry WHERE view = ? AND closed > ? AND closed <= ? AND opened <= ?";
/**
 * A path, and what lies below it; `0` comes after `/`. Two statements, because SQLite answers their `OR` by looking at
 * every entry of the view: 50 paths of Django's tree took 475 ms, and take 1.
 */
const AT = " AND e.path = ?";
const BELOW = " AND e.path >= ? AND e.path < ?";
/** More paths than this are quicker found by reading all: some 7,000 entries take as long as a thousand look-ups. */
const FEW_PATHS = 256;

function readEntries(db: Connection, { view, generation, since, at, under }: EntryQuery): EntryRow[] {
  const seen = [view, generation, generation];
  if (since !== undefined) {
    const closed = db.arrays<[string]>(CLOSED, view, since, generation, since);
    return [
      ...closed.map(([path]) => nothingAt(path)),
      ...db.arrays<EntryRow>(`${ENTRIES} AND e.opened > ?`, ...seen, since),
    ];
  }
  if (at !== undefined && at.length <= FEW_PATHS)
    return at.flatMap((path) => db.arrays<EntryRow>(ENTRIES + AT, ...seen, path));
  if (at !== undefined) {
    const wanted = new Set(at);
    return db.arrays<EntryRow>(ENTRIES, ...seen).filter(([path]) => wanted.has(path));
  }
  if (under === undefined || under.length > FEW_PATHS) return db.arrays<EntryRow>(ENTRIES, ...seen);
  return under.flatMap((given) => {
    const path = given.replace(/\/+$/, "");
    const below = db.arrays<EntryRow>(ENTRIES + BELOW, ...seen, `${path}/`, `${path}0`);
    return [...db.arrays<EntryRow>(ENTRIES + AT, ...seen, path), ...below];
  });
}

function nothingAt(path: string): EntryRow {
  return [path, null, null, null, "" as ContentHash, "", "", 0, 0, null];
}

/** More than this are read all at once: one by one, thousands took longer than the rest of a small sync. */
const FEW_VERSIONS = 500;

function readVersions(db: Connection, query: VersionQuery): VersionRow[] {
  if ("keys" in query) return query.keys.flatMap((key) => versionWith(db, key) ?? []);
  const columns = `SELECT ${VERSION_COLUMNS} FROM file_version`;
  if ("gitBlobs" in query) {
    const sql = `${columns} WHERE blob = ? AND path = ? AND extractor = ?`;
    const find = (path: string, blob: string) => db.get<StoredVersion>(sql, bytesOfHex(blob), path, query.extractor);
    return query.gitBlobs.flatMap(({ path, blob }) => find(path, blob) ?? []).map(wholeVersion);
  }
  if (query.ids.length <= FEW_VERSIONS)
    return query.ids.flatMap((id) => db.get<StoredVersion>(`${columns} WHERE id = ?`, id) ?? []).map(wholeVersion);
  const wanted = new Set(query.ids);
  return db.all<StoredVersion>(columns).flatMap((row) => (wanted.has(row.id) ? [wholeVersion(row)] : []));
}

export function versionWith(db: Connection, key: VersionKey): VersionRow | undefined {
  const sql = `SELECT ${VERSION_COLUMNS} FROM file_version WHERE hash = ? AND path = ? AND extractor = ?`;
  const row = db.get<StoredVersion>(sql, key.contentHash, key.path, key.extractor);
  if (row === undefined) return undefined;
  // A damaged entry of the index on hashes may lead to an older version of the same path.
  const { hash } = db.get<{ hash: string }>("SELECT hash FROM file_version WHERE id = ?", row.id) ?? {};
  if (hash !== key.contentHash)
    throw new CorruptionError(`file version ${row.id} has another content than the index on contents says`);
  return wholeVersion(row);
}

function readSegments(db: Connection, except: ReadonlySet<number>): SegmentRow[] {
  type Listed = { readonly id: number; readonly chunks: number };
  type Stored = { readonly checksum: number; readonly versions: Uint8Array; readonly head: Uint8Array };
  return db.all<Listed>("SELECT id, chunks FROM segment").map(({ id, chunks }) => {
    if (except.has(id)) return { id, chunks, versions: null, head: null };
    const row = db.get<Stored>("SELECT checksum, versions, head FROM segment WHERE id = ?", id);
    if (!(row?.versions instanceof Uint8Array && row.head instanceof Uint8Array))
      throw new CorruptionError(`segment ${id} is missing`);
    const { versions, head } = row;
    if (segmentChecksum(id, versions, head) !== row.checksum)
      throw new CorruptionError(`the row of segment ${id} is damaged`);
    return { id, chunks, versions, head };
  });
}

function readBlobs(db: Connection, query: BlobQuery): StoredBlob[] {
  if (query.kind === "pack") {
    const sql = "SELECT generation AS owner, 0 AS start, bytes FROM view_pack WHERE view = ?";
    return db.all<StoredBlob>(sql, query.view);
  }
  if (query.kind === "part") {
    const sql = "SELECT segment AS owner, start, bytes FROM segment_part WHERE segment = ? AND start = ?";
    const found = query.parts.flatMap(({ segment, start }) => db.get<StoredBlob>(sql, segment, start) ?? []);
    return found.map((part) => ({ ...part, bytes: unpackPart(part.bytes) }));
  }
  if (query.kind === "vectors") return readVectors(db, query.model, query.versions);
  const { kind, form } = query;
  const restore = form === "stored" ? storedOf : wholeOf;
  return query.versions.flatMap((version) => {
    const row = READ[kind](db, version);
    return row === undefined ? [] : [{ owner: version.id, start: 0, bytes: restore(db, kind, row.id, row.bytes) }];
  });
}

interface BlobRow {
  readonly id: number;
  readonly bytes: Uint8Array;
}

const READ: Record<Exclude<DeltaKind, "vectors">, (db: Connection, version: VersionRef) => BlobRow | undefined> = {
  record: (db, { id }) => db.get<BlobRow>("SELECT version AS id, bytes FROM record WHERE version = ?", id),
  facts: (db, { id }) => {
    const bytes = storedFacts(db, id);
    return bytes && { id, bytes };
  },
  // By its id: from the index on hashes alone, a damaged entry would give another file's text.
  text: (db, { contentHash }) => {
    const found = db.get<{ id: number }>("SELECT id FROM content WHERE hash = ?", contentHash);
    if (found === undefined) return undefined;
    const sql = "SELECT id, hash, text AS bytes FROM content WHERE id = ?";
    const row = db.get<BlobRow & { readonly hash: string }>(sql, found.id);
    if (row?.hash !== contentHash) throw new CorruptionError(`text ${found.id} belongs to another file`);
    return row;
  },
};

function readVectors(db: Connection, model: string, versions: readonly number[]): StoredBlob[] {
  const sql = "SELECT id, checksum, bytes FROM vectors WHERE model = ? AND version = ?";
  const missing = new Set<number>();
  const found: StoredBlob[] = [];
  for (const version of versions) {
    const row = db.get<BlobRow & { readonly checksum: number }>(sql, model, version);
    if (row === undefined) missing.add(version);
    else if (vectorsChecksum(version, model, row.bytes) !== row.checksum)
      throw new CorruptionError(`the row of the vectors of file version ${version} is damaged`);
    else found.push({ owner: version, start: 0, bytes: wholeOf(db, "vectors", row.id, row.bytes) });
  }
  requireUnembedded(db, missing, model);
  return found;
}

// What a file version says was stored for it (`engine/integrity.ts`), and what is there.

const MARKS = "v.facts_mark AS facts, v.embedded AS embedded";

/** The stored facts; undefined where the version has none. Throws `CorruptionError` when they are lost. */
function storedFacts(db: Connection, version: number): Uint8Array | undefined {
  if (!hasMarks(db)) return db.get<{ bytes: Uint8Array }>("SELECT bytes FROM facts WHERE version = ?", version)?.bytes;
  const sql = `SELECT ${MARKS}, f.bytes FROM file_version v LEFT JOIN facts f ON f.version = v.id WHERE v.id = ?`;
  const row = db.get<StoredMarks & { readonly bytes: Uint8Array | null }>(sql, version);
  const bytes = row?.bytes ?? undefined;
  requireFacts(version, row ?? NO_MARKS, bytes);
  return bytes;
}

/** Throws `CorruptionError` when one of the versions, whose vectors were not found, was embedded with the model. */
function requireUnembedded(db: Connection, versions: ReadonlySet<number>, model: string): void {
  if (versions.size === 0 || !hasMarks(db)) return;
  const sql = `SELECT ${MARKS} FROM file_version v WHERE v.id = ?`;
  for (const id of versions) requireNoVectors(id, db.get<StoredMarks>(sql, id) ?? NO_MARKS, model);
}
