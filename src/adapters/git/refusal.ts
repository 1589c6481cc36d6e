/** Why git does not read a repository that is there, in words for the user. Asked only after something failed. */
import type { RepositoryRefusal } from "../../ports/vcs.ts";
import { git, gitComplaint } from "./command.ts";
import { locateRepository } from "./locate.ts";

const running = new Map<string, Promise<RepositoryRefusal | undefined>>();

/** Undefined where there is no repository, and where git reads it. Many unknown refs at once cost one check. */
export function refusal(root: string): Promise<RepositoryRefusal | undefined> {
  const check = running.get(root) ?? checked(root).finally(() => running.delete(root));
  running.set(root, check);
  return check;
}

async function checked(root: string): Promise<RepositoryRefusal | undefined> {
  if (locateRepository(root) === undefined || (await git(root, READS)) !== undefined) return undefined;
  const complaint = await gitComplaint(root, READS);
  return complaint === undefined ? undefined : inWords(complaint);
}

/** Reads nothing but what tells a repository. */
const READS = ["rev-parse", "--git-dir"];

/**
 * A repository of another user may have been put there for us to find. git's refusal stands: we neither read the objects
 * without git nor set `safe.directory` ourselves, which only the user can decide.
 */
function inWords(complaint: string): RepositoryRefusal {
  if (complaint === "") {
    return {
      cause: "refused",
      reason: "git cannot be started",
      suggestion: "Install git, or put the directory of the git program on PATH.",
    };
  }
  if (/dubious ownership|unsafe repository/.test(complaint)) {
    const allow = /git config --global --add safe\.directory .+/.exec(complaint)?.[0];
    return {
      cause: "refused",
      reason: "git refuses to read the repository because it belongs to another user",
      suggestion: `Run codecompass as the user that owns it. If you trust the repository, allow it: ${allow ?? "see what `git status` says there"}`,
    };
  }
  const [line = ""] = complaint.split("\n");
  return {
    cause: "refused",
    reason: `git cannot read the repository: ${line.replace(/^fatal: /, "")}`,
    suggestion: "Run `git status` in it and do what git says.",
  };
}
