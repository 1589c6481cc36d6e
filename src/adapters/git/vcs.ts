/** Version control by the git command line, for the questions that files alone do not answer. */
import type { Head, Vcs } from "../../ports/vcs.ts";
import { git } from "./command.ts";
import { isObjectId, readHead } from "./head.ts";
import { locate } from "./locate.ts";

export function gitVcs(): Vcs {
  return {
    async repository(path) {
      const found = locate(path);
      return found && { root: found.root, commonDir: found.commonDir };
    },
    head,
    defaultBranch,
    resolve,
  };
}

async function head(root: string): Promise<Head | undefined> {
  const repository = locate(root);
  if (repository === undefined) return undefined;
  const found = readHead(repository);
  return found === "later" ? headByGit(root) : found;
}

async function headByGit(root: string): Promise<Head> {
  const branch = await git(root, ["symbolic-ref", "--quiet", "--short", "HEAD"]);
  const commit = await resolve(root, "HEAD");
  return { ...(branch && { branch }), ...(commit && { commit }) };
}

async function defaultBranch(root: string): Promise<string | undefined> {
  if (locate(root) === undefined) return undefined;
  const remote = await git(root, ["symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"]);
  if (remote) return remote.replace(/^origin\//, "");
  for (const name of ["main", "master"]) {
    if (await resolve(root, `refs/heads/${name}`)) return name;
  }
  return (await head(root))?.branch;
}

async function resolve(root: string, ref: string): Promise<string | undefined> {
  // A NUL cannot be an argument; an empty ref is none.
  if (ref === "" || ref.includes("\0")) return undefined;
  const commit = await git(root, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`]);
  return commit !== undefined && isObjectId(commit) ? commit : undefined;
}
