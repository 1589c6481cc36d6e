/** A client's configuration file on disk: read only where it can be given back unharmed, replaced in one step. */
import {
  accessSync,
  chownSync,
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  rmdirSync,
  rmSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import { readBounded } from "../../io/bounded-read.ts";
import { replaceFile } from "../../io/replace-file.ts";
import { CompassError } from "../../model/errors.ts";

/** Claude Code stores its history in the same file; a larger file is not a configuration. */
const MAX_BYTES = 64 << 20;
const BOM = "\uFEFF";

export interface ConfigFile {
  readonly path: string;
  /** Undefined where there is no file. Without the byte order mark. */
  readonly text: string | undefined;
  readonly bom: string;
  readonly bytes: Buffer | undefined;
  readonly stats: Stats | undefined;
}

/** `inside` names the directory that the file must not lead out of. */
export function openConfig(path: string, { inside }: { inside?: string } = {}): ConfigFile {
  if (inside !== undefined) refuseEscape(path, inside);
  const stats = attempt(path, () => lstatSync(path, { throwIfNoEntry: false }));
  if (!stats) return { path, text: undefined, bom: "", bytes: undefined, stats };
  refuseUnusual(path, stats);
  const bytes = bytesAt(path);
  const text = decoded(path, bytes);
  const bom = text.startsWith(BOM) ? BOM : "";
  return { path, text: text.slice(bom.length), bom, bytes, stats };
}

/** Replaces the file atomically unless it has changed since it was read. Returns the directories it created. */
export function replaceConfig(file: ConfigFile, text: string, { mode }: { mode: number }): string[] {
  const made = attempt(file.path, () => makeDirectory(dirname(file.path)));
  const temporary = join(dirname(file.path), `.${basename(file.path)}.codecompass-${process.pid}`);
  try {
    attempt(file.path, () => {
      writeTemporary(temporary, file.bom + text, file.stats, mode);
      refuseChanged(file);
      // A link never replaces a file that appeared in the meantime.
      if (file.stats) replaceFile(temporary, file.path);
      else linkSync(temporary, file.path);
    });
  } catch (error) {
    removeDirectories(made);
    throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
  return made;
}

/** Removes a file that we made, and the directories that were made for it and hold nothing else. */
export function removeConfig(file: ConfigFile, directories: readonly string[]): void {
  attempt(file.path, () => {
    refuseChanged(file);
    rmSync(file.path);
  });
  removeDirectories(directories);
}

function refuseUnusual(path: string, stats: Stats): void {
  if (stats.isSymbolicLink()) throw unusable(path, `it is a symbolic link to ${readlinkSync(path)}`);
  if (!stats.isFile()) throw unusable(path, "it is not a file");
  if (stats.size > MAX_BYTES) throw unusable(path, `it is larger than ${MAX_BYTES >> 20} MiB`);
}

/** Checked only before a write: --dry-run works on read-only files. */
export function refuseReadOnly({ path, stats }: ConfigFile): void {
  if (!stats) return;
  // Permission bits count for the superuser too: the file was made read-only on purpose.
  if ((stats.mode & 0o222) === 0) throw unusable(path, "it is read-only");
  attempt(path, () => accessSync(path, constants.W_OK));
}

/** A repository may contain symbolic links that lead out of it. */
function refuseEscape(path: string, root: string): void {
  let existing = dirname(path);
  while (!lstatSync(existing, { throwIfNoEntry: false })) existing = dirname(existing);
  const real = attempt(path, () => realpathSync(existing));
  const inner = relative(realpathSync(root), real);
  if (inner === ".." || inner.startsWith(`..${sep}`) || isAbsolute(inner)) {
    throw unusable(path, `its directory leads out of the project, to ${real}`);
  }
}

function refuseChanged({ path, bytes }: ConfigFile): void {
  const now = lstatSync(path, { throwIfNoEntry: false }) ? bytesAt(path) : undefined;
  const isSame = bytes === undefined ? now === undefined : now?.equals(bytes) === true;
  if (!isSame) throw unusable(path, "another program changed it at the same moment; run the command again");
}

function bytesAt(path: string): Buffer {
  const read = readBounded(path, MAX_BYTES);
  if ("bytes" in read) return read.bytes;
  throw unusable(path, `it ${read.problem.reason}`);
}

function decoded(path: string, bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw unusable(path, "it is not UTF-8 text");
  }
}

function writeTemporary(path: string, text: string, like: Stats | undefined, mode: number): void {
  const handle = openSync(path, "wx", mode);
  try {
    writeFileSync(handle, text);
    // The mode given to open is cut by the umask.
    if (like) fchmodSync(handle, like.mode & 0o7777);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  if (like && (like.uid !== process.getuid?.() || like.gid !== process.getgid?.())) keepOwner(path, like);
}

function keepOwner(path: string, { uid, gid }: Stats): void {
  try {
    chownSync(path, uid, gid);
  } catch {
    // Only the superuser may change the owner; other users own what they can replace.
  }
}

/** The directories that had to be made, the outermost first. */
function makeDirectory(path: string): string[] {
  const missing: string[] = [];
  for (let dir = path; !lstatSync(dir, { throwIfNoEntry: false }); dir = dirname(dir)) missing.unshift(dir);
  for (const dir of missing) mkdirSync(dir);
  return missing;
}

function removeDirectories(directories: readonly string[]): void {
  for (const dir of [...directories].reverse()) {
    try {
      rmdirSync(dir);
    } catch {
      return; // It contains other files.
    }
  }
}

function attempt<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof CompassError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw unusable(path, REASONS[code ?? ""] ?? message, error);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "it lies on a read-only file system",
  ENOSPC: "the disk is full",
  ENOTDIR: "a part of its path is not a directory",
  EEXIST: "another program changed it at the same moment; run the command again",
};

export function unusable(file: string, reason: string, cause?: unknown): CompassError {
  const way = "correct that, or put what `codecompass install --print` shows into the file yourself";
  return new CompassError("invalid_input", { file, reason: `${file} was left as it is: ${reason}; ${way}` }, { cause });
}
