/** What the thread that starts git's processes is asked, and what it answers. */

export interface ToGit {
  readonly id: number;
  readonly args: readonly string[];
}

export interface FromGit {
  readonly id: number;
  /** Absent: git refused, or is not installed. */
  readonly output?: Uint8Array;
}
