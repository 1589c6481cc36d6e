/**
 * Codecs of a file's record, text and vectors: compressed with zstd where it pays, and checksummed. The CRC covers the
 * stored bytes, so that every flipped byte is found.
 */
import { constants, crc32, type ZstdOptions, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { FileRecord } from "../model/code.ts";
import type { Vectors } from "../model/vectors.ts";
import { CorruptionError, fromUtf8, utf8 } from "./bytes.ts";
import { packRecord, unpackRecord } from "./record-columns.ts";

/** Smaller records are not compressed: starting to decompress takes as long as reading a record of this size. */
const PLAIN_BYTES = 8 << 10;

export function encodeRecord(record: FileRecord): Uint8Array {
  return sealRecord(packRecord(record));
}

/** Takes the result of `recordContent`. */
export function sealRecord(content: Uint8Array): Uint8Array {
  return content.length <= PLAIN_BYTES ? sealPlain(TAG.plainRecord, content) : seal(TAG.record, content);
}

/** Throws `CorruptionError`. */
export function decodeRecord(bytes: Uint8Array): FileRecord {
  return unpackRecord(recordContent(bytes));
}

/** The plain content, equal for equal records. Throws `CorruptionError`. */
export function recordContent(bytes: Uint8Array): Uint8Array {
  return bytes[4] === TAG.plainRecord ? unsealPlain(TAG.plainRecord, bytes) : unseal(TAG.record, bytes);
}

/** Encodes a text or its UTF-8 bytes. */
export function encodeText(text: string | Uint8Array): Uint8Array {
  return seal(TAG.text, typeof text === "string" ? utf8(text) : text);
}

/** Throws `CorruptionError`. */
export function decodeText(bytes: Uint8Array): string {
  return fromUtf8(unseal(TAG.text, bytes));
}

/** First byte after the CRC: kind and form of the content. */
export const TAG = { record: 0x13, plainRecord: 0x14, text: 0x21, facts: 0x31, delta: 0x41 } as const;
/** Flag of a tag: the content is not compressed. Used between threads, never stored. */
const PLAIN = 0x80;
const HEAD = 5;
const LEVEL = { [constants.ZSTD_c_compressionLevel]: 3 };
/** Above any indexed file; stops a damaged length from exhausting the memory. */
const MOST_BYTES = 256 << 20;

export function seal(tag: number, content: Uint8Array): Uint8Array {
  return sealPlain(tag, zstdCompressSync(content, { params: LEVEL }));
}

/** Like `seal` without compression, for content that is decoded at once. */
export function sealUncompressed(tag: number, content: Uint8Array): Uint8Array {
  return sealPlain(tag | PLAIN, content);
}

function sealPlain(tag: number, body: Uint8Array): Uint8Array {
  const out = new Uint8Array(HEAD + body.length);
  out[4] = tag;
  out.set(body, HEAD);
  new DataView(out.buffer).setUint32(0, crc32(out.subarray(4)), true);
  return out;
}

/** Throws `CorruptionError`. */
export function unseal(tag: number, bytes: Uint8Array): Uint8Array {
  if (bytes[4] === (tag | PLAIN)) return unsealPlain(tag | PLAIN, bytes);
  const body = unsealPlain(tag, bytes);
  try {
    return decompressed(body, MOST_BYTES);
  } catch (cause) {
    throw new CorruptionError("stored content does not decompress", { cause });
  }
}

function unsealPlain(tag: number, bytes: Uint8Array): Uint8Array {
  if (bytes.length < HEAD) throw new CorruptionError("stored content is cut off");
  const crc = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  if (crc32(bytes.subarray(4)) !== crc) throw new CorruptionError("stored content fails its checksum");
  if (bytes[4] !== tag) throw new CorruptionError(`stored content has tag ${bytes[4]}, not ${tag}`);
  return bytes.subarray(HEAD);
}

/** CRC of the rest, tag, dimensions, rows; then the scales, then the rows. */
const VECTORS_HEAD = 16;
const VECTORS_TAG = 0x31;
const MOST_DIMS = 1 << 16;

export function encodeVectors({ dims, rows, scales }: Vectors): Uint8Array {
  const count = scales.length;
  const bytes = new Uint8Array(VECTORS_HEAD + 4 * count + rows.length);
  new Uint32Array(bytes.buffer, 4, 3).set([VECTORS_TAG, dims, count]);
  new Float32Array(bytes.buffer, VECTORS_HEAD, count).set(scales);
  new Int8Array(bytes.buffer, VECTORS_HEAD + 4 * count).set(rows);
  new DataView(bytes.buffer).setUint32(0, crc32(bytes.subarray(4)), true);
  return bytes;
}

/** Throws `CorruptionError`. */
export function decodeVectors(given: Uint8Array): Vectors {
  if (!(given instanceof Uint8Array) || given.length < VECTORS_HEAD)
    throw new CorruptionError("stored vectors are cut off");
  const bytes = given.byteOffset % 4 === 0 ? given : given.slice();
  const [crc, tag, dims, count] = new Uint32Array(bytes.buffer, bytes.byteOffset, 4) as unknown as number[];
  if (crc32(bytes.subarray(4)) !== crc) throw new CorruptionError("stored vectors fail their checksum");
  if (tag !== VECTORS_TAG || dims! > MOST_DIMS || bytes.length !== VECTORS_HEAD + count! * (4 + dims!))
    throw new CorruptionError("stored vectors have another form");
  const from = bytes.byteOffset + VECTORS_HEAD;
  return {
    dims: dims!,
    scales: new Float32Array(bytes.buffer, from, count),
    rows: new Int8Array(bytes.buffer, from + 4 * count!, count! * dims!),
  };
}

type WithDictionary = ZstdOptions & { readonly dictionary: Uint8Array };

/** With the frame's own checksum, because another dictionary would decode to other bytes. */
const PARAMS = { ...LEVEL, [constants.ZSTD_c_checksumFlag]: 1 };

/**
 * Stores content as a difference to a base: compressed with the base as the dictionary. The text of a new version of a file
 * takes some hundred bytes. Undefined where the runtime does not support it (Node before 22.19).
 */
export function encodeDelta(content: Uint8Array, base: Uint8Array): Uint8Array | undefined {
  knowsDictionaries ??= tryDictionary();
  if (!knowsDictionaries) return undefined;
  try {
    return sealPlain(TAG.delta, compressWithBase(content, base));
  } catch {
    // The base starts like a zstd dictionary but is none.
    return undefined;
  }
}

/** Whether the stored bytes need a base. */
export function isDelta(bytes: Uint8Array): boolean {
  return bytes[4] === TAG.delta;
}

/** Throws `CorruptionError`, also for a wrong base. */
export function decodeDelta(bytes: Uint8Array, base: Uint8Array): Uint8Array {
  const body = unsealPlain(TAG.delta, bytes);
  const options: WithDictionary = { dictionary: base };
  try {
    return decompressed(body, MOST_BYTES, options);
  } catch (cause) {
    throw new CorruptionError("stored content does not fit the content that it is kept over", { cause });
  }
}

function compressWithBase(content: Uint8Array, base: Uint8Array): Uint8Array {
  const options: WithDictionary = { dictionary: base, params: PARAMS };
  return zstdCompressSync(content, options);
}

/** Older runtimes ignore the option. Tried when first needed, because a query compresses nothing. */
let knowsDictionaries: boolean | undefined;

function tryDictionary(): boolean {
  const text = Uint8Array.from({ length: 256 }, (_, i) => (i * 89) & 255);
  return compressWithBase(text, text).length < text.length / 2;
}

/** Larger sizes are not allocated in advance. */
const BELIEVED_BYTES = 32 << 20;
/** Without spare room Node allocates another buffer to see that nothing follows. */
const SPARE_BYTES = 64;

/**
 * By default Node decompresses into buffers of 16 kB and then copies, and keeps the last one until the next full garbage
 * collection: 50 kB for a text of 18 kB. A known size needs one buffer.
 */
export function decompressed(frame: Uint8Array, maxOutputLength: number, options: ZstdOptions = {}): Buffer {
  const size = contentSize(frame);
  const room = size !== undefined && size <= BELIEVED_BYTES ? { chunkSize: size + SPARE_BYTES } : {};
  return zstdDecompressSync(frame, { ...options, ...room, maxOutputLength });
}

/** The content size in the head of a zstd frame (RFC 8878, 3.1.1.1); undefined if absent. */
function contentSize(frame: Uint8Array): number | undefined {
  if (frame.length < MOST_HEAD_BYTES) return undefined;
  const descriptor = frame[4]!;
  const isSingle = (descriptor & 0x20) !== 0;
  const at = 5 + (isSingle ? 0 : 1) + DICTIONARY_ID_BYTES[descriptor & 3]!;
  const head = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  switch (descriptor >> 6) {
    case 0:
      return isSingle ? head.getUint8(at) : undefined;
    case 1:
      return head.getUint16(at, true) + 256;
    case 2:
      return head.getUint32(at, true);
    default:
      return Number(head.getBigUint64(at, true));
  }
}

const DICTIONARY_ID_BYTES = [0, 1, 2, 4] as const;
const MOST_HEAD_BYTES = 18;
