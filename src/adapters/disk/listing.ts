/** Lists a directory in path order. Large listings are read and sorted in steps: a directory may have a million entries. */
import { Buffer } from "node:buffer";
import { type Dirent, opendirSync, readdirSync } from "node:fs";
import { decodeFileName } from "../../io/file-names.ts";
import type { ConfinedDirectory } from "./confined-open.ts";

type EntryType = "directory" | "file" | "symlink" | "other" | "unknown" | "misnamed";

export interface DirectoryEntry {
  readonly name: string;
  readonly type: EntryType;
}

/** Yielded where the walk may give way to other work. */
export type Pause = undefined;

/** Entries that are read or sorted between two pauses. */
const STEP = 1024;
/** About 3,000 entries on most file systems. Smaller directories are read at once: reading in steps costs 30 µs more. */
const LARGE_DIRECTORY_BYTES = 1 << 16;
/** Node's types lack the encoding for names as bytes. */
const BYTES = "buffer" as BufferEncoding;

/** `size` is that of the directory itself, from stat(2). */
export function* listDirectory(open: ConfinedDirectory, size: bigint): Generator<Pause, DirectoryEntry[]> {
  const entries: DirectoryEntry[] = [];
  let hasDamagedName = false;
  for (const dirent of dirents<string>(open.at, size)) {
    entries.push({ name: dirent.name, type: entryType(dirent) });
    // U+FFFD: the name may not be UTF-8.
    hasDamagedName ||= dirent.name.includes("\uFFFD");
    if (entries.length % STEP === 0) yield;
  }
  open.check();
  return yield* sorted(hasDamagedName ? yield* listBytes(open, size) : entries);
}

function* listBytes(open: ConfinedDirectory, size: bigint): Generator<Pause, DirectoryEntry[]> {
  const found: Dirent<Buffer>[] = [];
  const plain = new Set<string>();
  for (const dirent of dirents<Buffer>(open.at, size, BYTES)) {
    found.push(dirent);
    plain.add(dirent.name.toString("utf8"));
    if (found.length % STEP === 0) yield;
  }
  open.check();
  const entries: DirectoryEntry[] = [];
  for (const dirent of found) {
    const name = decodeFileName(dirent.name);
    // A name with an invalid byte may decode to the name of another entry (`a\xff` as text): the text wins.
    const taken = plain.has(name) && !dirent.name.equals(Buffer.from(name));
    entries.push({ name: taken ? `${name} (bytes)` : name, type: taken ? "misnamed" : entryType(dirent) });
    if (entries.length % STEP === 0) yield;
  }
  return entries;
}

function* dirents<Name extends string | Buffer>(
  at: string,
  size: bigint,
  encoding: BufferEncoding = "utf8",
): Generator<Dirent<Name>> {
  if (size <= LARGE_DIRECTORY_BYTES) {
    yield* readdirSync(at, { encoding, withFileTypes: true }) as unknown as Dirent<Name>[];
    return;
  }
  const directory = opendirSync(at, { encoding });
  try {
    for (let dirent = directory.readSync(); dirent !== null; dirent = directory.readSync())
      yield dirent as unknown as Dirent<Name>;
  } finally {
    directory.closeSync();
  }
}

export function entryType(
  of: Pick<Dirent, "isDirectory" | "isFile" | "isSymbolicLink"> & { isFIFO(): boolean },
): EntryType {
  if (of.isFile()) return "file";
  if (of.isDirectory()) return "directory";
  if (of.isSymbolicLink()) return "symlink";
  return "isBlockDevice" in of && isKnownOther(of as Dirent) ? "other" : "unknown";
}

/** Some file systems list entries without their type; such entries are checked one by one. */
function isKnownOther(of: Pick<Dirent, "isFIFO" | "isSocket" | "isBlockDevice" | "isCharacterDevice">): boolean {
  return of.isFIFO() || of.isSocket() || of.isBlockDevice() || of.isCharacterDevice();
}

/** By code units of the path: a directory sorts as its name followed by `/`. */
export function byPath(a: DirectoryEntry, b: DirectoryEntry): number {
  const left = a.type === "directory" ? `${a.name}/` : a.name;
  const right = b.type === "directory" ? `${b.name}/` : b.name;
  return left < right ? -1 : left > right ? 1 : 0;
}

/** A merge sort that can pause. */
function* sorted(entries: DirectoryEntry[]): Generator<Pause, DirectoryEntry[]> {
  if (entries.length <= STEP) return entries.sort(byPath);
  let parts: DirectoryEntry[][] = [];
  for (let at = 0; at < entries.length; at += STEP) {
    parts.push(entries.slice(at, at + STEP).sort(byPath));
    yield;
  }
  while (parts.length > 1) {
    const merged: DirectoryEntry[][] = [];
    for (let at = 0; at < parts.length; at += 2) merged.push(yield* merge(parts[at]!, parts[at + 1] ?? []));
    parts = merged;
  }
  return parts[0]!;
}

function* merge(left: readonly DirectoryEntry[], right: readonly DirectoryEntry[]): Generator<Pause, DirectoryEntry[]> {
  const merged: DirectoryEntry[] = [];
  for (let l = 0, r = 0; l < left.length || r < right.length; ) {
    const isLeft = r === right.length || (l < left.length && byPath(left[l]!, right[r]!) <= 0);
    merged.push(isLeft ? left[l++]! : right[r++]!);
    if (merged.length % STEP === 0) yield;
  }
  return merged;
}
