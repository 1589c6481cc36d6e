/** Where a work tree, its git directory and the repository's common directory are; found by reading, without git. */
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { BlobNames } from "../../ports/indexer.ts";

export interface Repository {
  /** Top of the work tree. */
  readonly root: string;
  /** This work tree's own directory: HEAD, index. */
  readonly gitDir: string;
  /** Shared by all linked worktrees: refs, objects, configuration. */
  readonly commonDir: string;
  /** There is no work tree; `root` is the repository itself. */
  readonly bare: boolean;
}

export function locate(path: string): Repository | undefined {
  for (let at = path; ; at = dirname(at)) {
    const gitDir = gitDirectoryOf(at);
    if (gitDir !== undefined) return { root: at, gitDir, commonDir: commonDirectoryOf(gitDir), bare: false };
    if (isBare(at)) return { root: at, gitDir: at, commonDir: at, bare: true };
    if (dirname(at) === at) return undefined;
  }
}

/** Where a file `.git`, here or above, says that a repository is, and there is none. */
export function lostRepository(path: string): string | undefined {
  for (let at = path; ; at = dirname(at)) {
    const dotGit = join(at, ".git");
    if (statSync(dotGit, { throwIfNoEntry: false })?.isFile())
      return gitDirectoryOf(at) ? undefined : pointerOf(dotGit, at);
    if (dirname(at) === at) return undefined;
  }
}

/** A directory that is a repository by itself. One named `.git` belongs to the work tree around it. */
export function isBare(directory: string): boolean {
  if (basename(directory) === ".git" || !isDirectory(join(directory, "objects"))) return false;
  return isDirectory(join(directory, "refs")) && read(join(directory, "HEAD")) !== undefined;
}

/** How the repository makes its object ids. */
export function blobNames({ commonDir }: Repository): BlobNames {
  return /^\s*objectformat\s*=\s*sha256\s*$/im.test(read(join(commonDir, "config")) ?? "") ? "sha256" : "sha1";
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function gitDirectoryOf(directory: string): string | undefined {
  const dotGit = join(directory, ".git");
  const stats = statSync(dotGit, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  const found = stats.isDirectory() ? dotGit : pointerOf(dotGit, directory);
  // A stray `.git` without HEAD is no repository; git looks further up, and so do we.
  return found !== undefined && read(join(found, "HEAD")) !== undefined ? found : undefined;
}

/** Linked worktrees and submodules: `.git` is a file that names the directory. */
function pointerOf(file: string, directory: string): string | undefined {
  const target = /^gitdir: (.+)$/m.exec(read(file) ?? "")?.[1];
  return target === undefined ? undefined : resolve(directory, target.trim());
}

function commonDirectoryOf(gitDir: string): string {
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

/** A small file's text; undefined when it is not there, which is asked first: to make an error takes ten times as long. */
export function read(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
