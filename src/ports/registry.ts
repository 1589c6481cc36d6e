/** The registered workspaces of this machine. Each row is stored by itself: two processes never overwrite each other's rows. */
import type { ProjectId } from "../model/ids.ts";

export interface WorkspaceRow {
  readonly id: ProjectId;
  /** Real path of the tree. */
  readonly root: string;
  /** Where the index lives; worktrees of one repository share it. */
  readonly storeLocation: string;
  readonly registeredAt: number;
  /** Found by a server on demand, not registered by a person; it may be evicted. */
  readonly autoDiscovered: boolean;
  /** When a process last used it, give or take a minute. */
  readonly lastUsedAt: number;
  /** A repository of a shared store without a checkout here; `root` is its name. */
  readonly published?: true;
}

export interface DamagedRegistration {
  readonly file: string;
  /** The tree, where the rest of the file still tells. */
  readonly root?: string;
  readonly reason: string;
}

export interface Registry {
  /** Throws `workspace_not_registered` when the row is damaged: the tree must be registered again. */
  find(root: string): Promise<WorkspaceRow | undefined>;
  /**
   * `storeKey` names what shares an index: the common git directory and the tree's place in it. What a person
   * registers stays registered, also where a server had discovered it before.
   */
  add(root: string, storeKey: string, how?: { readonly autoDiscovered: boolean }): Promise<WorkspaceRow>;
  /** The registrations that can be read. */
  list(): Promise<readonly WorkspaceRow[]>;
  /** The others: each is replaced when its tree is registered again. */
  damaged(): Promise<readonly DamagedRegistration[]>;
  /** Unregisters the tree and leaves its index. False when it was not registered. */
  remove(root: string): Promise<boolean>;
  /** Updates `lastUsedAt`. */
  touch(row: WorkspaceRow): Promise<void>;
  /** Whether an index lies in the data directory, links resolved: nothing outside of it is ever cleaned up. */
  holds(storeLocation: string): Promise<boolean>;
  /** Why a directory must never be a workspace (`/`, a home directory), or undefined. */
  refusal(root: string): string | undefined;
}
