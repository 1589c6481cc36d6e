/** Where a work tree, its git directory and the repository's common directory are; found by reading, without git. */
import { realpathSync, type Stats, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { readBoundedText, SMALL_FILE_BYTES } from "../../io/bounded-read.ts";
import type { BlobNames } from "../../ports/indexer.ts";

export interface GitRepository {
  /** Top of the work tree. */
  readonly root: string;
  /** This work tree's own directory: HEAD, index. */
  readonly gitDir: string;
  /** Shared by all linked worktrees: refs, objects, configuration. */
  readonly commonDir: string;
  /** There is no work tree; `root` is the repository itself. */
  readonly bare: boolean;
}

export function locateRepository(path: string): GitRepository | undefined {
  for (let at = path; ; at = dirname(at)) {
    const gitDir = findGitDirectory(at);
    if (gitDir !== undefined) return { root: at, gitDir, commonDir: findCommonDirectory(gitDir), bare: false };
    if (isBare(at)) return { root: at, gitDir: at, commonDir: at, bare: true };
    if (dirname(at) === at) return undefined;
  }
}

/** Where a file `.git`, here or above, says that a repository is, and there is none. */
export function lostRepository(path: string): string | undefined {
  for (let at = path; ; at = dirname(at)) {
    const dotGit = join(at, ".git");
    if (statOrUndefined(dotGit)?.isFile()) return findGitDirectory(at) ? undefined : readPointer(dotGit, at);
    if (dirname(at) === at) return undefined;
  }
}

/** A directory that is a repository by itself. One named `.git` belongs to the work tree around it. */
export function isBare(directory: string): boolean {
  if (basename(directory) === ".git" || !isDirectory(join(directory, "objects"))) return false;
  return isDirectory(join(directory, "refs")) && read(join(directory, "HEAD")) !== undefined;
}

/** How the repository makes its object ids. */
export function blobNames({ commonDir }: GitRepository): BlobNames {
  return /^[ \t]*objectformat[ \t]*=[ \t]*sha256[ \t\r]*$/im.test(readConfig(commonDir)) ? "sha256" : "sha1";
}

function isDirectory(path: string): boolean {
  return statOrUndefined(path)?.isDirectory() === true;
}

/** Undefined also where links go round in circles. */
function statOrUndefined(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function findGitDirectory(directory: string): string | undefined {
  const found = gitDirectoryNamedBy(join(directory, ".git"));
  // A stray `.git` without HEAD is no repository; git looks further up, and so do we.
  return found !== undefined && read(join(found, "HEAD")) !== undefined ? found : undefined;
}

/** The directory that an entry `.git` is or points to; it need not hold a repository. */
export function gitDirectoryNamedBy(dotGit: string): string | undefined {
  const stats = statOrUndefined(dotGit);
  if (stats === undefined) return undefined;
  return stats.isDirectory() ? dotGit : readPointer(dotGit, dirname(dotGit));
}

/** Linked worktrees and submodules: `.git` is a file that names the directory. */
function readPointer(file: string, directory: string): string | undefined {
  const target = /^gitdir: (.+)$/m.exec(read(file) ?? "")?.[1];
  return target === undefined ? undefined : resolve(directory, target.trim());
}

function findCommonDirectory(gitDir: string): string {
  const common = read(join(gitDir, "commondir"))?.trim();
  return real(common ? resolve(gitDir, common) : gitDir);
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** A branch that is tracked takes some 80 bytes. */
export const CONFIG_BYTES = 16 << 20;

/** Empty where there is none. Patterns for it must not scan across lines: whoever wrote it may want that to take long. */
export function readConfig(commonDir: string): string {
  return read(join(commonDir, "config"), CONFIG_BYTES) ?? "";
}

/** Undefined when the file is not there, is no regular file, or is larger than any such file can be. */
export function read(path: string, maxBytes = SMALL_FILE_BYTES): string | undefined {
  return readBoundedText(path, maxBytes);
}
