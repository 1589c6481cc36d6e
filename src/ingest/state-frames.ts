/** Lines and frames out of a stream, a piece at a time. */

import type { FileRecord } from "../model/code.ts";
import type { Facts } from "../model/edges.ts";
import { CompassError } from "../model/errors.ts";
import type { StoredFile } from "../ports/versions.ts";
import { decodeFacts } from "../segment/facts.ts";
import { encodeRecord, seal, TAG } from "../segment/record.ts";
import { unpackRecord } from "../segment/record-columns.ts";
import { checkFacts, checkFactsSize, checkHead, checkRecord, must } from "./state-check.ts";
import { type FrameHead, refuseArchive } from "./state-format.ts";

/** No file that is indexed comes near; it bounds what a forged length can ask for. */
const MOST_BYTES = 64 << 20;
const MOST_HEAD_BYTES = 64 << 10;

/** A file out of an archive, checked, as the store takes it and as a segment is made from it. */
export interface Frame {
  readonly stored: StoredFile;
  readonly record: FileRecord;
  readonly text: string;
  readonly facts?: Facts;
}

export async function* readLines(content: AsyncIterable<Uint8Array>): AsyncIterable<unknown> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let rest = "";
  for await (const part of content) {
    const lines = (rest + readable(() => decoder.decode(part, { stream: true }))).split("\n");
    rest = lines.pop()!;
    must(rest.length <= MOST_HEAD_BYTES, "has a line without an end");
    for (const line of lines) yield readable(() => JSON.parse(line) as unknown);
  }
  must(rest === "", "has a line without an end");
}

export async function* readFrames(content: AsyncIterable<Uint8Array>): AsyncIterable<Frame> {
  const pieces = new ChunkedReader(content);
  while (!(await pieces.isAtEnd())) {
    const length = new DataView((await pieces.take(4)).buffer).getUint32(0, true);
    must(length > 0 && length <= MOST_HEAD_BYTES, "has a file without a head");
    const bytes = await pieces.take(length);
    const head = readable(() => JSON.parse(decodeUtf8(bytes)) as FrameHead);
    checkHead(head);
    must(Array.isArray(head.sizes) && head.sizes.length === 3, "has a file without its sizes");
    must(head.sizes.every(isSize), "has a file that is too large");
    const [record, text, facts] = head.sizes;
    yield decodeFrame(head, await pieces.take(record), await pieces.take(text), await pieces.take(facts));
  }
}

function decodeFrame(head: FrameHead, recordBytes: Uint8Array, textBytes: Uint8Array, factsBytes: Uint8Array): Frame {
  const text = readable(() => decodeUtf8(textBytes));
  const record = readable(() => unpackRecord(recordBytes));
  readable(() => checkRecord(record, head, text));
  const stored = {
    path: head.path,
    contentHash: head.hash,
    extractor: head.extractor,
    language: head.language,
    symbolCount: record.symbols.length,
    chunkCount: record.chunks.length,
    byteCount: head.bytes,
    ...(head.problem !== undefined && { problem: head.problem }),
    ...(head.blob !== undefined && { blob: head.blob }),
    record: encodeRecord(record),
    text: seal(TAG.text, textBytes),
  };
  if (factsBytes.length === 0) return { stored: { ...stored, facts: factsBytes }, record, text };
  checkFactsSize(factsBytes);
  const facts = seal(TAG.facts, factsBytes);
  const decoded = readable(() => decodeFacts(facts));
  readable(() => checkFacts(decoded, record));
  return { stored: { ...stored, facts }, record, text, facts: decoded };
}

function isSize(size: unknown): size is number {
  return Number.isSafeInteger(size) && (size as number) >= 0 && (size as number) <= MOST_BYTES;
}

/** A byte order mark inside a text is text; a byte that is no UTF-8 was never written by us. */
function decodeUtf8(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}

/** Whatever a decoder stumbles over is the archive's fault. */
function readable<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof CompassError ? error : refuseArchive("is damaged", error);
  }
}

class ChunkedReader {
  readonly #parts: AsyncIterator<Uint8Array>;
  #held: Uint8Array = new Uint8Array(0);

  constructor(content: AsyncIterable<Uint8Array>) {
    this.#parts = content[Symbol.asyncIterator]();
  }

  async isAtEnd(): Promise<boolean> {
    while (this.#held.length === 0) if (!(await this.#more())) return true;
    return false;
  }

  /** A copy of exactly so many bytes. */
  async take(count: number): Promise<Uint8Array> {
    const out = new Uint8Array(count);
    for (let at = 0; at < count; ) {
      must(!(await this.isAtEnd()), "is cut off in a file");
      const part = this.#held.subarray(0, count - at);
      out.set(part, at);
      at += part.length;
      this.#held = this.#held.subarray(part.length);
    }
    return out;
  }

  async #more(): Promise<boolean> {
    const { value, done } = await this.#parts.next();
    if (!done) this.#held = value;
    return !done;
  }
}
