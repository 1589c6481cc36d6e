/** The entries of one directory, in the order of paths. Long listings are read and sorted in steps: a directory may have a million. */
import { Buffer } from "node:buffer";
import { type Dirent, opendirSync, readdirSync } from "node:fs";
import type { ConfinedDirectory } from "./confined-open.ts";
import { decodeName } from "./paths.ts";

type EntryType = "directory" | "file" | "symlink" | "other" | "unknown" | "misnamed";

export interface DirectoryEntry {
  readonly name: string;
  readonly type: EntryType;
}

/** Yielded where the walk may step aside and has nothing to tell. */
export type Pause = undefined;

/** How much is read or sorted before the walk looks at the clock. */
const STEP = 1024;
/** Some 3,000 entries on most file systems. Smaller directories are listed at once: reading in steps costs 30 us more. */
const LARGE_DIRECTORY_BYTES = 1 << 16;
/** Node's types do not know that names may be listed as bytes. */
const BYTES = "buffer" as BufferEncoding;

/** `size` is the directory's own, as stat(2) tells it. */
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
    const name = decodeName(dirent.name);
    // Two names of one spelling (`a\xff`, once as a byte and once as text): the text keeps it, the other is listed.
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

/** Some file systems do not say the type in the listing; those entries are asked one by one. */
function isKnownOther(of: Pick<Dirent, "isFIFO" | "isSocket" | "isBlockDevice" | "isCharacterDevice">): boolean {
  return of.isFIFO() || of.isSocket() || of.isBlockDevice() || of.isCharacterDevice();
}

/** By code units of the whole path: a directory sorts as its name with `/` behind it. */
export function byPath(a: DirectoryEntry, b: DirectoryEntry): number {
  const left = a.type === "directory" ? `${a.name}/` : a.name;
  const right = b.type === "directory" ? `${b.name}/` : b.name;
  return left < right ? -1 : left > right ? 1 : 0;
}

/** A merge sort, to be able to step aside within it. */
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
