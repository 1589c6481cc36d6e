/**
 * The store's directory: which database file is the current one, and how another takes its place.
 *
 * A reset builds a new file beside the old and then turns the pointer. Renaming over an open database would pair it
 * with the old one's write-ahead log.
 */
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { readBounded, SMALL_FILE_BYTES } from "../../io/bounded-read.ts";
import { CorruptionError } from "../../segment/corruption.ts";

const FIRST = "index.db";
const POINTER = "CURRENT";
const NAME = /^index(-[0-9a-z-]+)?\.db$/;

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
    const name = readPointer(join(this.path, POINTER)) ?? FIRST;
    if (!NAME.test(name)) throw new CorruptionError("the pointer to the current database is damaged");
    return join(this.path, name);
  }

  /** A file beside the current one, for a rebuild. */
  beside(word: string): string {
    return join(this.path, `index-${word}.db`);
  }

  create(): void {
    mkdirSync(this.path, { recursive: true, mode: 0o700 });
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
    renameSync(next, join(this.path, POINTER));
    syncDirectory(this.path);
  }

  /** Removes databases that are not current: what a swap or a killed rebuild left. Only the lease's holder may. */
  sweep(): void {
    const keep = this.current().slice(this.path.length + 1);
    for (const name of this.names()) {
      const database = name.replace(/-(wal|shm|journal)$/, "");
      if (NAME.test(database) && database !== keep) rmSync(join(this.path, name), { force: true });
    }
  }

  sizeBytes(): number {
    return this.names().reduce(
      (sum, name) => sum + (statSync(join(this.path, name), { throwIfNoEntry: false })?.size ?? 0),
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

function readPointer(path: string): string | undefined {
  const read = readBounded(path, SMALL_FILE_BYTES);
  if ("bytes" in read) return read.bytes.toString("utf8").trimEnd();
  if (read.problem.code === "missing") return undefined;
  throw new CorruptionError(`the pointer to the current database ${read.problem.reason}`);
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
