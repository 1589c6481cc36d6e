/** The segments of a database: which there are, opened once and shared by every snapshot that needs them. */
import { crc32 } from "node:zlib";
import { CorruptionError } from "../../segment/bytes.ts";
import { type LoadBytes, readHead, type StoredPart } from "../../segment/format.ts";
import { type Segment, segmentFromSections } from "../../segment/read.ts";
import { TextView, type ViewPart } from "../../segment/view.ts";
import type { Connection } from "./connection.ts";
import { checksum, type IndexedFile } from "./rows.ts";
import { unpackPart } from "./segment-compression.ts";
import type { ViewState } from "./view-state.ts";

interface SegmentRow {
  readonly id: number;
  readonly checksum: number;
  readonly versions: Uint8Array;
}

interface Held {
  readonly versions: Uint32Array;
  readonly checksum: number;
  segment: Segment | undefined;
}

export class Segments {
  private readonly db: Connection;
  private readonly held = new Map<number, Held>();

  constructor(db: Connection) {
    this.db = db;
  }

  /** The full text and the names of a view. Throws `CorruptionError` when a file of it is in no segment. */
  textOf(state: ViewState): TextView<IndexedFile> {
    return this.db.reading(() => {
      this.refresh();
      const byVersion = new Map<number, IndexedFile>();
      for (const file of state.files.values()) byVersion.set(file.id, file);
      const parts: ViewPart<IndexedFile>[] = [];
      let found = 0;
      for (const [id, held] of this.held) {
        const files = Array.from(held.versions, (version) => byVersion.get(version));
        const shown = files.reduce((count, file) => count + (file ? 1 : 0), 0);
        if (shown > 0) parts.push({ segment: this.opened(id, held), files });
        found += shown;
      }
      if (found !== byVersion.size) throw new CorruptionError(`${byVersion.size - found} files are in no segment`);
      return new TextView(parts);
    });
  }

  /** Learns of new segments and forgets those that were merged away; views that use them keep them. */
  private refresh(): void {
    const present = new Set(this.db.all<{ id: number }>("SELECT id FROM segment").map((row) => row.id));
    for (const id of this.held.keys()) if (!present.has(id)) this.held.delete(id);
    for (const id of present) {
      if (this.held.has(id)) continue;
      const row = this.db.get<SegmentRow>("SELECT id, checksum, versions FROM segment WHERE id = ?", id)!;
      this.held.set(id, { versions: wordsOf(row.versions), checksum: row.checksum, segment: undefined });
    }
  }

  private opened(id: number, held: Held): Segment {
    held.segment ??= readSegment(this.db, id, held);
    return held.segment;
  }
}

/** The segment was merged into another one since it was opened: whoever uses it takes the present ones instead. */
export class SegmentReplaced extends Error {}

/** Reads a segment's head, checks that it is the one of this row, and reads its parts when they are needed. */
export function readSegment(db: Connection, id: number, row: { versions: Uint32Array; checksum: number }): Segment {
  const found = db.get<{ head: Uint8Array }>("SELECT head FROM segment WHERE id = ?", id);
  if (!(found?.head instanceof Uint8Array)) throw new CorruptionError(`segment ${id} is missing`);
  const sections = readHead(found.head, partsOf(db, id));
  if (segmentChecksum(id, row.versions, sections.checksum) !== row.checksum)
    throw new CorruptionError(`the row of segment ${id} is damaged`);
  const segment = segmentFromSections(sections);
  if (segment.fileCount !== row.versions.length) throw new CorruptionError(`segment ${id} has another number of files`);
  return segment;
}

function partsOf(db: Connection, id: number): LoadBytes {
  const read: StoredPart[] = [];
  return (at, length) => {
    let part = read.find(({ start, bytes }) => start <= at && at < start + bytes.length);
    if (part === undefined) {
      part = readPart(db, id, at);
      read.push(part);
    }
    return part.bytes.subarray(at - part.start, at - part.start + length);
  };
}

function readPart(db: Connection, id: number, at: number): StoredPart {
  const sql = "SELECT start, bytes FROM segment_part WHERE segment = ? AND start <= ? ORDER BY start DESC LIMIT 1";
  const part = db.get<StoredPart>(sql, id, at);
  if (part?.bytes instanceof Uint8Array) return { start: part.start, bytes: unpackPart(part.bytes) };
  if (db.get("SELECT 1 FROM segment WHERE id = ?", id) === undefined) throw new SegmentReplaced();
  throw new CorruptionError(`a part of segment ${id} is missing`);
}

/** Binds a segment to its row and to its file versions; `content` is the checksum of its head. */
export function segmentChecksum(id: number, versions: Uint32Array, content: number): number {
  return checksum(id, crc32(bytesOf(versions)), content);
}

export function wordsOf(bytes: Uint8Array): Uint32Array {
  if (!(bytes instanceof Uint8Array) || bytes.length % 4 !== 0)
    throw new CorruptionError("a segment's list of files is damaged");
  const copy = bytes.slice();
  return new Uint32Array(copy.buffer, copy.byteOffset, copy.length / 4);
}

export function bytesOf(words: Uint32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}
