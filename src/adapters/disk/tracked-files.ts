/**
 * The files that git tracks, read from its index: a `.gitignore` does not apply to them. Git is not started. An index that
 * cannot be read here (split, damaged, missing) names no file, so the ignore rules decide alone.
 */
import { Buffer } from "node:buffer";
import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { readBounded } from "../../io/bounded-read.ts";
import { decodeFileName } from "../../io/file-names.ts";
import { ignoreStamp, UNSETTLED } from "./walk-cache.ts";

export interface TrackedFiles {
  /** Changes with the index; equal stamps mean the same files. */
  readonly stamp: string;
  /** Whether a path of the repository is tracked; a directory ends in `/` and is if it contains a tracked file. */
  has(path: string): boolean;
}

export const NO_TRACKED_FILES: TrackedFiles = { stamp: "none", has: () => false };

/** The index of a million files takes about 150 MB. */
const MAX_INDEX_BYTES = 512 << 20;
const KEPT = 4;
const kept = new Map<string, { readonly stamp: string; readonly paths: ReadonlySet<string> }>();

/** `sha256`: the repository's object ids are 32 bytes long. The index is read when a path is first looked up. */
export function trackedFiles(gitDirectory: string, { sha256 }: { readonly sha256: boolean }): TrackedFiles {
  const file = join(gitDirectory, "index");
  const stamp = existsSync(file) ? ignoreStamp(() => lstatSync(file, { bigint: true })) : NO_TRACKED_FILES.stamp;
  let paths: ReadonlySet<string> | undefined;
  return {
    stamp,
    has(path) {
      paths ??= trackedPaths(file, stamp, sha256 ? 32 : 20);
      return paths.has(path);
    },
  };
}

function trackedPaths(file: string, stamp: string, idBytes: number): ReadonlySet<string> {
  const known = kept.get(file);
  if (known !== undefined && known.stamp === stamp && stamp !== UNSETTLED) return known.paths;
  const read = readBounded(file, MAX_INDEX_BYTES);
  const paths = "bytes" in read ? withDirectories(readIndex(read.bytes, idBytes)) : new Set<string>();
  kept.delete(file);
  kept.set(file, { stamp, paths });
  if (kept.size > KEPT) kept.delete(kept.keys().next().value!);
  return paths;
}

/** Neighbours in the index are mostly in the same directory. */
function withDirectories(files: readonly string[]): Set<string> {
  const paths = new Set(files);
  for (const file of files) {
    for (let slash = file.lastIndexOf("/"); slash > 0; slash = file.lastIndexOf("/", slash - 1)) {
      const directory = file.slice(0, slash + 1);
      if (paths.has(directory)) break;
      paths.add(directory);
    }
  }
  return paths;
}

const SIGNATURE = "DIRC";
const HEADER_BYTES = 12;
/** Times, device, inode, mode, owner, group and size, before the object id. */
const STAT_BYTES = 40;
const MODE_AT = 24;
const REGULAR_FILE = 0o10;
const EXTENDED = 0x4000;

/** The paths of regular files in an index of version 2, 3 or 4; none if it is split or malformed. */
export function readIndex(bytes: Buffer, idBytes: number): string[] {
  if (bytes.length < HEADER_BYTES || bytes.toString("latin1", 0, 4) !== SIGNATURE) return [];
  const [version, count] = [bytes.readUInt32BE(4), bytes.readUInt32BE(8)];
  if (version < 2 || version > 4) return [];
  const paths: string[] = [];
  let name: Buffer = Buffer.alloc(0);
  let at = HEADER_BYTES;
  for (let i = 0; i < count; i++) {
    const flagsAt = at + STAT_BYTES + idBytes;
    if (flagsAt + 2 > bytes.length) return [];
    const start = flagsAt + (bytes.readUInt16BE(flagsAt) & EXTENDED ? 4 : 2);
    const entry = version === 4 ? compressedName(bytes, start, name) : plainName(bytes, start, at);
    if (entry === undefined) return [];
    if (bytes.readUInt32BE(at + MODE_AT) >>> 12 === REGULAR_FILE) paths.push(decodeFileName(entry.name));
    name = entry.name;
    at = entry.next;
  }
  return isSplit(bytes, at) ? [] : paths;
}

interface IndexName {
  readonly name: Buffer;
  /** Offset of the next entry. */
  readonly next: number;
}

/** One to eight zero bytes after the name make an entry's length a multiple of eight. */
function plainName(bytes: Buffer, start: number, entry: number): IndexName | undefined {
  const end = bytes.indexOf(0, start);
  return end < 0 ? undefined : { name: bytes.subarray(start, end), next: entry + ((end - entry + 8) & ~7) };
}

/** Version 4: how many bytes to cut from the previous name, and what to append. */
function compressedName(bytes: Buffer, start: number, previous: Buffer): IndexName | undefined {
  let at = start;
  let byte = bytes[at++] ?? 0;
  let cut = byte & 0x7f;
  while (byte & 0x80) {
    byte = bytes[at++] ?? 0;
    cut = ((cut + 1) << 7) | (byte & 0x7f);
  }
  const end = bytes.indexOf(0, at);
  if (end < 0 || cut < 0 || cut > previous.length) return undefined;
  return { name: Buffer.concat([previous.subarray(0, previous.length - cut), bytes.subarray(at, end)]), next: end + 1 };
}

/** A split index holds only what differs from another file. */
function isSplit(bytes: Buffer, extensions: number): boolean {
  return bytes.toString("latin1", extensions, extensions + 4) === "link";
}
