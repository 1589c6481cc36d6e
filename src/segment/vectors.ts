/** The vectors of a file's chunks as stored bytes: checksummed, not compressed (they are as good as noise). */
import { crc32 } from "node:zlib";
import type { Vectors } from "../model/vectors.ts";
import { CorruptionError } from "./corruption.ts";

/** CRC of the rest, tag, dimensions, rows; then the scales, then the rows. */
const HEAD = 16;
const TAG = 0x31;
const MOST_DIMS = 1 << 16;

export function encodeVectors({ dims, rows, scales }: Vectors): Uint8Array {
  const count = scales.length;
  const bytes = new Uint8Array(HEAD + 4 * count + rows.length);
  new Uint32Array(bytes.buffer, 4, 3).set([TAG, dims, count]);
  new Float32Array(bytes.buffer, HEAD, count).set(scales);
  new Int8Array(bytes.buffer, HEAD + 4 * count).set(rows);
  new DataView(bytes.buffer).setUint32(0, crc32(bytes.subarray(4)), true);
  return bytes;
}

/** Throws `CorruptionError`. */
export function decodeVectors(given: Uint8Array): Vectors {
  if (!(given instanceof Uint8Array) || given.length < HEAD) throw new CorruptionError("stored vectors are cut off");
  const bytes = given.byteOffset % 4 === 0 ? given : given.slice();
  const [crc, tag, dims, count] = new Uint32Array(bytes.buffer, bytes.byteOffset, 4) as unknown as number[];
  if (crc32(bytes.subarray(4)) !== crc) throw new CorruptionError("stored vectors fail their checksum");
  if (tag !== TAG || dims! > MOST_DIMS || bytes.length !== HEAD + count! * (4 + dims!))
    throw new CorruptionError("stored vectors have another form");
  const from = bytes.byteOffset + HEAD;
  return {
    dims: dims!,
    scales: new Float32Array(bytes.buffer, from, count),
    rows: new Int8Array(bytes.buffer, from + 4 * count!, count! * dims!),
  };
}
