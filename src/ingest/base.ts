/**
 * The view that others are kept as differences to: a commit's, whole, that follows no branch. It is made when the first
 * other view needs it, and made anew when a view comes that has little in common with it; views that were kept over it
 * go on with the generation they know.
 */
import type { JobId } from "../model/ids.ts";
import type { GitObjects } from "../ports/git-objects.ts";
import type { IndexRequest } from "../ports/indexer.ts";
import type { Store } from "../ports/store.ts";
import { rebuildsIndex } from "./run.ts";

/** A view that differs in more than this part of the files would rather be a base itself. */
const TOO_DIFFERENT = 0.25;
const FEW_FILES = 400;

/** What has to be indexed before the request, if anything. */
export async function requestMissingBase(
  request: IndexRequest,
  ports: { readonly store: Store; readonly objects?: GitObjects },
): Promise<IndexRequest | undefined> {
  const { base, commit } = request;
  const made = requestNewBase(request);
  if (base === undefined || made === undefined || ports.objects === undefined) return undefined;
  const views = await ports.store.views();
  // An existing view has its base already.
  if (views.some((view) => view.ref === request.ref)) return undefined;
  const present = views.find((view) => view.ref === base.ref);
  if (present === undefined) return made;
  if (present.commit === undefined || commit === undefined) return undefined;
  const changed = await ports.objects.changed(request.root, present.commit, commit);
  const many = Math.max(FEW_FILES, present.fileCount * TOO_DIFFERENT);
  return changed === undefined || changed.length > many ? requestForCommit(request, base.ref, commit) : undefined;
}

/** The same where the store has no view yet. */
export function requestNewBase(request: IndexRequest): IndexRequest | undefined {
  const { base } = request;
  return base === undefined || rebuildsIndex(request) ? undefined : requestForCommit(request, base.ref, base.commit);
}

function requestForCommit(request: IndexRequest, ref: string, commit: string): IndexRequest {
  const { base: _, paths: __, ...rest } = request;
  const jobId = `${request.jobId}-base` as JobId;
  const isCheckout = request.from === undefined && { isCheckout: true as const };
  const of = { ref, name: ref, commit, from: "commit", ...isCheckout } as const;
  return { ...rest, ...of, jobId, mode: "incremental", force: false };
}
