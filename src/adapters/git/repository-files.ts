/** Reads a repository's own files without git: where it is, HEAD, refs, work trees and the name of its remote. */
import { existsSync, readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { readBounded, readBoundedText, SMALL_FILE_BYTES } from "../../io/bounded-read.ts";
import type { BlobNames } from "../../ports/indexer.ts";
import type { Head, WorktreeInfo } from "../../ports/vcs.ts";

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

/** The target of a `.git` file, here or above, that leads to no repository. */
export function lostRepository(path: string): string | undefined {
  for (let at = path; ; at = dirname(at)) {
    const dotGit = join(at, ".git");
    if (statOrUndefined(dotGit)?.isFile()) return findGitDirectory(at) ? undefined : readPointer(dotGit, at);
    if (dirname(at) === at) return undefined;
  }
}

/** Whether the directory is a bare repository. One named `.git` belongs to the work tree around it. */
function isBare(directory: string): boolean {
  if (basename(directory) === ".git" || !isDirectory(join(directory, "objects"))) return false;
  return isDirectory(join(directory, "refs")) && read(join(directory, "HEAD")) !== undefined;
}

/** The hash algorithm of the object ids. */
export function blobNames({ commonDir }: GitRepository): BlobNames {
  return /^[ \t]*objectformat[ \t]*=[ \t]*sha256[ \t\r]*$/im.test(readConfig(commonDir)) ? "sha256" : "sha1";
}

function isDirectory(path: string): boolean {
  return statOrUndefined(path)?.isDirectory() === true;
}

/** Undefined also for circular links. */
function statOrUndefined(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function findGitDirectory(directory: string): string | undefined {
  const found = gitDirectoryNamedBy(join(directory, ".git"));
  // Like git, ignore a stray `.git` without HEAD and search further up.
  return found !== undefined && read(join(found, "HEAD")) !== undefined ? found : undefined;
}

/** The directory that a `.git` entry is or points to; it need not hold a repository. */
export function gitDirectoryNamedBy(dotGit: string): string | undefined {
  const stats = statOrUndefined(dotGit);
  if (stats === undefined) return undefined;
  return stats.isDirectory() ? dotGit : readPointer(dotGit, dirname(dotGit));
}

/** In linked worktrees and submodules `.git` is a file that names the directory. */
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

/** Enough for 200,000 tracked branches. */
export const CONFIG_BYTES = 16 << 20;

/** Empty if there is none. Patterns applied to it must not scan across lines: the file is untrusted and may be crafted. */
export function readConfig(commonDir: string): string {
  return read(join(commonDir, "config"), CONFIG_BYTES) ?? "";
}

/** Undefined when the file is missing, not regular, or larger than any such file can be. */
function read(path: string, maxBytes = SMALL_FILE_BYTES): string | undefined {
  return readBoundedText(path, maxBytes);
}

/** The content of HEAD if refs are stored as a reftable, which only git reads. */
const ELSEWHERE = "refs/heads/.invalid";

export function usesReftable(repository: GitRepository): boolean {
  return readHeadText(repository) === `ref: ${ELSEWHERE}`;
}

/** `later`: only git can tell. */
export function readHead(repository: GitRepository): Head | "later" {
  const text = readHeadText(repository);
  const ref = refNamedBy(text);
  if (ref === ELSEWHERE) return "later";
  if (ref === undefined) return isObjectId(text) ? { commit: text } : {};
  const branch = ref.replace(/^refs\/heads\//, "");
  const commit = readRef(repository, ref);
  if (commit === "later") return commit;
  return commit === undefined ? { branch } : { branch, commit };
}

/** The full name of the ref that HEAD names; undefined where it names a commit. */
export function symbolicHead(repository: Pick<GitRepository, "gitDir">): string | undefined {
  return refNamedBy(readHeadText(repository));
}

function refNamedBy(text: string): string | undefined {
  return /^ref: (.+)$/.exec(text)?.[1];
}

function readHeadText({ gitDir }: Pick<GitRepository, "gitDir">): string {
  return read(join(gitDir, "HEAD"))?.trim() ?? "";
}

/** The ref that a symbolic ref names. */
export function readSymbolic(repository: GitRepository, ref: string): string | undefined {
  return refNamedBy(read(join(repository.commonDir, ref))?.trim() ?? "");
}

/** A symbolic ref may name another one; git itself stops after five. `later`: only git can tell. */
export function readRef(repository: GitRepository, ref: string, depth = 5): string | "later" | undefined {
  const own = join(repository.gitDir, ref);
  const text = (read(own) ?? read(join(repository.commonDir, ref)))?.trim();
  const next = refNamedBy(text ?? "");
  if (next !== undefined) return depth > 0 ? readRef(repository, next, depth - 1) : undefined;
  return text !== undefined && isObjectId(text) ? text : packedRef(repository, ref);
}

/** About 200,000 refs. Reading more would block the thread for longer than starting git takes. */
const PACKED_REFS_BYTES = 16 << 20;

function packedRef({ commonDir }: GitRepository, ref: string): string | "later" | undefined {
  const file = readBounded(join(commonDir, "packed-refs"), PACKED_REFS_BYTES);
  if ("problem" in file) return file.problem.code === "too_large" ? "later" : undefined;
  const packed = file.bytes.toString("utf8");
  const at = `\n${packed}`.indexOf(` ${ref}\n`);
  if (at < 0) return undefined;
  const line = packed.slice(packed.lastIndexOf("\n", at - 1) + 1, at - 1);
  return isObjectId(line) ? line : undefined;
}

/** SHA-1 or SHA-256. */
export function isObjectId(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}

export function listWorktrees({ commonDir }: GitRepository): WorktreeInfo[] {
  const linked = names(join(commonDir, "worktrees")).map((name) => join(commonDir, "worktrees", name));
  const own = isBare(commonDir) ? [] : [{ path: dirname(commonDir), gitDir: commonDir }];
  const all = [...own, ...linked.flatMap((gitDir) => linkedWorktree(gitDir))];
  return all.flatMap(({ path, gitDir }) => {
    const head = readHead({ root: path, gitDir, commonDir, bare: false });
    return head === "later" || !existsSync(path) ? [] : [{ path, head }];
  });
}

/** `gitdir` names the `.git` file inside the work tree. */
function linkedWorktree(gitDir: string): { path: string; gitDir: string }[] {
  const file = read(join(gitDir, "gitdir"))?.trim();
  return file ? [{ path: dirname(file), gitDir }] : [];
}

function names(directory: string): string[] {
  try {
    return readdirSync(directory).sort();
  } catch {
    return [];
  }
}

/** No server accepts a longer URL. */
const LONGEST_URL = 4_096;

/** `host/owner/name` of the remote `origin`; undefined if there is none or it is a local path. */
export function remoteName(commonDir: string): string | undefined {
  const section = /^[ \t]*\[\s*remote\s+"origin"\s*\]([^[]*)/im.exec(readConfig(commonDir))?.[1] ?? "";
  const value = /^[ \t]*url[ \t]*=(.*)$/im.exec(section)?.[1]?.trim();
  const url = value?.replace(/^"|"$/g, "");
  return url && url.length <= LONGEST_URL ? nameOfUrl(url) : undefined;
}

/**
 * Drops scheme, user, password, port, query, fragment and `.git`; the host becomes lower case. Every reader of the index
 * sees the name, so a URL with anything that could be a credential has none.
 */
export function nameOfUrl(url: string): string | undefined {
  const { host, path: whole } = WITH_SCHEME.exec(url)?.groups ?? SCP_STYLE.exec(url)?.groups ?? {};
  const path = whole
    ?.replace(AFTER_PATH, "")
    .replace(/^\/+|[\s/]+$/g, "")
    .replace(/\.git$/, "");
  if (host === undefined || !path || BEFORE_AT.test(path)) return undefined;
  return `${host.toLowerCase()}/${path}`;
}

/** User and password end at the last `@` before the first slash, because passwords may contain an unescaped `@`. */
const WITH_SCHEME = /^(?:https?|ssh|git):\/\/(?:[^/]*@)?(?<host>[^/:@?#;%\s]+)(?::\d+)?\/(?<path>.+)$/i;
/** A single letter before the colon is a drive, two colons follow the name of a remote helper. */
const SCP_STYLE = /^(?![\w+.-]+::)(?:[^/]*@(?=[^/:@]+:)|(?=[^/:@]{2,}:))(?<host>[^/:@?#;%\s]+):(?!\/\/)(?<path>.+)$/;
/** Query, fragment and parameters: `?private_token=`, also where they were escaped. */
const AFTER_PATH = /(?:[?#;]|%3f|%23|%3b).*$/i;
/** `token@host` inside a path; `@scope` at the start of a part is none. */
const BEFORE_AT = /[^/](?:@|%40)/i;
