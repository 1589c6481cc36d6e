/**
 * Whether the zstd frames of a file are all there, by the sizes of their blocks. Node's decompressor does not tell: what
 * it has written out by then is whole, and a file that lost its last bytes passed for one that did not.
 */
import { Buffer } from "node:buffer";
import type { FileHandle } from "node:fs/promises";

const MAGIC = 0xfd2fb528;
const DICTIONARY_BYTES = [0, 1, 2, 4] as const;
const CONTENT_SIZE_BYTES = [0, 2, 4, 8] as const;
const CHECKSUM_BYTES = 4;
const RLE = 1;

export async function hasWholeFrames(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  let at: number | undefined = 0;
  // Node ends a stream with a frame that holds nothing.
  while (at !== undefined && at < size) at = await endOfFrame(file, at);
  return at === size;
}

/** Undefined: no frame, or the file ends in the middle of a header. */
async function endOfFrame(file: FileHandle, start: number): Promise<number | undefined> {
  const head = await bytesAt(file, start, 5);
  if (head === undefined || head.readUInt32LE(0) !== MAGIC) return undefined;
  const flags = head[4]!;
  let at = start + 5 + headerRest(flags);
  for (let isLast = false; !isLast; ) {
    const header = (await bytesAt(file, at, 3))?.readUIntLE(0, 3);
    if (header === undefined) return undefined;
    isLast = (header & 1) === 1;
    at += 3 + (((header >> 1) & 3) === RLE ? 1 : header >> 3);
  }
  return at + ((flags & 4) === 0 ? 0 : CHECKSUM_BYTES);
}

/** The header behind its first byte: window, dictionary, size of the content. */
function headerRest(flags: number): number {
  const isSingle = (flags & 32) !== 0;
  const contentSize = CONTENT_SIZE_BYTES[flags >> 6]!;
  return (isSingle ? 0 : 1) + DICTIONARY_BYTES[flags & 3]! + (contentSize === 0 && isSingle ? 1 : contentSize);
}

async function bytesAt(file: FileHandle, at: number, length: number): Promise<Buffer | undefined> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, at);
  return bytesRead === length ? buffer : undefined;
}
