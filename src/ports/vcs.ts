/** Version control as the core needs it. Never touches the checkout, HEAD or the index. */

export interface Head {
  /** Checked-out branch; absent when HEAD is detached. */
  readonly branch?: string;
  /** Absent on an unborn branch. */
  readonly commit?: string;
}

export interface Vcs {
  /** The work tree's root and the common git directory; undefined outside a repository. */
  repository(path: string): Promise<{ readonly root: string; readonly commonDir: string } | undefined>;
  /** Cheap (reads two small files): asked before every answer. */
  head(root: string): Promise<Head | undefined>;
  /** The project's default branch: origin/HEAD, else main, else master, else the checked-out one. */
  defaultBranch(root: string): Promise<string | undefined>;
  /** Full commit id of a ref, or undefined. */
  resolve(root: string, ref: string): Promise<string | undefined>;
}
