/** One database file open for reading, with everything that was loaded from it. */
import type { Kernel } from "../../embed/kernel.ts";
import { ByteCache } from "../../engine/byte-cache.ts";
import type { FileRecord } from "../../model/code.ts";
import { type Facts, NO_FACTS } from "../../model/edges.ts";
import type { FileId, ProjectId } from "../../model/ids.ts";
import type { VersionKey } from "../../ports/versions.ts";
import type { FileRow } from "../../ports/view.ts";
import { CorruptionError } from "../../segment/corruption.ts";
import { decodeFacts } from "../../segment/facts.ts";
import { PackedFrame } from "../../segment/frame.ts";
import { decodeText, recordContent } from "../../segment/record.ts";
import { openedBytes, unpackRecord } from "../../segment/record-columns.ts";
import type { TextView } from "../../segment/view.ts";
import { Connection, isEmpty } from "./connection.ts";
import { identityOf } from "./directory.ts";
import { refusing } from "./failures.ts";
import { wholeOf } from "./likeness.ts";
import { versionId } from "./publish.ts";
import { type IndexedFile, VIEW_COLUMNS, type ViewRow } from "./rows.ts";
import { APPLICATION_ID, SCHEMA_VERSION } from "./schema.ts";
import { SegmentReplaced, Segments } from "./segments.ts";
import { stampsOf } from "./stamps.ts";
import { VectorShelves } from "./vectors.ts";
import { type Base, loadBase, loadView, type ViewState } from "./view-state.ts";

/** Merges that may come between the start and the end of one question. */
const MOST_MERGES = 5;
/** For outlines and the like; a search reads frames. */
const RECORD_CACHE_BYTES = 12 << 20;
/** Where the symbols of some 8,000 files stand in the bytes of their records, and those bytes, outside V8's heap. */
const FRAME_CACHE_BYTES = 12 << 20;
const PACKED_CACHE_BYTES = 24 << 20;
const TEXT_CACHE_BYTES = 32 << 20;

/** A question about a name that 1,000 files use reads the facts of all of them; the next one should not. */
const FACTS_CACHE_BYTES = 64 << 20;
const FACTS_EXPANSION = 8;

export interface ReadMeans {
  /** Compiles what compares vectors. */
  readonly kernelOf: () => Kernel;
  /** The part of its caches that this reader may fill; less where several threads read the same. */
  readonly cacheShare: number;
}

/** A state of 10,000 files takes some 2 MB; somebody who asks for a hundred branches must not keep them all. */
const MOST_STATES = 16;

type Version = Pick<FileRow, "id" | "path" | "contentHash">;

export class Source {
  readonly identity: string;
  readonly db: Connection;
  readonly vectors: VectorShelves;
  private readonly segments: Segments;
  private readonly states = new Map<string, ViewState>();
  private readonly texts = new WeakMap<ViewState, TextView<IndexedFile>>();
  private readonly records: ByteCache<number, FileRecord>;
  private readonly frames: ByteCache<number, PackedFrame>;
  private readonly packedRecords: ByteCache<number, Uint8Array>;
  private readonly factsRead: ByteCache<number, Facts>;
  private readonly contents: ByteCache<string, string>;
  private stampsRead:
    | {
        readonly version: unknown;
        readonly state: ViewState;
        readonly tree: ProjectId;
        readonly stamps: ReadonlyMap<string, string>;
      }
    | undefined;
  /** The log and its index that this connection reads, once seen. */
  private readonly sideFiles: (string | undefined)[] = [undefined, undefined];
  private readonly pins = new Map<ViewState, number>();
  private baseHeld: { readonly view: number; readonly generation: number; readonly base: Base } | undefined;
  private retired = false;
  private schemaSeen = false;

  constructor(path: string, identity: string, { kernelOf, cacheShare }: ReadMeans) {
    this.records = new ByteCache(RECORD_CACHE_BYTES * cacheShare);
    this.frames = new ByteCache(FRAME_CACHE_BYTES * cacheShare);
    this.packedRecords = new ByteCache(PACKED_CACHE_BYTES * cacheShare);
    this.factsRead = new ByteCache(FACTS_CACHE_BYTES * cacheShare);
    this.contents = new ByteCache(TEXT_CACHE_BYTES * cacheShare);
    this.identity = identity;
    this.db = new Connection(path, "read");
    this.segments = new Segments(this.db);
    this.vectors = new VectorShelves(this.db, kernelOf);
  }

  /** Reads something. A file that cannot even be read is closed again. */
  touch(): void {
    try {
      this.db.get("SELECT 1 FROM sqlite_schema");
    } catch (error) {
      this.db.close();
      throw error;
    }
  }

  /**
   * False when somebody deleted the log or its index under this connection, which goes on reading the deleted ones: it
   * would never see a later publication. While it is open, SQLite itself leaves both in place.
   */
  hasItsLog(): boolean {
    return ["-wal", "-shm"].every((suffix, at) => {
      const now = identityOf(this.db.path + suffix);
      this.sideFiles[at] ??= now;
      return this.sideFiles[at] === now;
    });
  }

  /** A file without tables: its maker has not come that far, or was killed before. */
  isEmpty(): boolean {
    return !this.schemaSeen && isEmpty(this.db);
  }

  /** The schema version on disk. Throws `CorruptionError` when this is no index of ours. */
  schemaVersion(): number {
    if (this.db.pragma("application_id") !== APPLICATION_ID)
      throw new CorruptionError("the file is not a codecompass index");
    const row = this.db.get<{ value: string }>("SELECT value FROM meta WHERE key = 'schema_version'");
    const version = Number(row?.value ?? Number.NaN);
    if (!Number.isSafeInteger(version) || version < 1)
      throw new CorruptionError("the index does not state its schema version");
    return version;
  }

  /** Asked before every read; one file keeps its schema for life. */
  requireSchema(): void {
    if (this.schemaSeen) return;
    const version = this.schemaVersion();
    if (version !== SCHEMA_VERSION) throw new CorruptionError(schemaMessage(version));
    this.schemaSeen = true;
  }

  views(): ViewRow[] {
    return this.db.all<ViewRow>(`SELECT ${VIEW_COLUMNS} FROM view ORDER BY ref`);
  }

  /** The newest published state of a ref, loaded as far as it changed. */
  state(ref: string): ViewState | undefined {
    return this.db.reading(() => {
      const row = this.db.get<ViewRow>(`SELECT ${VIEW_COLUMNS} FROM view WHERE ref = ?`, ref);
      if (row === undefined) return undefined;
      const before = this.states.get(ref);
      const isNow =
        before?.view === row.id && before.info.generation === row.generation && before.digest === row.digest;
      const state = isNow ? before : loadView(this.db, row, before, (view, generation) => this.base(view, generation));
      this.keep(ref, state);
      return state;
    });
  }

  /** A map remembers the order of insertion: the first is the one that was asked for longest ago. */
  private keep(ref: string, state: ViewState): void {
    this.states.delete(ref);
    this.states.set(ref, state);
    if (this.states.size > MOST_STATES) this.states.delete(this.states.keys().next().value!);
  }

  /** Shared by all views over it; the one used last is kept. */
  private base(view: number, generation: number): Base {
    const held = this.baseHeld;
    if (held?.view === view && held.generation === generation) return held.base;
    const base = loadBase(this.db, view, generation);
    this.baseHeld = { view, generation, base };
    return base;
  }

  /** Segments may be merged while a state is held; its files are then in others, and the question is asked again. */
  onPresentSegments<T>(state: ViewState, read: () => T): T {
    for (let attempt = 1; ; attempt++) {
      try {
        return read();
      } catch (error) {
        if (!(error instanceof SegmentReplaced) || attempt === MOST_MERGES) throw error;
        this.texts.delete(state);
      }
    }
  }

  text(state: ViewState): TextView<IndexedFile> {
    let text = this.texts.get(state);
    if (text === undefined) {
      text = this.segments.textOf(state);
      this.texts.set(state, text);
    }
    return text;
  }

  record(file: Version): FileRecord {
    const cached = this.records.get(file.id);
    if (cached !== undefined) return cached;
    const bytes = this.recordBytes(file);
    const record = unpackRecord(bytes);
    if (record.path !== file.path || record.contentHash !== file.contentHash) {
      throw new CorruptionError(`the record of ${file.path} belongs to ${record.path}`);
    }
    this.records.set(file.id, record, openedBytes(record, bytes));
    return record;
  }

  frame(file: Version): PackedFrame {
    const cached = this.frames.get(file.id);
    if (cached !== undefined) return cached;
    const open = () => refusing("reading the index", () => this.recordBytes(file));
    const frame = new PackedFrame(file, this.recordBytes(file), open);
    this.frames.set(file.id, frame, frame.size);
    return frame;
  }

  private recordBytes({ id, path }: Pick<FileRow, "id" | "path">): Uint8Array {
    const cached = this.packedRecords.get(id);
    if (cached !== undefined) return cached;
    const row = this.db.get<{ bytes: Uint8Array }>("SELECT bytes FROM record WHERE version = ?", id);
    if (row === undefined) throw new CorruptionError(`the record of ${path} is missing`);
    const content = recordContent(wholeOf(this.db, "record", id, row.bytes));
    // Copied: what was decompressed may lie in a buffer that is twice as long.
    const bytes = content.length < content.buffer.byteLength - 1024 ? new Uint8Array(content) : content;
    this.packedRecords.set(id, bytes, bytes.length);
    return bytes;
  }

  facts(file: FileRow): Facts {
    const cached = this.factsRead.get(file.id);
    if (cached !== undefined) return cached;
    const row = this.db.get<{ bytes: Uint8Array }>("SELECT bytes FROM facts WHERE version = ?", file.id);
    const bytes = row && wholeOf(this.db, "facts", file.id, row.bytes);
    const facts = bytes === undefined ? NO_FACTS : decodeFacts(bytes);
    this.factsRead.set(file.id, facts, (bytes?.length ?? 16) * FACTS_EXPANSION);
    return facts;
  }

  /** The record of a version, whichever view shows it. */
  recordOf(key: VersionKey): FileRecord | undefined {
    const id = versionId(this.db, key);
    return id === undefined ? undefined : this.record({ ...key, id: id as FileId });
  }

  content(file: FileRow): string {
    const cached = this.contents.get(file.contentHash);
    if (cached !== undefined) return cached;
    const text = decodeText(this.packed(file));
    this.contents.set(file.contentHash, text, text.length);
    return text;
  }

  packed(file: FileRow): Uint8Array {
    const sql = "SELECT id, text FROM content WHERE hash = ?";
    const row = this.db.get<{ id: number; text: Uint8Array }>(sql, file.contentHash);
    if (row === undefined) throw new CorruptionError(`the text of ${file.path} is missing`);
    return wholeOf(this.db, "text", row.id, row.text);
  }

  /** Stamps are not published; they are read again whenever anybody wrote to the database. */
  stamps(state: ViewState, tree: ProjectId): ReadonlyMap<string, string> {
    const version = this.db.pragma("data_version");
    const read = this.stampsRead;
    if (read !== undefined && read.version === version && read.state === state && read.tree === tree)
      return read.stamps;
    const stamps = stampsOf(this.db, tree, state);
    this.stampsRead = { version, state, tree, stamps };
    return stamps;
  }

  pin(state: ViewState): void {
    this.pins.set(state, (this.pins.get(state) ?? 0) + 1);
  }

  unpin(state: ViewState): void {
    const left = (this.pins.get(state) ?? 1) - 1;
    if (left > 0) this.pins.set(state, left);
    else this.pins.delete(state);
    this.closeWhenUnused();
  }

  /** By view: the oldest generation that a snapshot of this process holds. */
  oldestPins(): ReadonlyMap<number, number> {
    const oldest = new Map<number, number>();
    for (const { view, info } of this.pins.keys()) {
      oldest.set(view, Math.min(oldest.get(view) ?? Number.POSITIVE_INFINITY, info.generation));
    }
    return oldest;
  }

  /** Another file took this one's place; it is closed when the last snapshot lets go. */
  retire(): void {
    this.retired = true;
    this.closeWhenUnused();
  }

  private closeWhenUnused(): void {
    if (this.retired && this.pins.size === 0) this.db.close();
  }
}

export function schemaMessage(version: number): string {
  return `it has schema version ${version}, this release reads ${SCHEMA_VERSION}`;
}
