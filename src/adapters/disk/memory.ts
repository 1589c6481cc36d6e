/**
 * What the directories of a tree held when they were last looked at, kept in a file: a directory that was not touched
 * since is not listed and its entries are not matched again. Nothing here is believed without a look at the disk.
 */
import { closeSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { lstatAt } from "./paths.ts";
import { stampOf } from "./stamp.ts";

/** A directory as it was: what of it is source under the rules of that time. */
export interface KnownDirectory {
  /** `ctimeNs:inode`; adding, removing or renaming an entry changes it, as does a change of permissions. */
  readonly stamp: string;
  /** In the order of a walk; directories end in `/`. */
  readonly entries: readonly string[];
  /** Its own ignore files with their stamps. */
  readonly ignores: readonly (readonly [name: string, stamp: string])[];
}

/** By directory: empty or ending in `/`. */
export type KnownTree = ReadonlyMap<string, KnownDirectory>;

/** File systems keep time in steps of up to 2 s: what was touched this lately may be touched again unseen. */
const SETTLED_MS = 3_000;
/** The stamp of what cannot be told apart from itself a moment later; equal to nothing. */
export const UNTOLD = "";
const FORMAT = 1;

/** What is remembered of the tree under these rules; empty when nothing is, or when the file is damaged. */
export function remembered(file: string, rules: string): KnownTree {
  try {
    const bytes = readFileSync(file);
    const body = bytes.subarray(4);
    if (bytes.readUInt32LE(0) !== crc32(body)) return new Map();
    const [format, madeUnder, directories] = JSON.parse(body.toString("utf8"));
    return format === FORMAT && madeUnder === rules ? new Map(directories) : new Map();
  } catch {
    return new Map();
  }
}

/** Failing to is harmless: the next walk lists the directories again. */
export function remember(file: string, rules: string, tree: KnownTree): void {
  try {
    const body = Buffer.from(JSON.stringify([FORMAT, rules, [...tree]]));
    const sum = Buffer.alloc(4);
    sum.writeUInt32LE(crc32(body));
    const draft = `${file}.${process.pid}.new`;
    const descriptor = openSync(draft, "w", 0o600);
    try {
      writeSync(descriptor, sum);
      writeSync(descriptor, body);
    } finally {
      closeSync(descriptor);
    }
    renameSync(draft, file);
  } catch {
    // A full disk or a data directory that cannot be written to.
  }
}

/** One file for each tree of a store. */
export function memoryFile(directory: string, root: string): string {
  const sums = [crc32(root), crc32(`${root}\0`)].map((sum) => sum.toString(16).padStart(8, "0"));
  return join(directory, `tree-${sums.join("")}.known`);
}

export function directoryStamp(root: string, directory: string): string {
  try {
    const stats = lstatAt(root, directory.slice(0, -1));
    return isSettled(stats.ctimeMs) ? `${stats.ctimeNs}:${stats.ino}` : UNTOLD;
  } catch {
    return UNTOLD;
  }
}

export function ignoreStamp(root: string, path: string): string {
  try {
    const stats = lstatAt(root, path);
    return isSettled(stats.ctimeMs) ? `${stampOf(stats)}:${stats.ctimeNs}` : UNTOLD;
  } catch {
    return UNTOLD;
  }
}

function isSettled(changedMs: bigint): boolean {
  return Date.now() - Number(changedMs) > SETTLED_MS;
}
