/** What two states of a repository have in common and where they differ. Reads objects only. */

/** A file of a state: the id of its content, and whether it is a plain file (no link, no submodule). */
export interface BlobRef {
  readonly id: string;
  readonly regular: boolean;
}

/** A path that differs. A side is absent where the path does not exist; `disk`: its content is that of the file. */
export interface ChangedPath {
  /** Relative to the directory that was asked about. */
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
