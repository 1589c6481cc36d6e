/**
 * Reads one file that others may have written: repository metadata, configuration, ignore rules. Opening never waits for
 * a FIFO or a device, only regular files are read, and at most `maxBytes` of them, whatever size the system reports.
 */
import { Buffer } from "node:buffer";
import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from "node:fs";

export interface ReadProblem {
  readonly code: "missing" | "directory" | "not_regular" | "too_large" | "unreadable";
  /** Predicate for a sentence that starts with the path: "is a FIFO, not a regular file". */
  readonly reason: string;
}

export type BoundedRead = { readonly bytes: Buffer } | { readonly problem: ReadProblem };

/** For files of a few lines: HEAD, refs, pointers, JSON documents. */
export const SMALL_FILE_BYTES = 1 << 20;

/** Never waits for a writer, and never makes a terminal the controlling one. Windows has neither flag. */
export const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

const FIRST_BYTES = 4096;

export function readBounded(path: string, maxBytes: number): BoundedRead {
  return inspect(path, maxBytes, (descriptor, { size }) => {
    const bytes = readUpTo(descriptor, size, maxBytes + 1);
    return bytes.length > maxBytes ? { problem: tooLarge(maxBytes) } : { bytes };
  });
}

/** The text of a file; undefined where it is missing or cannot be read within the limit. */
export function readBoundedText(path: string, maxBytes: number): string | undefined {
  const read = readBounded(path, maxBytes);
  return "bytes" in read ? read.bytes.toString("utf8") : undefined;
}

/** Why a program that simply opens and reads the file could hang or fail; undefined where it is missing or readable. */
export function findReadProblem(path: string, maxBytes = Number.POSITIVE_INFINITY): ReadProblem | undefined {
  const probed = inspect(path, maxBytes, (descriptor) => ({ bytes: readUpTo(descriptor, 0, 1) }), "if empty");
  return "problem" in probed && probed.problem.code !== "missing" ? probed.problem : undefined;
}

/** Undefined: a regular file within the limit. */
export function kindProblem(
  stats: Pick<Stats, keyof typeof KINDS | "size">,
  maxBytes: number,
): ReadProblem | undefined {
  const kind = (Object.keys(KINDS) as (keyof typeof KINDS)[]).find((is) => stats[is]());
  if (kind !== undefined) {
    const code = kind === "isDirectory" ? "directory" : "not_regular";
    return { code, reason: `is ${KINDS[kind]}, not a regular file` };
  }
  return stats.size > maxBytes ? tooLarge(maxBytes) : undefined;
}

const KINDS = {
  isDirectory: "a directory",
  isFIFO: "a FIFO",
  isSocket: "a socket",
  isCharacterDevice: "a device",
  isBlockDevice: "a device",
} as const;

type ReadDescriptor = (descriptor: number, stats: Stats) => BoundedRead;

/** `if empty`: a file with a size is not opened. Some files of /proc are regular, seem empty and make a reader wait. */
function inspect(path: string, maxBytes: number, read: ReadDescriptor, when?: "if empty"): BoundedRead {
  try {
    // Before it is opened: opening some devices has effects of its own, and mostly there is no such file.
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return MISSING;
    if (isNullDevice(found)) return EMPTY;
    const problem = kindProblem(found, maxBytes);
    if (problem !== undefined) return { problem };
    return when === "if empty" && found.size > 0 ? EMPTY : readOpened(path, maxBytes, read);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    if (code === "ENOENT" || code === "ENOTDIR") return MISSING;
    return { problem: { code: "unreadable", reason: `cannot be read (${code})` } };
  }
}

function readOpened(path: string, maxBytes: number, read: ReadDescriptor): BoundedRead {
  const descriptor = openSync(path, OPEN_FLAGS);
  try {
    // Another file may have taken the name since.
    const stats = fstatSync(descriptor);
    const problem = kindProblem(stats, maxBytes);
    return problem === undefined ? read(descriptor, stats) : { problem };
  } finally {
    closeSync(descriptor);
  }
}

const MISSING: BoundedRead = { problem: { code: "missing", reason: "does not exist" } };
const EMPTY: BoundedRead = { bytes: Buffer.alloc(0) };

/** A link to /dev/null is the usual way to say that a file is empty. */
function isNullDevice(stats: Stats): boolean {
  return stats.isCharacterDevice() && stats.rdev === statSync("/dev/null", { throwIfNoEntry: false })?.rdev;
}

/** Files of /proc say that they are empty: the end is where no more bytes come. Others end where they did when opened. */
function readUpTo(descriptor: number, expected: number, most: number): Buffer {
  let buffer = Buffer.allocUnsafe(Math.min(most, Math.max(FIRST_BYTES, expected + 1)));
  let length = 0;
  for (;;) {
    const count = readSync(descriptor, buffer, length, buffer.length - length, null);
    length += count;
    if (count === 0 || length === most || length === expected) return buffer.subarray(0, length);
    if (length === buffer.length) {
      const larger = Buffer.allocUnsafe(Math.min(most, 2 * length));
      buffer.copy(larger, 0, 0, length);
      buffer = larger;
    }
  }
}

function tooLarge(maxBytes: number): ReadProblem {
  return { code: "too_large", reason: `is larger than ${maxBytes} bytes` };
}
