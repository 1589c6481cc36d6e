/**
 * Which view a call means. A working tree has one view that follows it from commit to commit; every other ref has a view
 * of its own, made of commits. The same branch may thus have two views: with the edits of a work tree and without.
 */
import { CompassError } from "../../model/errors.ts";
import type { ProjectId } from "../../model/ids.ts";
import type { ViewInfo } from "../../ports/snapshot.ts";
import type { RepositoryInfo, RepositoryRefusal, Vcs } from "../../ports/vcs.ts";

export const LIVE = "live";
/** The view of the work tree that came with the repository. */
export const FIRST_WORKTREE = "worktree";

/** The view that others are stored as differences to; it has no name for callers. */
export const BASE_VIEW = "base";

/** A view, what it is called, and what it should show now. */
export interface ResolvedRef {
  /** Its name in the store. */
  readonly view: string;
  /** Branch, tag, commit of a detached HEAD, or `live`. */
  readonly ref: string;
  readonly commit?: string;
  /** Where its files are; `published`: in the store alone. */
  readonly from: "directory" | "commit" | "published";
  /** What is published of it, where the store was read just now. */
  readonly seen?: ViewInfo;
}

export interface CheckoutLocation {
  readonly id: ProjectId;
  readonly root: string;
  readonly repository: RepositoryInfo | undefined;
}

export async function checkedOut({ id, root, repository }: CheckoutLocation, vcs: Vcs): Promise<ResolvedRef> {
  const head = repository === undefined ? undefined : await vcs.head(root);
  const view = workingView(id, repository);
  if (head?.commit === undefined) return { view, ref: LIVE, from: "directory" };
  const { commit } = head;
  const ref = head.branch ?? commit;
  if (repository?.bare !== true) return { view, ref, commit, from: "directory" };
  return { view: head.branch === undefined ? commit : `refs/heads/${head.branch}`, ref, commit, from: "commit" };
}

/** What a caller's word for a ref means; what is checked out is shown with its edits. */
export async function resolveRef(place: CheckoutLocation, ref: string | undefined, vcs: Vcs): Promise<ResolvedRef> {
  const now = await checkedOut(place, vcs);
  if (ref === undefined || ref === now.ref || ref === "HEAD" || ref === "@") return now;
  const named = place.repository === undefined ? undefined : await vcs.named(place.root, ref);
  if (named === undefined) throw unknownRef(ref, now, await unreadableRepository(place.root, vcs));
  const isCheckedOut = named.name === now.ref && named.commit === now.commit;
  return isCheckedOut ? now : { view: named.full, ref: named.name, commit: named.commit, from: "commit" };
}

/** Further work trees of a repository share the first one's store, so the names of their views tell them apart. */
export function workingView(tree: ProjectId, repository: RepositoryInfo | undefined): string {
  if (repository === undefined) return LIVE;
  return repository.linked ? `worktree:${repository.worktree ?? tree}` : FIRST_WORKTREE;
}

/** Whether a view of the store shows a working tree. */
export function isWorkingView(view: string): boolean {
  return view === LIVE || view === FIRST_WORKTREE || view.startsWith("worktree:");
}

/** What people call a view of commits. */
export function refOfView(view: string): string {
  return view.replace(/^refs\/(?:heads|tags|remotes)\//, "");
}

/** Why no ref can be read here, where that is so: the repository is not where it should be, or git refuses it. */
export async function unreadableRepository(root: string, vcs: Vcs): Promise<RepositoryRefusal | undefined> {
  const at = await vcs.lost?.(root);
  if (at === undefined) return vcs.refusal?.(root);
  return {
    cause: "refused",
    reason: `the file .git says that the repository is ${at}, and there is none`,
    suggestion: "Put the repository back, or run `git worktree repair` in it.",
  };
}

function unknownRef(ref: string, now: ResolvedRef, refusal: RepositoryRefusal | undefined): CompassError {
  return new CompassError("ref_not_indexed", {
    ref,
    reason: "there is no such branch, tag or commit here",
    checked_out: now.ref,
    suggestion: "Pass a branch, tag or commit that `git rev-parse` knows here, or fetch it first.",
    ...refusal,
  });
}
