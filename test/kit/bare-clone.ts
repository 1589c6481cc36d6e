/** A bare clone with a remote, as CI has it. */
import { git, type Sandbox } from "./sandbox.ts";

/** A repository with one commit on `main`. */
export function bareClone(box: Sandbox, files: Readonly<Record<string, string>>, remote: string): string {
  return bareCloneOf(box.repository(files), remote);
}

export function bareCloneOf(root: string, remote: string): string {
  const bare = `${root}.git`;
  git(root, "clone", "-q", "--bare", root, bare);
  git(bare, "remote", "set-url", "origin", remote);
  return bare;
}
