/** Which trees are known on this machine. One row, one place: two processes never overwrite each other's rows. */
import type { ProjectId } from "../model/ids.ts";

export interface WorkspaceRow {
  readonly id: ProjectId;
  /** Real path of the tree. */
  readonly root: string;
  /** Where the index lives; worktrees of one repository share it. */
  readonly storeLocation: string;
  readonly registeredAt: number;
}

export interface Registry {
  find(root: string): Promise<WorkspaceRow | undefined>;
  /** `storeKey` names what shares an index: the common git directory and the tree's place in it. */
  add(root: string, storeKey: string): Promise<WorkspaceRow>;
  list(): Promise<readonly WorkspaceRow[]>;
  /** Why a directory must never be a workspace (`/`, a home directory), or undefined. */
  refusal(root: string): string | undefined;
}
