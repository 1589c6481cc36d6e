/**
 * The parts of small segments are kept compressed: a branch brings its files as small segments, and there may be a
 * hundred of them. Large ones, where most of an index lies, are kept as they are read, unless they hold what other refs
 * show: a command need not open them, and a server opens them once (3 ms a megabyte).
 */
import { constants, zstdCompressSync } from "node:zlib";
import { SMALL_CHUNKS } from "../../engine/merging.ts";
import { CorruptionError } from "../../segment/bytes.ts";
import { decompressed } from "../../segment/stored-content.ts";

/** Sections lie on 4-byte boundaries, so no part has another length; one that has is compressed behind its first bytes. */
const BOUNDARY = 4;
const LEAST_BYTES = 1_024;
/** No segment comes near it; it stops a damaged length from asking for all memory. */
const MOST_BYTES = 1 << 30;

/** How the parts of a segment are kept: `aside` are those of other refs. */
export type PartEncoding = "plain" | "packed" | "aside";

export function keepingOf(chunks: number, isAside: () => boolean): PartEncoding {
  if (chunks <= SMALL_CHUNKS) return "packed";
  return isAside() ? "aside" : "plain";
}

/** Small ones are written while a caller waits; large ones in the background, where level 3 saves 4 % more for twice the time. */
const LEVEL = { packed: 1, aside: 3 } as const;

export function packPart(bytes: Uint8Array, keeping: PartEncoding): Uint8Array {
  if (keeping === "plain" || bytes.length < LEAST_BYTES) return bytes;
  const packed = zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: LEVEL[keeping] } });
  const ahead = (packed.length + 1) % BOUNDARY === 0 ? 2 : 1;
  const out = new Uint8Array(ahead + packed.length);
  out[0] = ahead;
  out.set(packed, ahead);
  return out.length < bytes.length ? out : bytes;
}

/** Throws `CorruptionError`. What comes out is checked by the segment's head. */
export function unpackPart(bytes: Uint8Array): Uint8Array {
  if (bytes.length % BOUNDARY === 0) return bytes;
  try {
    const plain = decompressed(bytes.subarray(bytes[0]), MOST_BYTES);
    // Words are read where they lie.
    return plain.byteOffset % BOUNDARY === 0 ? plain : plain.slice();
  } catch (cause) {
    throw new CorruptionError("a part of a segment does not decompress", { cause });
  }
}
