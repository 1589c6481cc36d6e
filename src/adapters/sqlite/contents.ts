/** What is stored of file versions, as whoever reads wants it: records, frames, facts and texts, and the caches of them. */
import { ByteCache } from "../../engine/byte-cache.ts";
import type { FileRecord } from "../../model/code.ts";
import { type Facts, NO_FACTS } from "../../model/edges.ts";
import type { FileId } from "../../model/ids.ts";
import type { VersionKey } from "../../ports/versions.ts";
import type { FileRow } from "../../ports/view.ts";
import { CorruptionError } from "../../segment/bytes.ts";
import { decodeFacts } from "../../segment/facts.ts";
import { PackedFrame } from "../../segment/frame.ts";
import { openedBytes, unpackRecord } from "../../segment/record-columns.ts";
import { decodeText, recordContent } from "../../segment/stored-content.ts";
import type { Connection } from "./connection.ts";
import { wholeOf } from "./delta-rows.ts";
import { refusing } from "./failures.ts";
import { storedFacts } from "./marks.ts";
import { versionId } from "./publish.ts";

/** For outlines and the like; a search reads frames. */
const RECORD_CACHE_BYTES = 12 << 20;
/** Where the symbols of some 8,000 files stand in the bytes of their records, and those bytes, outside V8's heap. */
const FRAME_CACHE_BYTES = 12 << 20;
const PACKED_CACHE_BYTES = 24 << 20;
/** Of texts, who has a small share wants less: they are read where answers are put together, seldom where files are found. */
const TEXT_CACHE_BYTES = 46 << 20;

/** A question about a name that 1,000 files use reads the facts of all of them; the next one should not. */
const FACTS_CACHE_BYTES = 64 << 20;
const FACTS_EXPANSION = 8;

type Version = Pick<FileRow, "id" | "path" | "contentHash">;

export class Contents {
  readonly #db: Connection;
  readonly #records: ByteCache<number, FileRecord>;
  readonly #frames: ByteCache<number, PackedFrame>;
  readonly #packed: ByteCache<number, Uint8Array>;
  readonly #facts: ByteCache<number, Facts>;
  readonly #texts: ByteCache<string, string>;

  /** `share`: the part of its caches that this reader may fill. */
  constructor(db: Connection, share: number) {
    this.#db = db;
    this.#records = new ByteCache(RECORD_CACHE_BYTES * share);
    this.#frames = new ByteCache(FRAME_CACHE_BYTES * share);
    this.#packed = new ByteCache(PACKED_CACHE_BYTES * share);
    this.#facts = new ByteCache(FACTS_CACHE_BYTES * share);
    this.#texts = new ByteCache(TEXT_CACHE_BYTES * share ** 2);
  }

  /** Lets go of what was read. */
  clear(): void {
    for (const cache of [this.#records, this.#frames, this.#packed, this.#facts, this.#texts]) cache.clear();
  }

  record(file: Version): FileRecord {
    const cached = this.#records.get(file.id);
    if (cached !== undefined) return cached;
    const bytes = this.#recordBytes(file);
    const record = unpackRecord(bytes);
    if (record.path !== file.path || record.contentHash !== file.contentHash) {
      throw new CorruptionError(`the record of ${file.path} belongs to ${record.path}`);
    }
    this.#records.set(file.id, record, openedBytes(record, bytes));
    return record;
  }

  frame(file: Version): PackedFrame {
    const cached = this.#frames.get(file.id);
    if (cached !== undefined) return cached;
    const open = () => refusing("reading the index", () => this.#recordBytes(file));
    const frame = new PackedFrame(file, this.#recordBytes(file), open);
    this.#frames.set(file.id, frame, frame.size);
    return frame;
  }

  #recordBytes({ id, path }: Pick<FileRow, "id" | "path">): Uint8Array {
    const cached = this.#packed.get(id);
    if (cached !== undefined) return cached;
    const row = this.#db.get<{ bytes: Uint8Array }>("SELECT bytes FROM record WHERE version = ?", id);
    if (row === undefined) throw new CorruptionError(`the record of ${path} is missing`);
    const content = recordContent(wholeOf(this.#db, "record", id, row.bytes));
    // Copied: what was decompressed may lie in a buffer that is twice as long.
    const bytes = content.length < content.buffer.byteLength - 1024 ? new Uint8Array(content) : content;
    this.#packed.set(id, bytes, bytes.length);
    return bytes;
  }

  facts(file: FileRow): Facts {
    const cached = this.#facts.get(file.id);
    if (cached !== undefined) return cached;
    const stored = storedFacts(this.#db, file.id);
    const bytes = stored && wholeOf(this.#db, "facts", file.id, stored);
    const facts = bytes === undefined ? NO_FACTS : decodeFacts(bytes);
    this.#facts.set(file.id, facts, (bytes?.length ?? 16) * FACTS_EXPANSION);
    return facts;
  }

  /** The record of a version, whichever view shows it. */
  recordOf(key: VersionKey): FileRecord | undefined {
    const id = versionId(this.#db, key);
    return id === undefined ? undefined : this.record({ ...key, id: id as FileId });
  }

  text(file: FileRow): string {
    const cached = this.#texts.get(file.contentHash);
    if (cached !== undefined) return cached;
    const text = decodeText(this.packed(file));
    this.#texts.set(file.contentHash, text, text.length);
    return text;
  }

  packed(file: FileRow): Uint8Array {
    const row = storedText(this.#db, file.contentHash);
    if (row === undefined) throw new CorruptionError(`the text of ${file.path} is missing`);
    return wholeOf(this.#db, "text", row.id, row.text);
  }
}

interface TextRow {
  readonly id: number;
  readonly hash: string;
  readonly text: Uint8Array;
}

/** Asks for the row by its id: from the index on hashes alone, a damaged entry would give another file's text. */
export function storedText(db: Connection, hash: string): TextRow | undefined {
  const found = db.get<{ id: number }>("SELECT id FROM content WHERE hash = ?", hash);
  if (found === undefined) return undefined;
  const row = db.get<TextRow>("SELECT id, hash, text FROM content WHERE id = ?", found.id);
  if (row?.hash !== hash) throw new CorruptionError(`text ${found.id} belongs to another file`);
  return row;
}
