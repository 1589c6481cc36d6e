/** Paths of the index and of the disk: escaped names, stamps, skip reasons, and the selection of sub-trees. */
import { Buffer } from "node:buffer";
import { type BigIntStats, lstatSync, readdirSync } from "node:fs";
import { escapedPathBytes } from "../../io/file-names.ts";
import type { SkipReason } from "../../model/code.ts";
import type { SelectedNames } from "../../ports/files.ts";

/** The longest path, relative to the root, that is indexed; the same as the system's limit for a whole path. */
const MAX_PATH_BYTES = 4096;

/** Calls `use` with the path as written; if that does not exist and the path has escaped bytes, with those bytes. */
export function onDisk<T>(root: string, path: string, use: (path: string | Buffer) => T): T {
  const plain = path === "" ? root : `${root}/${path}`;
  try {
    return use(plain);
  } catch (error) {
    const bytes = escapedPathBytes(path);
    if (errorCode(error) !== "ENOENT" || bytes === undefined) throw error;
    return use(Buffer.concat([Buffer.from(`${root}/`), bytes]));
  }
}

export function lstatAt(root: string, path: string): BigIntStats {
  return onDisk(root, path, (at) => lstatSync(at, { bigint: true }));
}

/** Undefined if the entry does not exist. Throwing takes five times as long, and most ignore files do not exist. */
export function presentAt(root: string, path: string): BigIntStats | undefined {
  const found = lstatSync(`${root}/${path}`, PRESENT);
  if (found !== undefined) return found;
  const bytes = escapedPathBytes(path);
  return bytes && lstatSync(Buffer.concat([Buffer.from(`${root}/`), bytes]), PRESENT);
}

const PRESENT = { bigint: true, throwIfNoEntry: false } as const;

/**
 * The names under which a directory lists the entry that `name` leads to. Where case does not tell names apart, an entry
 * is also found by spellings that no listing has: after `Foo.ts` was renamed to `foo.ts`, both lead to it.
 */
export function listedNames(directory: string, name: string, stats: BigIntStats): readonly string[] {
  if (!ignoresCase(directory, name, stats)) return [name];
  const names = readdirSync(directory);
  return names.includes(name) ? [name] : names.filter((listed) => isSameEntry(`${directory}/${listed}`, stats));
}

/** Whether the listings of the directories spell the path of this entry so. */
export function isSpelledAsListed(root: string, path: string, stats: BigIntStats): boolean {
  const slash = path.lastIndexOf("/");
  const name = path.slice(slash + 1);
  const directory = slash < 0 ? root : `${root}/${path.slice(0, slash)}`;
  if (!ignoresCase(directory, name, stats)) return true;
  if (!readdirSync(directory).includes(name)) return false;
  const above = path.slice(0, Math.max(0, slash));
  return above === "" || isSpelledAsListed(root, above, lstatAt(root, above));
}

/** Whether the name in another case leads to the same entry. */
function ignoresCase(directory: string, name: string, stats: BigIntStats): boolean {
  const lower = name.toLowerCase();
  const other = lower === name ? name.toUpperCase() : lower;
  return other !== name && isSameEntry(`${directory}/${other}`, stats);
}

function isSameEntry(path: string, { dev, ino }: BigIntStats): boolean {
  try {
    const other = lstatSync(path, PRESENT);
    return other?.ino === ino && other.dev === dev;
  } catch {
    return false;
  }
}

export function errorCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "";
}

/** Maps a failed call to a skip reason; `gone`: the path does not exist any more. */
export function skipReason(error: unknown): SkipReason | "gone" {
  switch (errorCode(error)) {
    case "ENOENT":
    case "ENOTDIR":
      return "gone";
    case "ENAMETOOLONG":
      return "path_too_long";
    case "ELOOP":
      return "symlink";
    case "ENXIO":
      return "not_regular";
    default:
      return "unreadable";
  }
}

export function tooLong(path: string): boolean {
  return path.length * 3 > MAX_PATH_BYTES && Buffer.byteLength(path) > MAX_PATH_BYTES;
}

/** `size:mtimeNs:inode`: equal stamps mean that the file was not modified. */
export function fileStamp({ size, mtimeNs, ino }: BigIntStats): string {
  // Formatting a bigint takes several times as long as a number, and every file of a tree is stamped.
  const inode = Number(ino);
  return `${Number(size)}:${mtimeNs}:${Number.isSafeInteger(inode) ? inode : ino}`;
}

export type PathSelection = SelectedNames | undefined;

export function selectPaths(paths: readonly string[] | undefined): PathSelection {
  if (paths === undefined) return undefined;
  const root = new Map<string, PathSelection>();
  for (const path of paths) {
    const names = path.split("/").filter((name) => name !== "");
    if (names.length === 0) return undefined;
    // A path with `..` is not a path of this tree.
    if (!names.some((name) => name === "." || name === "..")) add(root, names);
  }
  return root;
}

function add(node: Map<string, PathSelection>, names: readonly string[]): void {
  const [first, ...rest] = names as [string, ...string[]];
  if (rest.length === 0) {
    node.set(first, undefined);
    return;
  }
  if (!node.has(first)) node.set(first, new Map());
  // Already selected as a whole: a path below does not narrow that.
  const below = node.get(first) as Map<string, PathSelection> | undefined;
  if (below !== undefined) add(below, rest);
}
