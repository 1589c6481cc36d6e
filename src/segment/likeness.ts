/**
 * Content kept as its difference to another of its kind: compressed with that one as the dictionary. A new version of a
 * file shares nearly everything with the one before it: its text becomes some hundred bytes of a hundred thousand.
 */
import { constants, type ZstdOptions, zstdCompressSync } from "node:zlib";
import { CorruptionError } from "./corruption.ts";
import { decompressed } from "./decompress.ts";
import { MOST_BYTES, sealPlain, TAG, unsealPlain } from "./record.ts";

type WithDictionary = ZstdOptions & { readonly dictionary: Uint8Array };

/** The frame's own checksum: with another dictionary the same bytes would become something else, and nobody would notice. */
const PARAMS = { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 };

/** Undefined where the runtime cannot do it (Node before 22.19). */
export function encodeDelta(content: Uint8Array, base: Uint8Array): Uint8Array | undefined {
  if (!KNOWS_DICTIONARIES) return undefined;
  try {
    return sealPlain(TAG.delta, compressed(content, base));
  } catch {
    // Bytes that claim to be a dictionary of zstd's own form, and are none.
    return undefined;
  }
}

/** Whether the stored bytes mean nothing without others. */
export function isDelta(bytes: Uint8Array): boolean {
  return bytes[4] === TAG.delta;
}

/** Throws `CorruptionError`, also for another base than the one it was made with. */
export function decodeDelta(bytes: Uint8Array, base: Uint8Array): Uint8Array {
  const body = unsealPlain(TAG.delta, bytes);
  const options: WithDictionary = { dictionary: base };
  try {
    return decompressed(body, MOST_BYTES, options);
  } catch (cause) {
    throw new CorruptionError("stored content does not fit the content that it is kept over", { cause });
  }
}

function compressed(content: Uint8Array, base: Uint8Array): Uint8Array {
  const options: WithDictionary = { dictionary: base, params: PARAMS };
  return zstdCompressSync(content, options);
}

/** An older runtime ignores the option. */
const KNOWS_DICTIONARIES = (() => {
  const text = Uint8Array.from({ length: 256 }, (_, i) => (i * 89) & 255);
  return compressed(text, text).length < text.length / 2;
})();
