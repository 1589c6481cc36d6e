/**
 * zstd at the level of all that is stored. Node makes a compressor for every call, which takes 5 to 30 µs with the
 * collector's part, as long as it takes to compress a small file. Here every thread keeps one, by what Node's own functions
 * call; where a runtime has not what is known of it, they are called themselves.
 */
import { constants, createZstdCompress, zstdCompressSync } from "node:zlib";

const OPTIONS = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };

/** What Node's compressing streams have inside. */
interface Inside {
  readonly _handle: {
    reset(): void;
    writeSync(
      flush: number,
      from: Uint8Array,
      at: number,
      size: number,
      to: Uint8Array,
      toAt: number,
      room: number,
    ): void;
  };
  /** After a write: how much room is left, and how much was not taken in. */
  readonly _writeState: Uint32Array;
}

interface Kept {
  readonly inside: Inside;
  readonly room: Uint8Array;
}

/** Larger content is rare, and takes long enough to have a compressor of its own. */
const MOST_BYTES = 1 << 20;
/** What zstd needs at most for content that it cannot compress. */
const ROOM_BYTES = MOST_BYTES + (MOST_BYTES >> 8) + 1_024;

/** Null: this runtime's cannot be kept. */
let kept: Kept | null | undefined;

/** One frame. It is to be copied before the next call. */
export function compressed(content: Uint8Array): Uint8Array {
  kept = kept === undefined ? tried() : kept;
  const frame = kept !== null && content.length <= MOST_BYTES ? frameBy(kept, content) : undefined;
  return frame ?? zstdCompressSync(content, OPTIONS);
}

function frameBy({ inside, room }: Kept, content: Uint8Array): Uint8Array | undefined {
  try {
    const { _handle: handle, _writeState: state } = inside;
    // What fails leaves this as it is.
    state[1] = 1;
    // a frame that was cut off would continue in the next.
    handle.reset();
    handle.writeSync(constants.ZSTD_e_end, content, 0, content.length, room, 0, room.length);
    const [left, missed] = [state[0]!, state[1]!];
    return missed === 0 && left > 0 ? room.subarray(0, room.length - left) : undefined;
  } catch {
    return undefined;
  }
}

/** One that makes the frames that Node makes, also when it is used again. */
function tried(): Kept | null {
  const text = Uint8Array.from({ length: 256 }, (_, i) => (i * 89) & 15);
  // A stream that fails closes itself, which the next frame shows; nothing else listens.
  const stream = createZstdCompress(OPTIONS).on("error", () => {});
  const made: Kept = { inside: stream as unknown as Inside, room: new Uint8Array(ROOM_BYTES) };
  const known = zstdCompressSync(text, OPTIONS);
  return [1, 2].every(() => known.equals(frameBy(made, text) ?? NOTHING)) ? made : null;
}

const NOTHING = new Uint8Array(0);
