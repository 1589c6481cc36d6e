/**
 * A file's record and its text as stored bytes: compact, compressed with zstd where it pays, checksummed.
 *
 * The CRC stands over the stored bytes, so that every flipped byte is found, one that would decode to the same included.
 */
import { constants, crc32, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { Chunk, CodeSymbol, FileRecord, Problem, Visibility } from "../model/code.ts";
import type { ContentHash } from "../model/ids.ts";
import { KINDS } from "../model/kinds.ts";
import { fromUtf8, utf8 } from "./bytes.ts";
import { CorruptionError } from "./corruption.ts";

/** Starting to decompress takes as long as reading a record of this size, and a definition may need a dozen records. */
const PLAIN_BYTES = 16 << 10;

export function encodeRecord(record: FileRecord): Uint8Array {
  const content = utf8(JSON.stringify(packRecord(record)));
  return content.length <= PLAIN_BYTES ? sealPlain(TAG.plainRecord, content) : seal(TAG.record, content);
}

/** Throws `CorruptionError`. */
export function decodeRecord(bytes: Uint8Array): FileRecord {
  return recordFrom(recordContent(bytes));
}

/** What is inside, whether it was compressed or not: the same for the same record. Throws `CorruptionError`. */
export function recordContent(bytes: Uint8Array): Uint8Array {
  return bytes[4] === TAG.plainRecord ? unsealPlain(TAG.plainRecord, bytes) : unseal(TAG.record, bytes);
}

export function recordFrom(content: Uint8Array): FileRecord {
  return unpackRecord(JSON.parse(fromUtf8(content)) as PackedRecord);
}

export function encodeText(text: string): Uint8Array {
  return seal(TAG.text, utf8(text));
}

/** Throws `CorruptionError`. */
export function decodeText(bytes: Uint8Array): string {
  return fromUtf8(unseal(TAG.text, bytes));
}

/** First byte after the CRC: what is inside, and in which form. */
export const TAG = { record: 0x11, plainRecord: 0x12, text: 0x21, facts: 0x31 } as const;
const HEAD = 5;
// No indexed file comes near it; it stops a damaged length from asking for all memory.
const MOST_BYTES = 256 << 20;

export function seal(tag: number, content: Uint8Array): Uint8Array {
  return sealPlain(tag, zstdCompressSync(content, { params: { [constants.ZSTD_c_compressionLevel]: 3 } }));
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
  const body = unsealPlain(tag, bytes);
  try {
    return zstdDecompressSync(body, { maxOutputLength: MOST_BYTES });
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

/** Arrays instead of named fields; spans as differences, which compress well. */
type PackedSymbol = [
  kind: number,
  name: string,
  /** What stands before the name in the qualified name; the whole in an array when it does not end with it. */
  qualifier: string | [string],
  start: number,
  length: number,
  lineStart: number,
  lines: number,
  ordinal: number,
  parent: number,
  signature: string | 0,
  doc: string | 0,
  keyword: string | 0,
  visibility: Visibility | 0,
  declaration?: 1,
];
type PackedRecord = [
  path: string,
  contentHash: string,
  language: string,
  lineCount: number,
  byteCount: number,
  symbols: PackedSymbol[],
  chunks: number[],
  problems: readonly Problem[],
];

function packRecord(it: FileRecord): PackedRecord {
  const symbols = it.symbols.map(packSymbol);
  const chunks = it.chunks.flatMap((chunk) => [chunk.lineStart, chunk.lineEnd - chunk.lineStart, chunk.symbol ?? -1]);
  return [it.path, it.contentHash, it.language, it.lineCount, it.byteCount, symbols, chunks, it.problems];
}

function unpackRecord(packed: PackedRecord): FileRecord {
  const [path, contentHash, language, lineCount, byteCount, symbols, chunks, problems] = packed;
  return {
    path,
    contentHash: contentHash as ContentHash,
    language,
    lineCount,
    byteCount,
    symbols: symbols.map(unpackSymbol),
    chunks: unpackChunks(chunks),
    problems,
  };
}

function packSymbol(it: CodeSymbol): PackedSymbol {
  const { start, end, lineStart, lineEnd } = it.span;
  const qualified = it.qualifiedName;
  const qualifier = qualified.endsWith(it.name) ? qualified.slice(0, qualified.length - it.name.length) : undefined;
  return [
    KINDS.indexOf(it.kind),
    it.name,
    qualifier ?? [qualified],
    start,
    end - start,
    lineStart,
    lineEnd - lineStart,
    it.ordinal,
    it.parent ?? -1,
    it.signature ?? 0,
    it.doc ?? 0,
    it.visibilityKeyword ?? 0,
    it.visibility ?? 0,
    ...(it.declaration ? [1 as const] : []),
  ] as PackedSymbol;
}

/** Fields are set one by one: a search opens dozens of records, and spreading takes three times as long. */
function unpackSymbol(it: PackedSymbol): CodeSymbol {
  const [name, qualifier] = [it[1], it[2]];
  const symbol: Writable<CodeSymbol> = {
    kind: KINDS[it[0]]!,
    name,
    qualifiedName: typeof qualifier === "string" ? qualifier + name : qualifier[0],
    span: { start: it[3], end: it[3] + it[4], lineStart: it[5], lineEnd: it[5] + it[6] },
    ordinal: it[7],
  };
  if (it[8] >= 0) symbol.parent = it[8];
  if (it[9] !== 0) symbol.signature = it[9];
  if (it[10] !== 0) symbol.doc = it[10];
  if (it[11] !== 0) symbol.visibilityKeyword = it[11];
  if (it[12] !== 0) symbol.visibility = it[12];
  if (it[13] === 1) symbol.declaration = true;
  return symbol;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

function unpackChunks(packed: readonly number[]): Chunk[] {
  const chunks: Chunk[] = [];
  for (let i = 0; i < packed.length; i += 3) {
    const lineStart = packed[i]!;
    const lineEnd = lineStart + packed[i + 1]!;
    const symbol = packed[i + 2]!;
    chunks.push(symbol >= 0 ? { lineStart, lineEnd, symbol } : { lineStart, lineEnd });
  }
  return chunks;
}
