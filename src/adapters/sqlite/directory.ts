/**
 * The store's directory: which database file is the current one, and how another takes its place.
 *
 * A reset builds a new file beside the old and then turns the pointer. Renaming over an open database would pair it
 * with the old one's write-ahead log.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { basename, join } from "node:path";
import { readBounded, SMALL_FILE_BYTES } from "../../io/bounded-read.ts";
import { makeDirectories } from "../../io/make-directories.ts";
import { replaceFile } from "../../io/replace-file.ts";
import { CorruptionError } from "../../segment/bytes.ts";

const FIRST = "index.db";
const POINTER = "CURRENT";
const NAME = /^index(-[0-9a-z-]+)?\.db$/;
/** Says that the database it names was found damaged, until another one takes its place. */
const DAMAGE = "DAMAGED";

export class Directory {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  get control(): string {
    return join(this.path, "control.db");
  }

  /** The current database file; it need not exist. Throws `CorruptionError` when the pointer is damaged. */
  current(): string {
    const name = readIfPresent(join(this.path, POINTER))?.trimEnd() ?? FIRST;
    if (!NAME.test(name)) throw new CorruptionError("the pointer to the current database is damaged");
    return join(this.path, name);
  }

  /** A file beside the current one, for a rebuild. */
  beside(word: string): string {
    return join(this.path, `index-${word}.db`);
  }

  create(): void {
    makeDirectories(this.path, 0o700);
  }

  /** Makes `path` the current database, durably, in one rename. */
  pointTo(path: string): void {
    const next = join(this.path, `${POINTER}.new`);
    const file = openSync(next, "w", 0o600);
    try {
      writeSync(file, `${path.slice(this.path.length + 1)}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    removeEmptyDirectory(join(this.path, POINTER));
    replaceFile(next, join(this.path, POINTER));
    syncDirectory(this.path);
    rmSync(join(this.path, DAMAGE), { force: true });
  }

  /** Remembers for every process that the current database is damaged, and why. Nothing happens where it cannot be written. */
  noteDamage(reason: string): void {
    try {
      const next = join(this.path, `${DAMAGE}.new`);
      writeFileSync(next, `${basename(this.current())}\n${reason}\n`, { mode: 0o600 });
      replaceFile(next, join(this.path, DAMAGE));
    } catch {
      // A damaged pointer is found when it is read, and a disk that cannot be written to cannot be repaired.
    }
  }

  /** Why the current database is known to be damaged. What was noted of another one does not count. */
  damage(): string | undefined {
    const file = join(this.path, DAMAGE);
    // Asked before every answer: an error for a file that is not there would cost more than the answer of a stat.
    const noted = existsSync(file) ? readIfPresent(file) : undefined;
    if (noted === undefined) return undefined;
    const [name, ...reason] = noted.trimEnd().split("\n");
    // A note that is itself damaged costs a rebuild and no answer.
    if (NAME.test(name!) && name !== basename(this.current())) return undefined;
    return reason.join(" ") || "a damaged index was noted";
  }

  /** Removes databases that are not current: what a swap or a killed rebuild left. Only the lease's holder may. */
  sweep(): void {
    const keep = this.current().slice(this.path.length + 1);
    for (const name of this.names()) {
      const database = name.replace(/-(wal|shm|journal)$/, "");
      if (NAME.test(database) && database !== keep) rmSync(join(this.path, name), { force: true });
    }
  }

  hasDatabases(): boolean {
    return this.names().some((name) => NAME.test(name));
  }

  sizeBytes(): number {
    return this.names().reduce(
      (sum, name) => sum + (lstatSync(join(this.path, name), { throwIfNoEntry: false })?.size ?? 0),
      0,
    );
  }

  private names(): string[] {
    try {
      return readdirSync(this.path);
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }
}

/** What tells a file from another one of the same name; undefined when there is none. */
export function identityOf(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat && `${path}:${stat.dev}:${stat.ino}`;
}

/** Creates the file for its owner only; SQLite gives its side files the same mode. */
export function createPrivately(path: string): void {
  closeSync(openSync(path, "a", 0o600));
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}

function readIfPresent(path: string): string | undefined {
  const read = readBounded(path, SMALL_FILE_BYTES);
  if ("bytes" in read) return read.bytes.toString("utf8");
  if (read.problem.code === "missing") return undefined;
  throw new CorruptionError(`${basename(path)} ${read.problem.reason}`);
}

/** A rename cannot replace a directory. One that holds something is not touched: the rename reports it. */
function removeEmptyDirectory(path: string): void {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  try {
    rmdirSync(path);
  } catch (error) {
    throw new CorruptionError(`${basename(path)} is a directory and cannot be removed: ${error}`);
  }
}

function syncDirectory(path: string): void {
  // Windows cannot open a directory; there the rename is durable enough.
  if (process.platform === "win32") return;
  const directory = openSync(path, "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
