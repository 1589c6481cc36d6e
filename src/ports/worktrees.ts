/** Commits as directories, for whoever must run something on them; kept apart from the repository's own work trees. */
import type { CommitTree } from "./git-objects.ts";

export interface Worktrees {
  /**
   * A directory with the commit's files, made unless it is there. It stays until the last process that asked for it has
   * ended. The repository does not learn of it; no hook and no filter runs.
   */
  ensure(at: CommitTree, ref: string): Promise<string>;
  /** Removes what processes left behind that did not end in order. */
  sweep(): Promise<void>;
  /** Gives back what this process asked for. */
  close(): Promise<void>;
}
