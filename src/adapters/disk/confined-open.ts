/**
 * Opens files below a root and nothing else. O_NOFOLLOW guards only the last component of a path: a directory that is
 * swapped for a symlink after it was listed would lead every path below it outside.
 *
 * Linux: `/proc/self/fd/N` is the real path of an open file and `/proc/self/fd/N/name` is openat(N, name), so a directory
 * that is open cannot be swapped any more. Node has neither on other systems: the path is resolved again after opening
 * and must lead to the same file. That narrows the race to a few microseconds but cannot close it.
 */
import { Buffer } from "node:buffer";
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
} from "node:fs";
import { sep } from "node:path";
import { errorCode, onDisk } from "./paths.ts";

const IS_LINUX = process.platform === "linux";
const DESCRIPTORS = "/proc/self/fd";

const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
/** O_NONBLOCK: the entry may have become a FIFO. */
const READ = constants.O_RDONLY | NO_FOLLOW | (constants.O_NONBLOCK ?? 0);
/** O_PATH, which Node does not name: needs no permission to read, and is enough for fstat and as a starting point. */
const LOCATE = IS_LINUX ? 0o10000000 | NO_FOLLOW : READ;
const LOCATE_DIRECTORY = LOCATE | (constants.O_DIRECTORY ?? 0);

/** A descriptor for reading; the caller closes it. Fails like open(2), with ELOOP if a component is a symlink. */
export function openConfined(root: string, path: string): number {
  return open(root, path, READ);
}

/** lstat(2) of a path below the root. */
export function lstatConfined(root: string, path: string): BigIntStats {
  if (!IS_LINUX) return lstatChecked(root, path);
  const descriptor = open(root, path, LOCATE);
  try {
    return fstatSync(descriptor, { bigint: true });
  } finally {
    closeSync(descriptor);
  }
}

/** A directory below a root. While it is open, `at` names this directory even if another one takes its path. */
export class ConfinedDirectory {
  /** Append `/name` to address an entry. */
  readonly at: string;
  readonly #root: string;
  readonly #descriptor: number | undefined;

  private constructor(root: string, at: string, descriptor?: number) {
    this.#root = root;
    this.at = at;
    this.#descriptor = descriptor;
  }

  /** `directory` is empty for the root itself, which may be reached through symlinks because the caller named it. */
  static open(root: string, directory: string): ConfinedDirectory {
    if (!hasDescriptorPaths())
      return ConfinedDirectory.#unpinned(root, directory === "" ? root : `${root}/${directory}`);
    const flags = directory === "" ? LOCATE_DIRECTORY & ~NO_FOLLOW : LOCATE_DIRECTORY;
    const descriptor = directory === "" ? openSync(root, flags) : open(root, directory, flags);
    return new ConfinedDirectory(root, `${DESCRIPTORS}/${descriptor}`, descriptor);
  }

  child(name: string): ConfinedDirectory {
    if (this.#descriptor === undefined) return ConfinedDirectory.#unpinned(this.#root, `${this.at}/${name}`);
    const descriptor = openAt(this.#descriptor, name, LOCATE_DIRECTORY);
    return new ConfinedDirectory(this.#root, `${DESCRIPTORS}/${descriptor}`, descriptor);
  }

  stats(): BigIntStats {
    if (this.#descriptor !== undefined) return fstatSync(this.#descriptor, { bigint: true });
    return lstatSync(this.at, { bigint: true });
  }

  /** Call it after a listing and before using it: on some systems `at` may name another directory by now. */
  check(): void {
    if (this.#descriptor === undefined) resolveInside(this.#root, this.at);
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
  }

  static #unpinned(root: string, at: string): ConfinedDirectory {
    const directory = new ConfinedDirectory(root, at);
    if (at !== root && !directory.stats().isDirectory()) throw createError("ENOTDIR", at);
    return directory;
  }
}

function open(root: string, path: string, flags: number): number {
  return onDisk(root, path, (at) => {
    const descriptor = openSync(at, flags);
    let place: ReturnType<typeof checkLocation> = "unknown";
    try {
      place = checkLocation(descriptor, root, at);
    } finally {
      if (place !== "as named") closeSync(descriptor);
    }
    if (place === "as named") return descriptor;
    if (place === "elsewhere") return openStepwise(root, path, flags);
    throw createError("ELOOP", String(at));
  });
}

/** Whether the open file is the one at this path below the root. */
function checkLocation(descriptor: number, root: string, at: string | Buffer): "as named" | "elsewhere" | "unknown" {
  try {
    if (!IS_LINUX) return isSameInside(descriptor, root, at) ? "as named" : "unknown";
    const link = `${DESCRIPTORS}/${descriptor}`;
    const isNamed = typeof at === "string" ? readlinkSync(link) === at : readlinkSync(link, "buffer").equals(at);
    return isNamed ? "as named" : "elsewhere";
  } catch (error) {
    // No /proc, or the process changed its user and may not read its own entry.
    if (!IS_LINUX || !["ENOENT", "EACCES"].includes(errorCode(error))) throw error;
    return isSameInside(descriptor, root, at) ? "as named" : "unknown";
  }
}

/**
 * Opens one component after the other, none of them a symlink. Used when the real path differs from the requested one:
 * the path of the root contains a symlink, the file system ignores case, or a directory was swapped.
 */
function openStepwise(root: string, path: string, flags: number): number {
  const names = path.split("/");
  const last = names.pop()!;
  let at = openSync(root, LOCATE_DIRECTORY & ~NO_FOLLOW);
  try {
    for (const name of names) {
      const next = openAt(at, name, LOCATE_DIRECTORY);
      closeSync(at);
      at = next;
    }
    return openAt(at, last, flags);
  } finally {
    closeSync(at);
  }
}

function openAt(directory: number, name: string, flags: number): number {
  if (name === "" || name === "." || name === "..") throw createError("ENOENT", name);
  return onDisk(`${DESCRIPTORS}/${directory}`, name, (at) => openSync(at, flags));
}

/** Whether the path now resolves to the open file below the root. Checked twice to make a swap unlikely. */
function isSameInside(descriptor: number, root: string, at: string | Buffer): boolean {
  const opened = fstatSync(descriptor, { bigint: true });
  return [1, 2].every(() => {
    const there = lstatSync(resolveInside(root, at), { bigint: true });
    return there.dev === opened.dev && there.ino === opened.ino;
  });
}

function lstatChecked(root: string, path: string): BigIntStats {
  return onDisk(root, path, (at) => {
    const stats = lstatSync(at, { bigint: true });
    if (!stats.isSymbolicLink()) resolveInside(root, at);
    return stats;
  });
}

/** Throws ELOOP if the path leads out of the root. */
function resolveInside(root: string, at: string | Buffer): Buffer {
  const real = realpathSync.native(at, "buffer");
  if (isBelow(root, real) || isBelow(realpathSync.native(root), real)) return real;
  throw createError("ELOOP", String(at));
}

function isBelow(root: string, real: Buffer): boolean {
  const base = Buffer.from(root);
  if (!real.subarray(0, base.length).equals(base)) return false;
  return real.length === base.length || root.endsWith(sep) || real[base.length] === sep.charCodeAt(0);
}

function hasDescriptorPaths(): boolean {
  if (!IS_LINUX) return false;
  try {
    lstatSync(`${DESCRIPTORS}/.`);
    return true;
  } catch {
    return false;
  }
}

function createError(code: string, path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}
