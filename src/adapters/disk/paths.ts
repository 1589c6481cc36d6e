/** From a path of the index to the disk, and from a failed call to the reason that is counted. */
import { Buffer, isUtf8 } from "node:buffer";
import { type BigIntStats, lstatSync } from "node:fs";
import type { SkipReason } from "../../model/code.ts";

/** The longest path, relative to the root, that is handed on; the system's own limit for a whole path is the same. */
const MAX_PATH_BYTES = 4096;

/** Calls `use` with the path as spelt; if nothing is there and the path has escaped bytes, with those bytes. */
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

/** Undefined: nothing is there. Mostly nothing is, where ignore files are looked for, and an error takes five times as long. */
export function presentAt(root: string, path: string): BigIntStats | undefined {
  const found = lstatSync(`${root}/${path}`, PRESENT);
  if (found !== undefined) return found;
  const bytes = escapedPathBytes(path);
  return bytes && lstatSync(Buffer.concat([Buffer.from(`${root}/`), bytes]), PRESENT);
}

const PRESENT = { bigint: true, throwIfNoEntry: false } as const;

export function errorCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "";
}

/** What a failed call says about the path; `gone` is no skip: the path is simply not there any more. */
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

export function decodeName(bytes: Buffer): string {
  return isUtf8(bytes) ? bytes.toString("utf8") : escapeInvalid(bytes);
}

/** The bytes of an escaped path; undefined when the path has no escape and is its own spelling. */
export function escapedPathBytes(path: string): Buffer | undefined {
  if (!/\\x[0-9a-f]{2}/.test(path)) return undefined;
  const parts = path.split(/\\x([0-9a-f]{2})/);
  return Buffer.concat(parts.map((part, i) => (i % 2 === 0 ? Buffer.from(part, "utf8") : Buffer.from(part, "hex"))));
}

function escapeInvalid(bytes: Buffer): string {
  let out = "";
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at);
    out += length === 0 ? `\\x${bytes[at]!.toString(16).padStart(2, "0")}` : bytes.toString("utf8", at, at + length);
    at += Math.max(1, length);
  }
  return out;
}

/** Length of the valid UTF-8 sequence at `at`, or 0. */
function sequenceLength(bytes: Buffer, at: number): number {
  for (let length = 1; length <= 4 && at + length <= bytes.length; length++) {
    if (isUtf8(bytes.subarray(at, at + length))) return length;
  }
  return 0;
}

export function fileStamp(stats: BigIntStats): string {
  // As numbers where they fit: a bigint takes several times as long to spell, and every file of a tree is asked.
  return `${Number(stats.size)}:${stats.mtimeNs}:${formatInode(stats.ino)}`;
}

function formatInode(value: bigint): string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? String(number) : String(value);
}

interface SelectedPaths extends ReadonlyMap<string, PathSelection> {}
export type PathSelection = SelectedPaths | undefined;

export function selectPaths(paths: readonly string[] | undefined): PathSelection {
  if (paths === undefined) return undefined;
  const root = new Map<string, PathSelection>();
  for (const path of paths) {
    const names = path.split("/").filter((name) => name !== "");
    if (names.length === 0) return undefined;
    // A path that climbs is no path of this tree.
    if (!names.some((name) => name === "." || name === "..")) add(root, names);
  }
  return root;
}

export function selectedNames(choice: PathSelection): readonly string[] | undefined {
  return choice && [...choice.keys()];
}

function add(node: Map<string, PathSelection>, names: readonly string[]): void {
  const [first, ...rest] = names as [string, ...string[]];
  if (rest.length === 0) {
    node.set(first, undefined);
    return;
  }
  if (!node.has(first)) node.set(first, new Map());
  // Already chosen as a whole: nothing below it narrows that.
  const below = node.get(first) as Map<string, PathSelection> | undefined;
  if (below !== undefined) add(below, rest);
}
