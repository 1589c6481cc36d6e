/** Turns what SQLite and the file system throw into the refusals of the registry, with their cause kept. */
import { statfsSync } from "node:fs";
import { CompassError, errorMessage } from "../../model/errors.ts";
import { CorruptionError } from "../../segment/bytes.ts";

/** `at`: the directory that the step works in. */
export function refusal(doing: string, error: unknown, at?: string): CompassError {
  if (error instanceof CompassError) return error;
  if (isDamage(error)) return damaged(errorMessage(error), error);
  if (isFull(error, at)) return full(doing, error, at);
  const meaning = MEANINGS.get(kindOf(error));
  const reason = `${doing}: ${meaning ?? errorMessage(error)}`;
  const cause = meaning === undefined ? {} : { cause: "file_system" };
  return new CompassError("internal_error", { reason, ...cause }, { cause: error });
}

/** The bytes on disk are not what was written: the index is to be built again. */
export function damaged(reason: string, cause?: unknown): CompassError {
  return new CompassError("index_incompatible", { reason, cause: "damaged" }, { cause });
}

/** Whether the bytes on disk are to blame. Our SQL is fixed, so a statement that fails to compile met a damaged schema. */
export function isDamage(error: unknown): boolean {
  if (error instanceof CorruptionError) return true;
  return /^SQLITE_(CORRUPT|NOTADB|ERROR|MISMATCH|FORMAT|CONSTRAINT|SCHEMA|TOOBIG|RANGE)/.test(codeOf(error));
}

/** SQLite calls it an error of the disk where a file that it maps cannot grow. */
function isFull(error: unknown, at: string | undefined): boolean {
  const kind = kindOf(error);
  if (kind === "SQLITE_FULL" || kind === "ENOSPC" || kind === "EDQUOT") return true;
  return kind === "SQLITE_IOERR" && at !== undefined && freeBytes(at) < LEAST_FREE_BYTES;
}

const LEAST_FREE_BYTES = 64 << 10;

function freeBytes(directory: string): number {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function full(doing: string, error: unknown, at: string | undefined): CompassError {
  const what = kindOf(error) === "EDQUOT" ? "the disk quota is used up" : "no space left on the disk";
  const reason = `${doing}: ${what} that holds ${at ?? "the index"}`;
  const directory = at === undefined ? {} : { directory: at };
  return new CompassError("internal_error", { reason, cause: "disk_full", ...directory }, { cause: error });
}

const MEANINGS: ReadonlyMap<string, string> = new Map([
  ["SQLITE_READONLY", "the index cannot be written: it or its directory is read-only"],
  ["EROFS", "the index lies on a read-only file system"],
  ["SQLITE_CANTOPEN", "the index file cannot be opened (permissions, a missing directory or too many open files)"],
  ["SQLITE_PERM", "no permission to open the index"],
  ["EACCES", "no permission to read or write the index directory"],
  ["EPERM", "no permission to read or write the index directory"],
  ["SQLITE_IOERR", "the disk reported an error while the index was read or written"],
  ["EIO", "the disk reported an error while the index was read or written"],
  ["EMFILE", "too many open files"],
  ["ENFILE", "too many open files on this machine"],
  ["SQLITE_NOMEM", "out of memory"],
  ["SQLITE_BUSY", "another process kept the index locked for too long"],
]);

/** SQLITE_IOERR_WRITE and its kin mean what SQLITE_IOERR means. */
function kindOf(error: unknown): string {
  return /^SQLITE_[A-Z]+/.exec(codeOf(error))?.[0] ?? codeOf(error);
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "";
}
