/** Version control as the core needs it. Never touches the checkout, HEAD or the index. */
import type { ReadResult, WalkItem, WalkOptions } from "./files.ts";
import type { BlobNames } from "./indexer.ts";

export interface Head {
  /** Checked-out branch; absent when HEAD is detached. */
  readonly branch?: string;
  /** Absent on an unborn branch. */
  readonly commit?: string;
}

export interface RepositoryInfo {
  /** Top of the work tree, or the repository itself where it has none. */
  readonly root: string;
  /** Shared by all linked worktrees. */
  readonly commonDir: string;
  /** Without a work tree. */
  readonly bare: boolean;
  /** Whether this work tree is one of several, and not the first. */
  readonly linked: boolean;
  /** What tells this work tree from those of other machines, where several share an index. */
  readonly worktree?: string;
  readonly blobs: BlobNames;
}

/** A ref that exists, by its one name. */
export interface NamedRef {
  /** `main`, `v1.0`, `origin/main`, or a commit's id. */
  readonly name: string;
  /** `refs/heads/main`, or a commit's id, which never means another commit. */
  readonly full: string;
  readonly commit: string;
}

/** Short names, the newest first. */
export interface RepositoryRefs {
  readonly branches: readonly string[];
  readonly tags: readonly string[];
}

export interface WorktreeInfo {
  readonly path: string;
  readonly head: Head;
}

/** Why a repository cannot be read, and what the user can do about it. */
export interface RepositoryRefusal {
  /** A cause of the error registry. */
  readonly cause: "refused";
  readonly reason: string;
  readonly suggestion: string;
}

export interface Vcs {
  /** Undefined outside a repository. */
  repository(path: string): Promise<RepositoryInfo | undefined>;
  /** Cheap (reads two small files): called before every answer. */
  head(root: string): Promise<Head | undefined>;
  /** Whether git is writing the work tree at this moment (a checkout, a merge): it holds the lock of its index. */
  isWriting(root: string): Promise<boolean>;
  /** The project's default branch: origin/HEAD, else main, else master, else the checked-out one. */
  defaultBranch(root: string): Promise<string | undefined>;
  /** Full commit id of a ref, or undefined. */
  resolve(root: string, ref: string): Promise<string | undefined>;
  /** Resolves a ref name: a branch, else a tag, else a remote branch, else any revision that git understands. */
  named(root: string, ref: string): Promise<NamedRef | undefined>;
  /** The commit of a `full` name now; as cheap as `head` for branches. */
  tip(root: string, full: string): Promise<string | undefined>;
  /** Whether objects came after a moment: what a partial clone lacked may have been fetched. */
  gainedSince?(root: string, at: number): Promise<boolean>;
  /** Outside a repository: the target of a `.git` file. A work tree that was moved, or lost its repository. */
  lost?(root: string): Promise<string | undefined>;
  /** Why the version control does not read a repository that is there: another user owns it, git is missing. */
  refusal?(root: string): Promise<RepositoryRefusal | undefined>;
  /** Why parts of the repository cannot be read, one sentence each; checked before every answer. */
  problems?(root: string): Promise<readonly string[]>;
  /** Local branches, remote branches and tags; at most a few thousand of each. */
  refNames?(root: string): Promise<RepositoryRefs>;
  /** Every work tree of the repository that is on disk. */
  worktrees(root: string): Promise<readonly WorktreeInfo[]>;
}

/** A tree of files as a commit has it. */
export interface CommitTree {
  /** The workspace, wherever its repository is. */
  readonly root: string;
  readonly commit: string;
  /** Name used in messages; absent: the commit. */
  readonly name?: string;
}

export interface GitObjects {
  /** As `Files.walk` of a checkout would, but for the sizes, which are 0. A file's stamp is its blob's id. */
  walk(at: CommitTree, options?: WalkOptions): Promise<readonly WalkItem[]>;
  /** Files and directories that differ between two commits; undefined when a commit cannot be read. */
  changed(root: string, from: string, to: string): Promise<readonly string[] | undefined>;
  /** Bytes of each of the commit's blobs; absent where the repository does not have it (a partial clone). */
  sizes(at: CommitTree, blobs: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Reads one blob; `stamp` is its id. Calls may run concurrently. */
  read(root: string, blob: string, maxBytes: number): Promise<ReadResult>;
  /** Tells that the repository is idle, so that its processes may end. */
  releaseIdle(root: string): void;
  close(): Promise<void>;
}

/** A file of a state: the id of its content, and whether it is a plain file (no link, no submodule). */
export interface BlobRef {
  readonly id: string;
  readonly regular: boolean;
}

/** A path that differs. A side is absent where the path does not exist; `disk`: its content is that of the file. */
export interface ChangedPath {
  /** Relative to `root`. */
  readonly path: string;
  readonly before?: BlobRef;
  readonly after?: BlobRef | "disk";
}

/** The content of a blob, or why there is none. */
export type BlobContent = Uint8Array | "too_large" | "missing";

export interface History {
  /** The best common ancestor of two commits; undefined when they have none that is here. */
  mergeBase(root: string, one: string, other: string): Promise<string | undefined>;
  /**
   * Paths below `root` that differ between two commits, or a commit and the files on disk (untracked ones included,
   * ignored ones not). On disk a path may be named whose content is the same after all. Undefined: objects are missing.
   */
  changedPaths(root: string, from: string, to: string | "worktree"): Promise<readonly ChangedPath[] | undefined>;
  /** What a commit has at a path below `root`; `missing` where it has no file there, or the clone not its content. */
  contentAt(root: string, commit: string, path: string, maxBytes: number): Promise<BlobContent>;
  /** By id. Larger ones than `maxBytes` are not kept. */
  blobs(root: string, ids: Iterable<string>, maxBytes: number): Promise<ReadonlyMap<string, BlobContent>>;
}

export interface Worktrees {
  /**
   * Returns a directory with the commit's files and creates it if needed. It is removed when the last process that uses
   * it has ended. The repository does not list it; no hook and no filter runs.
   */
  ensure(at: CommitTree, ref: string): Promise<string>;
  /** Removes the directories of processes that crashed. */
  sweep(): Promise<void>;
  /** Releases the directories of this process. */
  close(): Promise<void>;
}

export interface HookOutcome {
  readonly hook: string;
  /** `kept`: another hook is installed there and stays as it is. */
  readonly outcome: "installed" | "updated" | "present" | "kept" | "removed" | "absent";
}

export interface HookReport {
  readonly directory: string;
  /** Other repositories use this directory too: core.hooksPath says so. */
  readonly shared: boolean;
  readonly hooks: readonly HookOutcome[];
}

export interface Hooks {
  /** `command`: program and arguments that a hook starts, in the background. Undefined: no repository here. */
  install(root: string, command: readonly string[]): Promise<HookReport | undefined>;
  /** Takes away exactly what `install` added. */
  uninstall(root: string): Promise<HookReport | undefined>;
}
