/** What is likely to be checked out next: people go back and forth between a few branches, which are indexed. */
import type { Store } from "../../ports/store.ts";
import { BASE_VIEW, isWorkingView, type ResolvedRef, refOfView } from "./resolve-ref.ts";

export type Expected = Pick<ResolvedRef, "ref" | "commit">;

const MOST = 8;

/** The refs that were indexed last. */
export async function expectedRefs(store: Pick<Store, "views">): Promise<Expected[]> {
  const views = (await store.views()).filter(({ ref }) => !isWorkingView(ref) && ref !== BASE_VIEW);
  const latest = views.sort((a, b) => b.publishedAt - a.publishedAt).slice(0, MOST);
  return latest.map(({ ref, commit }) => ({ ref: refOfView(ref), ...(commit !== undefined && { commit }) }));
}
