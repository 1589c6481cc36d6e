/** Which ref a call speaks of when it names none, and what is checked out now. */
import type { Vcs } from "../ports/vcs.ts";

export const LIVE = "live";

export interface CheckedOut {
  /** The name of the view that shows the working tree: branch, commit of a detached HEAD, or `live`. */
  readonly ref: string;
  readonly commit?: string;
}

export async function checkedOut(root: string, vcs: Vcs): Promise<CheckedOut> {
  const head = await vcs.head(root);
  if (head?.commit === undefined) return { ref: LIVE };
  return { ref: head.branch ?? head.commit, commit: head.commit };
}
