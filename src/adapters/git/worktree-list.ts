/** The work trees of a repository, from the files that git keeps about them. */
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { WorktreeInfo } from "../../ports/vcs.ts";
import { readHead } from "./head.ts";
import { type GitRepository, isBare, read } from "./locate.ts";

export function listWorktrees({ commonDir }: GitRepository): WorktreeInfo[] {
  const linked = names(join(commonDir, "worktrees")).map((name) => join(commonDir, "worktrees", name));
  const own = isBare(commonDir) ? [] : [{ path: dirname(commonDir), gitDir: commonDir }];
  const all = [...own, ...linked.flatMap((gitDir) => linkedWorktree(gitDir))];
  return all.flatMap(({ path, gitDir }) => {
    const head = readHead({ root: path, gitDir, commonDir, bare: false });
    return head === "later" || !existsSync(path) ? [] : [{ path, head }];
  });
}

/** `gitdir` names the `.git` file inside the work tree. */
function linkedWorktree(gitDir: string): { path: string; gitDir: string }[] {
  const file = read(join(gitDir, "gitdir"))?.trim();
  return file ? [{ path: dirname(file), gitDir }] : [];
}

function names(directory: string): string[] {
  try {
    return readdirSync(directory).sort();
  } catch {
    return [];
  }
}
