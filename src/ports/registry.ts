/** Which trees are known on this machine. One row, one place: two processes never overwrite each other's rows. */
import type { ProjectId } from "../model/ids.ts";

export interface WorkspaceRow {
  readonly id: ProjectId;
  /** Real path of the tree. */
  readonly root: string;
  /** Where the index lives; worktrees of one repository share it. */
  readonly storeLocation: string;
  readonly registeredAt: number;
  /** Found by a server on demand, not registered by a person; it may give way to another one. */
  readonly autoDiscovered: boolean;
  /** When a process last used it, give or take a minute. */
  readonly lastUsedAt: number;
  /** Not a tree at all: a repository of a shared store, without a checkout here. `root` is its name. */
  readonly published?: true;
}

export interface Registry {
  /** Throws `workspace_not_registered` when what is known of the tree is damaged: it must be registered again. */
  find(root: string): Promise<WorkspaceRow | undefined>;
  /**
   * `storeKey` names what shares an index: the common git directory and the tree's place in it. What a person
   * registers stays registered, also where a server had discovered it before.
   */
  add(root: string, storeKey: string, how?: { readonly autoDiscovered: boolean }): Promise<WorkspaceRow>;
  list(): Promise<readonly WorkspaceRow[]>;
  /** Forgets the tree; its index is left alone. False when it was not known. */
  remove(root: string): Promise<boolean>;
  /** Remembers that the tree was used now. */
  touch(row: WorkspaceRow): Promise<void>;
  /** Whether an index lies in the data directory, links followed: only there is anything ever tidied up. */
  holds(storeLocation: string): Promise<boolean>;
  /** Why a directory must never be a workspace (`/`, a home directory), or undefined. */
  refusal(root: string): string | undefined;
}
