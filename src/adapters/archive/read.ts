/**
 * Reads an archive as a stream, member after member. An unexpected member, a surplus byte or content above the limits
 * ends it at once. Nothing is written.
 */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { constants, createZstdDecompress } from "node:zlib";
import { kindProblem, OPEN_FLAGS } from "../../io/bounded-read.ts";
import { CompassError, refusedArchive } from "../../model/errors.ts";
import type { ArchiveLimits, OpenMember } from "../../ports/archive.ts";
import { BLOCK, paddingLength, readHeader, WINDOW_LOG } from "./tar.ts";

/** The ratio applies above this size: small archives of regular content compress much better than large ones. */
const ALWAYS_ALLOWED_BYTES = 16 << 20;

export async function* readArchive(path: string, limits: ArchiveLimits): AsyncIterable<OpenMember> {
  const opened = await openRegular(path);
  const stats = await opened.stat();
  const most = Math.min(limits.maxBytes, Math.max(ALWAYS_ALLOWED_BYTES, stats.size * limits.maxRatio));
  const { end, problem } = await inspectFrames(opened);
  if (end !== undefined && problem !== undefined) {
    await opened.close();
    throw refused(path, problem);
  }
  const file = opened.createReadStream({ autoClose: false, start: 0, ...(end !== undefined && { end: end - 1 }) });
  const expanded = createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: WINDOW_LOG } });
  file.on("error", (error) => expanded.destroy(error));
  const refuse = (error: unknown) =>
    error instanceof CompassError ? error : refused(path, failureReason(error), error);
  const source = new CountedStream(file.pipe(expanded), most, refuse);
  try {
    yield* readMembers(source, limits);
    if (problem !== undefined) throw new Error(problem);
  } catch (error) {
    throw refuse(error);
  } finally {
    file.destroy();
    expanded.destroy();
    await opened.close();
  }
}

/** Never blocks on a FIFO; the check applies to the file that was opened. */
async function openRegular(path: string): Promise<FileHandle> {
  const file = await open(path, OPEN_FLAGS).catch(() => undefined);
  if (file === undefined) throw refused(path, "there is no such file");
  const problem = kindProblem(await file.stat(), Number.POSITIVE_INFINITY);
  if (problem === undefined) return file;
  await file.close();
  throw refused(path, `it ${problem.reason}`);
}

async function* readMembers(source: CountedStream, { names }: ArchiveLimits): AsyncIterable<OpenMember> {
  for (const name of names) {
    const header = readHeader(await source.exactly(BLOCK));
    if (header === undefined) throw new Error(`it ends before ${name}`);
    if (header.name !== name) throw new Error(`it has ${JSON.stringify(header.name)} where ${name} belongs`);
    if (source.count + header.size > source.most) throw new Error("its content is too large");
    yield* readMember(source, header);
    await zeros(source, paddingLength(header.size));
  }
  await zeros(source, 2 * BLOCK);
  if (!(await source.isAtEnd())) throw new Error("something follows its end");
}

async function* readMember(
  source: CountedStream,
  { name, size }: { name: string; size: number },
): AsyncIterable<OpenMember> {
  const hash = createHash("sha256");
  let left = size;
  const content = async function* () {
    while (left > 0) {
      const part = await source.some(left);
      left -= part.length;
      hash.update(part);
      yield part;
    }
  };
  yield { name, size, content, sha256: () => hash.copy().digest("hex") };
  // Skip the rest of a member that the caller did not read.
  for await (const _ of content());
}

async function zeros(source: CountedStream, count: number): Promise<void> {
  const bytes = await source.exactly(count);
  if (bytes.some((byte) => byte !== 0)) throw new Error("there is something between its members");
}

/** The decompressed stream, up to the allowed size. */
class CountedStream {
  readonly most: number;
  count = 0;
  readonly #parts: AsyncIterator<Buffer>;
  #held: Buffer = Buffer.alloc(0);

  /** Members are read by the caller: failures there must be refusals, too. */
  readonly #refuse: (error: unknown) => CompassError;

  constructor(source: AsyncIterable<Buffer>, most: number, refuse: (error: unknown) => CompassError) {
    this.#parts = source[Symbol.asyncIterator]();
    this.most = most;
    this.#refuse = refuse;
  }

  /** At least one byte, at most `limit`. */
  async some(limit: number): Promise<Buffer> {
    while (this.#held.length === 0) if (!(await this.#more())) throw this.#refuse(new Error("it is cut off"));
    const part = this.#held.subarray(0, limit);
    this.#held = this.#held.subarray(part.length);
    return part;
  }

  async exactly(count: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let left = count; left > 0; ) {
      const part = await this.some(left);
      parts.push(part);
      left -= part.length;
    }
    return Buffer.concat(parts);
  }

  async isAtEnd(): Promise<boolean> {
    while (this.#held.length === 0) if (!(await this.#more())) return true;
    return false;
  }

  async #more(): Promise<boolean> {
    const { value, done } = await this.#parts.next().catch((error: unknown) => {
      throw this.#refuse(error);
    });
    if (done) return false;
    this.count += value.length;
    if (this.count > this.most) throw this.#refuse(new Error("its content is too large"));
    this.#held = value;
    return true;
  }
}

function refused(path: string, reason: string, cause?: unknown): CompassError {
  return refusedArchive(`${path} is not an archive that can be imported: ${reason}`, cause);
}

/** Replaces zlib's messages, which do not help a user. */
function failureReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return "code" in error ? "it is damaged or no .tar.zst file" : error.message;
}

const MAGIC = 0xfd2fb528;
const DICTIONARY_BYTES = [0, 1, 2, 4] as const;
const CONTENT_SIZE_BYTES = [0, 2, 4, 8] as const;
const CHECKSUM_BYTES = 4;
const RLE = 1;

interface Frames {
  /** Where the first frame ends; undefined when it does not, or when there is none. */
  readonly end: number | undefined;
  /** What is wrong with the file, apart from the frame's content. */
  readonly problem?: string;
}

/**
 * Whether the file is one complete zstd frame, by the sizes of its blocks. Node's decompressor accepts a file that lost
 * its last bytes, stops after the first frame, and fails on later input when no listener is left.
 */
async function inspectFrames(file: FileHandle): Promise<Frames> {
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
