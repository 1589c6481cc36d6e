/**
 * Checks that a file is one complete zstd frame, by the sizes of its blocks. Node's decompressor accepts a file that
 * lost its last bytes. It also stops after the first frame, and later input makes it fail when no listener is left.
 */
import { Buffer } from "node:buffer";
import type { FileHandle } from "node:fs/promises";

const MAGIC = 0xfd2fb528;
const DICTIONARY_BYTES = [0, 1, 2, 4] as const;
const CONTENT_SIZE_BYTES = [0, 2, 4, 8] as const;
const CHECKSUM_BYTES = 4;
const RLE = 1;

export interface Frames {
  /** Where the first frame ends; undefined when it does not, or when there is none. */
  readonly end: number | undefined;
  /** What is wrong with the file, apart from the frame's content. */
  readonly problem?: string;
}

export async function inspectFrames(file: FileHandle): Promise<Frames> {
  const { size } = await file.stat();
  const first = await frameAt(file, 0);
  if (first === undefined || first.end > size) return { end: undefined, problem: "it is cut off" };
  let at = first.end;
  while (at < size) {
    const next = await frameAt(file, at);
    if (next === undefined || next.end > size) return { end: first.end, problem: "something follows its end" };
    // Node ends a stream with a frame that holds nothing.
    if (!next.isEmpty) return { end: first.end, problem: SEVERAL };
    at = next.end;
  }
  return { end: first.end };
}

const SEVERAL = "it holds more than one zstd frame: decompress it and compress it again as one";

/** Undefined: no frame, or the file ends in the middle of a header. */
async function frameAt(file: FileHandle, start: number): Promise<{ end: number; isEmpty: boolean } | undefined> {
  const head = await bytesAt(file, start, 5);
  if (head === undefined || head.readUInt32LE(0) !== MAGIC) return undefined;
  const flags = head[4]!;
  let at = start + 5 + headerRest(flags);
  let isEmpty = true;
  for (let isLast = false; !isLast; ) {
    const header = (await bytesAt(file, at, 3))?.readUIntLE(0, 3);
    if (header === undefined) return undefined;
    isLast = (header & 1) === 1;
    isEmpty &&= header >> 3 === 0;
    at += 3 + (((header >> 1) & 3) === RLE ? 1 : header >> 3);
  }
  return { end: at + ((flags & 4) === 0 ? 0 : CHECKSUM_BYTES), isEmpty };
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
