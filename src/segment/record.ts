/**
 * A file's record and its text as stored bytes: compact, compressed with zstd where it pays, checksummed.
 *
 * The CRC stands over the stored bytes, so that every flipped byte is found, one that would decode to the same included.
 */
import { crc32 } from "node:zlib";
import type { FileRecord } from "../model/code.ts";
import { fromUtf8, utf8 } from "./bytes.ts";
import { compressed } from "./compress.ts";
import { CorruptionError } from "./corruption.ts";
import { decompressed } from "./decompress.ts";
import { packRecord, unpackRecord } from "./record-columns.ts";

/** Starting to decompress takes as long as reading a record of this size, and a definition may need a dozen records. */
const PLAIN_BYTES = 8 << 10;

/** `seal`, or `sealInPassing`. */
export type Seal = (tag: number, content: Uint8Array) => Uint8Array;

export function encodeRecord(record: FileRecord, by: Seal = seal): Uint8Array {
  return sealRecord(packRecord(record), by);
}

/** Of what `recordContent` gives. */
export function sealRecord(content: Uint8Array, by: Seal = seal): Uint8Array {
  return content.length <= PLAIN_BYTES ? sealPlain(TAG.plainRecord, content) : by(TAG.record, content);
}

/** Throws `CorruptionError`. */
export function decodeRecord(bytes: Uint8Array): FileRecord {
  return unpackRecord(recordContent(bytes));
}

/** What is inside, whether it was compressed or not: the same for the same record. Throws `CorruptionError`. */
export function recordContent(bytes: Uint8Array): Uint8Array {
  return bytes[4] === TAG.plainRecord ? unsealPlain(TAG.plainRecord, bytes) : unseal(TAG.record, bytes);
}

/** Of a text, or of its UTF-8. */
export function encodeText(text: string | Uint8Array, by: Seal = seal): Uint8Array {
  return by(TAG.text, typeof text === "string" ? utf8(text) : text);
}

/** Throws `CorruptionError`. */
export function decodeText(bytes: Uint8Array): string {
  return fromUtf8(unseal(TAG.text, bytes));
}

/** First byte after the CRC: what is inside, and in which form; `like`: see `likeness.ts`. */
export const TAG = { record: 0x13, plainRecord: 0x14, text: 0x21, facts: 0x31, delta: 0x41 } as const;
/** Added to a tag: what is inside is not compressed. Never stored, but handed on by who had it in hand. */
const PLAIN = 0x80;
const HEAD = 5;
/** No indexed file comes near it; it stops a damaged length from asking for all memory. */
export const MOST_BYTES = 256 << 20;

export function seal(tag: number, content: Uint8Array): Uint8Array {
  return sealPlain(tag, compressed(content));
}

/** As `seal`, for a reader who comes at once: nothing is gained by compressing for him. */
export function sealUncompressed(tag: number, content: Uint8Array): Uint8Array {
  return sealPlain(tag | PLAIN, content);
}

export function isUncompressed(bytes: Uint8Array): boolean {
  return (bytes[4]! & PLAIN) !== 0;
}

export function sealPlain(tag: number, body: Uint8Array): Uint8Array {
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

export function unsealPlain(tag: number, bytes: Uint8Array): Uint8Array {
  if (bytes.length < HEAD) throw new CorruptionError("stored content is cut off");
  const crc = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  if (crc32(bytes.subarray(4)) !== crc) throw new CorruptionError("stored content fails its checksum");
  if (bytes[4] !== tag) throw new CorruptionError(`stored content has tag ${bytes[4]}, not ${tag}`);
  return bytes.subarray(HEAD);
}
