/** From a path of the index to the disk, and from a failed call to the reason that is counted. */
import { Buffer } from "node:buffer";
import { type BigIntStats, lstatSync } from "node:fs";
import type { SkipReason } from "../../model/code.ts";
import { escapedPathBytes } from "./file-names.ts";

/** The longest path, relative to the root, that is handed on; the system's own limit for a whole path is the same. */
export const MAX_PATH_BYTES = 4096;

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
