/** The indexed refs: the checked-out one with its edits, and those indexed on request. */
import type { Snapshot, ViewInfo } from "../../ports/snapshot.ts";
import type { Store } from "../../ports/store.ts";
import type { RefStatus } from "../compass.ts";
import type { CompassPorts } from "../ports.ts";
import type { Tree } from "../projects/tree.ts";
import { BASE_VIEW, isWorkingView, type ResolvedRef, refOfView } from "./resolve-ref.ts";
import type { Overlay } from "./source-layers.ts";

export async function refList(tree: Tree, { vcs }: Pick<CompassPorts, "vcs">): Promise<readonly RefStatus[]> {
  const store = await tree.store();
  const now = await tree.checkedOut();
  // Before the first commit there is no branch: what is on disk is all there is.
  const main = now.commit === undefined ? now.ref : ((await vcs.defaultBranch(tree.row.root)) ?? now.ref);
  const uses = await store.uses();
  const rows: RefStatus[] = [];
  for (const view of await store.views()) {
    const target = await resolveView(view, now, tree, vcs);
    // The checked-out branch is shown once, with its edits.
    if (target === undefined || (target.ref === now.ref && target.view !== now.view)) continue;
    rows.push(await describeRef(view, target, { tree, store, main, usedAt: uses.get(view.ref) ?? view.publishedAt }));
  }
  return rows.sort((a, b) => Number(b.isDefault) - Number(a.isDefault) || (a.ref < b.ref ? -1 : 1));
}

/** Undefined: the view of another work tree, or of none. */
async function resolveView(
  { ref: view, commit }: ViewInfo,
  now: ResolvedRef,
  tree: Tree,
  vcs: CompassPorts["vcs"],
): Promise<(ResolvedRef & { readonly tip?: string }) | undefined> {
  if (view === now.view) return { ...now, ...(now.commit !== undefined && { tip: now.commit }) };
  if (view === BASE_VIEW || isWorkingView(view)) return undefined;
  // A commit's id is its name; a tag may share its short name with a branch.
  const named = view === commit ? { name: view, commit } : await vcs.named(tree.row.root, view);
  const at = { ...(commit !== undefined && { commit }), ...(named !== undefined && { tip: named.commit }) };
  return { view, ref: named?.name ?? refOfView(view), from: "commit", ...at };
}

interface Listing {
  readonly tree: Tree;
  readonly store: Store;
  readonly main: string;
  readonly usedAt: number;
}

async function describeRef(
  view: ViewInfo,
  target: ResolvedRef & { readonly tip?: string },
  { tree, store, main, usedAt }: Listing,
): Promise<RefStatus> {
  const isDefault = target.ref === main;
  const overlay = isDefault ? undefined : await tree.layers.overlay(target, view.stateId);
  const counts = overlay === undefined ? view : await overlayCounts(store, view, overlay);
  const gone = target.from === "commit" && target.tip === undefined;
  return {
    ref: target.ref,
    isDefault,
    ...(view.commit !== undefined && { lastIndexedCommit: view.commit }),
    ...(overlay?.mergeBase !== undefined && { mergeBase: overlay.mergeBase }),
    fileCount: counts.fileCount,
    symbolCount: counts.symbolCount,
    status: gone ? "gone" : tree.activeRun(view.ref) ? "syncing" : view.commit === target.tip ? "active" : "stale",
    lastAccessedAt: Math.max(usedAt, view.publishedAt),
  };
}

async function overlayCounts(
  store: Store,
  view: ViewInfo,
  { paths }: Overlay,
): Promise<Pick<ViewInfo, "fileCount" | "symbolCount">> {
  if (paths === "everything") return view;
  const snapshot = await store.snapshot(view.ref);
  if (snapshot === undefined) return view;
  try {
    return await counted(snapshot, paths);
  } finally {
    snapshot.release();
  }
}

async function counted(snapshot: Snapshot, paths: ReadonlySet<string>) {
  let [fileCount, symbolCount] = [0, 0];
  for (const path of paths) {
    const file = await snapshot.file(path);
    if (file === undefined) continue;
    fileCount++;
    symbolCount += (await snapshot.record(file)).symbols.length;
  }
  return { fileCount, symbolCount };
}

export type ExpectedRef = Pick<ResolvedRef, "ref" | "commit">;

const MOST = 8;

/** The refs that were indexed last. */
export async function expectedRefs(store: Pick<Store, "views">): Promise<ExpectedRef[]> {
  const views = (await store.views()).filter(({ ref }) => !isWorkingView(ref) && ref !== BASE_VIEW);
  const latest = views.sort((a, b) => b.publishedAt - a.publishedAt).slice(0, MOST);
  return latest.map(({ ref, commit }) => ({ ref: refOfView(ref), ...(commit !== undefined && { commit }) }));
}
