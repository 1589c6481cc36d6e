/** What is stored of file versions: records, frames, facts and texts, and the caches of them. */
import type { FileRecord } from "../model/code.ts";
import { count } from "../model/counters.ts";
import { type Facts, NO_FACTS } from "../model/edges.ts";
import { inTurns } from "../model/event-loop.ts";
import type { Content } from "../ports/backend.ts";
import type { FileRow } from "../ports/snapshot.ts";
import { CorruptionError } from "../segment/bytes.ts";
import { decodeFacts } from "../segment/facts.ts";
import { PackedFrame } from "../segment/frame.ts";
import { openedBytes, unpackRecord } from "../segment/record-columns.ts";
import { decodeText, recordContent } from "../segment/stored-content.ts";
import type { ReaderOptions } from "./content-reader.ts";

/** For whole records, as outlines need them; a search reads frames. */
const RECORD_CACHE_BYTES = 12 << 20;
/** Positions of the symbols of some 8,000 files in the bytes of their records, and those bytes. */
const FRAME_CACHE_BYTES = 36 << 20;
/** Readers with a small share need fewer texts: those are read where answers are put together. */
const TEXT_CACHE_BYTES = 46 << 20;
/** A query for a name that 1,000 files use reads the facts of all of them; the next one should not. */
const FACTS_CACHE_BYTES = 64 << 20;
const FACTS_EXPANSION = 8;
/** More would keep a remote answer in memory for long, or a thread busy for long. */
const BLOBS_AT_ONCE = { remote: 256, embedded: 16 };

export type VersionFile = Pick<FileRow, "id" | "path" | "contentHash">;

export class Contents {
  readonly #content: Content;
  readonly #records: ByteCache<number, FileRecord>;
  readonly #frames: ByteCache<number, PackedFrame>;
  readonly #facts: ByteCache<number, Facts>;
  readonly #texts: ByteCache<string, string>;
  readonly #recordLoader: BlobLoader;
  readonly #textLoader: BlobLoader;

  readonly #atOnce: number;

  constructor(content: Content, { cacheShare, principal, isEmbedded }: Omit<ReaderOptions, "kernelOf">) {
    this.#content = content;
    this.#atOnce = isEmbedded ? BLOBS_AT_ONCE.embedded : BLOBS_AT_ONCE.remote;
    this.#records = new ByteCache(RECORD_CACHE_BYTES * cacheShare);
    this.#frames = new ByteCache(FRAME_CACHE_BYTES * cacheShare);
    this.#facts = new ByteCache(FACTS_CACHE_BYTES * cacheShare);
    this.#texts = new ByteCache(TEXT_CACHE_BYTES * cacheShare ** 2);
    this.#recordLoader = new BlobLoader(content, "record", principal);
    this.#textLoader = new BlobLoader(content, "text", principal);
  }

  clear(): void {
    for (const cache of [this.#records, this.#frames, this.#facts, this.#texts]) cache.clear();
  }

  async record(file: VersionFile): Promise<FileRecord> {
    const cached = this.#records.get(file.id);
    if (cached !== undefined) return cached;
    const content = recordContent(await this.#recordLoader.load(file));
    const record = unpackRecord(content);
    if (record.path !== file.path || record.contentHash !== file.contentHash)
      throw new CorruptionError(`the record of ${file.path} belongs to ${record.path}`);
    this.#records.set(file.id, record, openedBytes(record, content));
    return record;
  }

  async frame(file: VersionFile): Promise<PackedFrame> {
    const cached = this.#frames.get(file.id);
    if (cached !== undefined) return cached;
    const decoded = recordContent(await this.#recordLoader.load(file));
    // Copied: what was decompressed may lie in a buffer that is twice as long.
    const content = decoded.length < decoded.buffer.byteLength - 1024 ? new Uint8Array(decoded) : decoded;
    const frame = new PackedFrame(file, content);
    this.#frames.set(file.id, frame, frame.size + content.length);
    return frame;
  }

  async text(file: FileRow): Promise<string> {
    const cached = this.#texts.get(file.contentHash);
    if (cached !== undefined) return cached;
    const text = decodeText(await this.#textLoader.load(file));
    this.#texts.set(file.contentHash, text, text.length);
    return text;
  }

  async packed(files: readonly FileRow[]): Promise<Uint8Array[]> {
    const packed: Uint8Array[] = [];
    for (const some of batches(files, this.#atOnce)) {
      const found = await readBlobs(this.#content, "text", some);
      for (const file of some) packed.push(required(found.get(file.id), `the text of ${file.path} is missing`));
      await inTurns([0], () => {});
    }
    return packed;
  }

  async facts(files: readonly FileRow[]): Promise<Facts[]> {
    const read = new Map<number, Facts>();
    const missing: FileRow[] = [];
    for (const file of files) {
      const cached = this.#facts.get(file.id);
      if (cached === undefined) missing.push(file);
      else read.set(file.id, cached);
    }
    for (const some of batches(missing, this.#atOnce)) {
      const found = await readBlobs(this.#content, "facts", some);
      await inTurns(some, ({ id }) => {
        const bytes = found.get(id);
        const facts = bytes === undefined ? NO_FACTS : decodeFacts(bytes);
        read.set(id, facts);
        this.#facts.set(id, facts, (bytes?.length ?? 16) * FACTS_EXPANSION);
      });
    }
    return files.map(({ id }) => read.get(id)!);
  }
}

/** By version. */
async function readBlobs(
  content: Content,
  kind: "record" | "facts" | "text",
  versions: readonly VersionFile[],
): Promise<Map<number, Uint8Array>> {
  const found = await content.blobs({ kind, versions, form: "readable" });
  return new Map(found.map(({ owner, bytes }) => [owner, bytes]));
}

function batches<T>(list: readonly T[], size: number): T[][] {
  const count = Math.ceil(list.length / size);
  return Array.from({ length: count }, (_, at) => list.slice(at * size, (at + 1) * size));
}

function required<T>(value: T | undefined, otherwise: string): T {
  if (value === undefined) throw new CorruptionError(otherwise);
  return value;
}

interface PendingBlob {
  readonly file: VersionFile;
  readonly promise: Promise<Uint8Array>;
  readonly resolve: (bytes: Uint8Array) => void;
  readonly reject: (error: unknown) => void;
}

/** Reads blobs one by one for its callers; those of one turn of the event loop are fetched together. */
class BlobLoader {
  readonly #content: Content;
  readonly #kind: "record" | "text";
  readonly #principal: () => string;
  /** By principal, because a batch is read with the rights of one: what is queued, and what is being read. */
  readonly #queued = new Map<string, Map<number, PendingBlob>>();
  readonly #running = new Map<string, Promise<Uint8Array>>();

  constructor(content: Content, kind: "record" | "text", principal: () => string) {
    this.#content = content;
    this.#kind = kind;
    this.#principal = principal;
  }

  load(file: VersionFile): Promise<Uint8Array> {
    const principal = this.#principal();
    const running = this.#running.get(`${principal} ${file.id}`);
    if (running !== undefined) return running;
    const queued = this.#queued.get(principal) ?? new Map<number, PendingBlob>();
    const known = queued.get(file.id);
    if (known !== undefined) return known.promise;
    if (queued.size === 0) {
      this.#queued.set(principal, queued);
      // Runs in the context of this request, and so with the rights of its principal.
      queueMicrotask(() => this.#flush(principal, [...queued.values()]));
    }
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    queued.set(file.id, { file, promise, resolve, reject });
    return promise;
  }

  #flush(principal: string, waiting: readonly PendingBlob[]): void {
    this.#queued.delete(principal);
    for (const { file, promise } of waiting) this.#running.set(`${principal} ${file.id}`, promise);
    for (const some of batches(waiting, BLOBS_AT_ONCE.remote)) void this.#fetch(principal, some);
  }

  async #fetch(principal: string, waiting: readonly PendingBlob[]): Promise<void> {
    try {
      const files = waiting.map(({ file }) => file);
      const found = await readBlobs(this.#content, this.#kind, files);
      for (const { file, resolve, reject } of waiting) {
        const bytes = found.get(file.id);
        if (bytes !== undefined) resolve(bytes);
        else reject(new CorruptionError(`the ${this.#kind} of ${file.path} is missing`));
      }
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    } finally {
      for (const { file } of waiting) this.#running.delete(`${principal} ${file.id}`);
    }
  }
}

/** Keeps what was used of late, up to a number of bytes. */
class ByteCache<K, V> {
  private readonly most: number;
  private readonly kept = new Map<K, CacheEntry<V>>();
  private size = 0;

  constructor(mostBytes: number) {
    this.most = mostBytes;
  }

  clear(): void {
    this.kept.clear();
    this.size = 0;
  }

  get(key: K): V | undefined {
    const hit = this.kept.get(key);
    count(hit === undefined ? "cacheMisses" : "cacheHits");
    if (hit === undefined) return undefined;
    // Not moved to the end each time: that is two more changes of the map for every read.
    hit.wasUsed = true;
    return hit.value;
  }

  set(key: K, value: V, size: number): void {
    if (size > this.most || this.kept.has(key)) return;
    this.kept.set(key, { value, size, wasUsed: false });
    this.size += size;
    // A map keeps the order of insertion. An entry that was used since it reached the front is queued again.
    for (const [oldest, it] of this.kept) {
      if (this.size <= this.most) return;
      this.kept.delete(oldest);
      if (it.wasUsed) {
        it.wasUsed = false;
        this.kept.set(oldest, it);
      } else this.size -= it.size;
    }
  }
}

interface CacheEntry<V> {
  readonly value: V;
  readonly size: number;
  wasUsed: boolean;
}
