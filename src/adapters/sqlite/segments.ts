/** The segments of a database: which there are, opened once and shared by every snapshot that needs them. */
import { crc32 } from "node:zlib";
import { CorruptionError } from "../../segment/corruption.ts";
import { openSegment, type Segment } from "../../segment/read.ts";
import { TextView, type ViewPart } from "../../segment/view.ts";
import type { Connection } from "./connection.ts";
import { checksum, type IndexedFile } from "./rows.ts";
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

/** Reads a segment and checks that it is the one of this row. */
export function readSegment(db: Connection, id: number, row: { versions: Uint32Array; checksum: number }): Segment {
  const found = db.get<{ bytes: Uint8Array }>("SELECT bytes FROM segment WHERE id = ?", id);
  if (!(found?.bytes instanceof Uint8Array)) throw new CorruptionError(`segment ${id} is missing`);
  const segment = openSegment(found.bytes);
  if (segmentChecksum(id, row.versions, found.bytes) !== row.checksum)
    throw new CorruptionError(`the row of segment ${id} is damaged`);
  if (segment.fileCount !== row.versions.length) throw new CorruptionError(`segment ${id} has another number of files`);
  return segment;
}

/** Binds a segment to its row and to its file versions. Its own CRC, at byte 8, stands for its content. */
export function segmentChecksum(id: number, versions: Uint32Array, bytes: Uint8Array): number {
  const content = new DataView(bytes.buffer, bytes.byteOffset).getUint32(8, true);
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
