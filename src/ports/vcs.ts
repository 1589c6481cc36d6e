/** Version control as the core needs it. Never touches the checkout, HEAD or the index. */
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

export interface WorktreeInfo {
  readonly path: string;
  readonly head: Head;
}

/** Why a repository cannot be read, and what the user can do about it. */
export interface RepositoryRefusal {
  /** As the registry of errors calls it. */
  readonly cause: "refused";
  readonly reason: string;
  readonly suggestion: string;
}

export interface Vcs {
  /** Undefined outside a repository. */
  repository(path: string): Promise<RepositoryInfo | undefined>;
  /** Cheap (reads two small files): asked before every answer. */
  head(root: string): Promise<Head | undefined>;
  /** Whether git is writing the work tree at this moment (a checkout, a merge): it holds the lock of its index. */
  isWriting(root: string): Promise<boolean>;
  /** The project's default branch: origin/HEAD, else main, else master, else the checked-out one. */
  defaultBranch(root: string): Promise<string | undefined>;
  /** Full commit id of a ref, or undefined. */
  resolve(root: string, ref: string): Promise<string | undefined>;
  /** What a caller's word means: a branch before a tag before a remote's branch before anything else git understands. */
  named(root: string, ref: string): Promise<NamedRef | undefined>;
  /** The commit of a `full` name now; as cheap as `head` for branches. */
  tip(root: string, full: string): Promise<string | undefined>;
  /** Whether objects came after a moment: what a partial clone lacked may have been fetched. */
  gainedSince?(root: string, at: number): Promise<boolean>;
  /** Outside a repository: where a file `.git` says that one is. A work tree that was moved, or lost its repository. */
  lost?(root: string): Promise<string | undefined>;
  /** Why the version control does not read a repository that is there: another user owns it, git is missing. */
  refusal?(root: string): Promise<RepositoryRefusal | undefined>;
  /** Why parts of the repository cannot be read, one sentence each; asked before every answer. */
  problems?(root: string): Promise<readonly string[]>;
  /** Every work tree of the repository that is on disk. */
  worktrees(root: string): Promise<readonly WorktreeInfo[]>;
}
