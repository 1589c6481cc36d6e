/** zstd, back to plain bytes, in one buffer of the right size. */
import { type ZstdOptions, zstdDecompressSync } from "node:zlib";

/** A frame that claims more is not believed at once. */
const BELIEVED_BYTES = 32 << 20;
/** With no room left over, another buffer would be opened to see that nothing follows. */
const SPARE_BYTES = 64;

/**
 * Left alone, Node decompresses into one buffer of 16 kB after the other and then into one of the whole size, and holds
 * on to the last until all garbage is collected: 50 kB in all for a text of 18.
 */
export function decompressed(frame: Uint8Array, maxOutputLength: number, options: ZstdOptions = {}): Buffer {
  const size = contentSize(frame);
  const room = size !== undefined && size <= BELIEVED_BYTES ? { chunkSize: size + SPARE_BYTES } : {};
  return zstdDecompressSync(frame, { ...options, ...room, maxOutputLength });
}

/** What the head of a zstd frame says of the size of its content (RFC 8878, 3.1.1.1); undefined where it says nothing. */
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
