/** What one open store has read of files: their records, texts and facts, as far as they were needed. */
import { ByteCache } from "../../engine/byte-cache.ts";
import type { FileRecord } from "../../model/code.ts";
import { type Facts, NO_FACTS } from "../../model/edges.ts";
import type { FileRow } from "../../ports/view.ts";
import { CorruptionError } from "../../segment/bytes.ts";
import { decodeFacts } from "../../segment/facts.ts";
import { PackedFrame } from "../../segment/frame.ts";
import { openedBytes, unpackRecord } from "../../segment/record-columns.ts";
import { decodeText, recordContent } from "../../segment/stored-content.ts";
import { FileLoader, readFileBlobs } from "./file-loader.ts";
import type { Asking } from "./query-interface.ts";
import { requireVisible } from "./repository.ts";

const RECORD_CACHE_BYTES = 16 << 20;
/** Those of a million lines. */
const FRAME_CACHE_BYTES = 24 << 20;
const TEXT_CACHE_BYTES = 16 << 20;
const FACTS_CACHE_BYTES = 64 << 20;
/** Decoded, facts take about this many times the bytes of their stored form. */
const FACTS_EXPANSION = 8;
const TEXTS_AT_ONCE = 256;

type Version = Pick<FileRow, "id" | "path" | "contentHash">;

export class Contents {
  readonly #asking: Asking;
  readonly #records: ByteCache<number, FileRecord>;
  readonly #frames: ByteCache<number, PackedFrame>;
  readonly #facts: ByteCache<number, Facts>;
  readonly #texts: ByteCache<string, string>;
  readonly #recordLoader: FileLoader;
  readonly #textLoader: FileLoader;

  /** `cacheShare`: the part of its caches that this reader may fill. */
  constructor(asking: Asking, cacheShare: number) {
    this.#asking = asking;
    this.#records = new ByteCache(RECORD_CACHE_BYTES * cacheShare);
    this.#frames = new ByteCache(FRAME_CACHE_BYTES * cacheShare);
    this.#facts = new ByteCache(FACTS_CACHE_BYTES * cacheShare);
    this.#texts = new ByteCache(TEXT_CACHE_BYTES * cacheShare);
    this.#recordLoader = new FileLoader(asking, "record");
    this.#textLoader = new FileLoader(asking, "text");
  }

  /** Lets go of what was read. */
  clear(): void {
    for (const cache of [this.#records, this.#frames, this.#facts, this.#texts]) cache.clear();
  }

  async record(repo: number, file: Version): Promise<FileRecord> {
    const cached = this.#records.get(file.id);
    if (cached !== undefined) return cached;
    const content = await this.#recordContent(repo, file);
    const known = this.#records.get(file.id);
    if (known !== undefined) return known;
    const record = unpackRecord(content);
    if (record.path !== file.path || record.contentHash !== file.contentHash)
      throw new CorruptionError(`the record of ${file.path} belongs to ${record.path}`);
    this.#records.set(file.id, record, openedBytes(record, content));
    return record;
  }

  async frame(repo: number, file: Version): Promise<PackedFrame> {
    const cached = this.#frames.get(file.id);
    if (cached !== undefined) return cached;
    const content = await this.#recordContent(repo, file);
    const known = this.#frames.get(file.id);
    if (known !== undefined) return known;
    const frame = new PackedFrame(file, content);
    this.#frames.set(file.id, frame, frame.size + content.buffer.byteLength);
    return frame;
  }

  async #recordContent(repo: number, { id, path }: Version): Promise<Uint8Array> {
    return recordContent(required(await this.#recordLoader.load(repo, id), `the record of ${path} is missing`));
  }

  /** Fetches records that the next question will want; nobody waits. */
  recordsSoon(repo: number, files: Iterable<FileRow>): void {
    for (const file of files) if (this.#frames.get(file.id) === undefined) void this.#recordLoader.load(repo, file.id);
  }

  async text(repo: number, file: FileRow): Promise<string> {
    const cached = this.#texts.get(file.contentHash);
    if (cached !== undefined) return cached;
    const bytes = await this.#textLoader.load(repo, file.id);
    if (bytes === undefined) throw new CorruptionError(`the text of ${file.path} is missing`);
    const text = decodeText(bytes);
    this.#texts.set(file.contentHash, text, text.length);
    return text;
  }

  async packed(repo: number, files: readonly FileRow[]): Promise<Uint8Array[]> {
    const packed: Uint8Array[] = [];
    for (let from = 0; from < files.length; from += TEXTS_AT_ONCE) {
      const some = files.slice(from, from + TEXTS_AT_ONCE);
      const found = await readFileBlobs(
        this.#asking,
        "text",
        repo,
        some.map(({ id }) => id),
      );
      for (const file of some) packed.push(required(found.get(file.id), `the text of ${file.path} is missing`));
    }
    return packed;
  }

  async facts(repo: number, files: readonly FileRow[]): Promise<Facts[]> {
    const kept = new Map(
      files.flatMap(({ id }) => {
        const facts = this.#facts.get(id);
        return facts === undefined ? [] : [[id, facts] as const];
      }),
    );
    const missing = files.map(({ id }) => id).filter((id) => !kept.has(id));
    const read = new Map<number, Facts>(kept);
    for (let from = 0; from < missing.length; from += TEXTS_AT_ONCE) {
      const some = missing.slice(from, from + TEXTS_AT_ONCE);
      const found = await readFileBlobs(this.#asking, "facts", repo, some);
      if (found.size < some.length) await requireVisible(this.#asking, repo);
      for (const id of some) {
        const bytes = found.get(id);
        const facts = bytes === undefined ? NO_FACTS : decodeFacts(bytes);
        read.set(id, facts);
        this.#facts.set(id, facts, (bytes?.length ?? 16) * FACTS_EXPANSION);
      }
    }
    return files.map(({ id }) => read.get(id)!);
  }
}

function required<T>(value: T | undefined, otherwise: string): T {
  if (value === undefined) throw new CorruptionError(otherwise);
  return value;
}
