/** Many equal rows as one blob, column by column: read in a tenth of the time that as many rows of a table take. */
import { constants, crc32, zstdCompressSync } from "node:zlib";
import { CorruptionError } from "./bytes.ts";
import { decompressed } from "./stored-content.ts";

export interface Columns {
  /** Anything that is not a column. */
  readonly meta: unknown;
  /** Without NUL. */
  readonly texts: readonly (readonly string[])[];
  readonly words: readonly Uint32Array[];
}

const SEPARATOR = "\0";
const HEAD_BYTES = 8; // crc of the rest, bytes before compression
const MOST_BYTES = 1 << 30;

export function packColumns({ meta, texts, words }: Columns): Uint8Array {
  const encoded = texts.map((column) => Buffer.from(column.join(SEPARATOR)));
  const lengths = [...encoded.map((bytes) => bytes.length), ...words.map((column) => column.length)];
  const said = Buffer.from(JSON.stringify([meta, texts.map((column) => column.length), lengths]));
  const size = Buffer.alloc(4);
  size.writeUInt32LE(said.length);
  const columns = words.map((column) => Buffer.from(column.buffer, column.byteOffset, column.byteLength));
  const plain = Buffer.concat([size, said, ...encoded, ...columns]);
  const body = zstdCompressSync(plain, { params: { [constants.ZSTD_c_compressionLevel]: 1 } });
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32LE(plain.length, 4);
  head.writeUInt32LE(crc32(body, crc32(head.subarray(4))), 0);
  return Buffer.concat([head, body]);
}

/** Throws `CorruptionError`. */
export function unpackColumns(bytes: Uint8Array): Columns {
  if (!(bytes instanceof Uint8Array) || bytes.length < HEAD_BYTES)
    throw new CorruptionError("a pack of rows is cut off");
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, HEAD_BYTES);
  if (crc32(bytes.subarray(4)) !== head.readUInt32LE(0)) throw new CorruptionError("a pack of rows fails its checksum");
  const plain = decompressed(bytes.subarray(HEAD_BYTES), MOST_BYTES);
  const start = 4 + plain.readUInt32LE(0);
  const [meta, counts, lengths] = JSON.parse(plain.toString("utf8", 4, start)) as [unknown, number[], number[]];
  let at = start;
  const texts = counts.map((count, i) => {
    const text = plain.toString("utf8", at, at + lengths[i]!);
    at += lengths[i]!;
    return count === 0 ? [] : text.split(SEPARATOR);
  });
  const words = lengths.slice(counts.length).map((length) => {
    // A copy, because what lies behind texts is not on a word boundary.
    const column = new Uint32Array(length);
    plain.copy(new Uint8Array(column.buffer), 0, at, at + length * 4);
    at += length * 4;
    return column;
  });
  return { meta, texts, words };
}
