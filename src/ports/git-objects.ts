/** Commits as trees of files, read from version control's own storage; the checkout is neither needed nor touched. */
import type { ReadResult, WalkItem, WalkOptions } from "./files.ts";

/** A tree of files as a commit has it. */
export interface CommitTree {
  /** The workspace, wherever its repository is. */
  readonly root: string;
  readonly commit: string;
  /** What whoever asks for it calls it; absent: the commit. */
  readonly name?: string;
}

export interface GitObjects {
  /** As `Files.walk` of a checkout would, but for the sizes, which are 0. A file's stamp is its blob's id. */
  walk(at: CommitTree, options?: WalkOptions): Promise<readonly WalkItem[]>;
  /** Files and directories that differ between two commits; undefined when one of them cannot be read. */
  changed(root: string, from: string, to: string): Promise<readonly string[] | undefined>;
  /** Bytes of each of the commit's blobs; absent where the repository does not have it (a partial clone). */
  sizes(at: CommitTree, blobs: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** One blob; `stamp` of the answer is its id. Many may be asked for at once. */
  read(root: string, blob: string, maxBytes: number): Promise<ReadResult>;
  /** Nobody will ask about it soon: what was kept for it may go. */
  releaseIdle(root: string): void;
  close(): Promise<void>;
}
