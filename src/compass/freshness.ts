/** Whether a view still shows what is on disk: HEAD and every file's stamp, or a watcher's word for it. */
import { markOf } from "../ingest/extractor.ts";
import type { ProjectId } from "../model/ids.ts";
import type { Snapshot } from "../ports/store.ts";
import type { CheckedOut } from "./refs.ts";

/** What differs between the view and the tree. */
export interface Drift {
  readonly paths: readonly string[];
  readonly lastIndexedCommit?: string;
  readonly currentHead?: string;
}

/** The paths whose stamp on disk is not known to mean what the view shows, sorted. */
export async function changedPaths(
  snapshot: Snapshot,
  tree: ProjectId,
  present: ReadonlyMap<string, string>,
): Promise<string[]> {
  const indexed = await snapshot.stamps(tree);
  const changed: string[] = [];
  for (const [path, stamp] of present) if (indexed.get(path) !== markOf(stamp)) changed.push(path);
  for (const path of indexed.keys()) if (!present.has(path)) changed.push(path);
  return changed.sort();
}

export function driftOf(snapshot: Snapshot, now: CheckedOut, paths: readonly string[]): Drift | undefined {
  const { commit } = snapshot.info;
  if (paths.length === 0 && commit === now.commit) return undefined;
  return {
    paths,
    ...(commit !== undefined && { lastIndexedCommit: commit }),
    ...(now.commit !== undefined && { currentHead: now.commit }),
  };
}

export function driftReason(drift: Drift): string {
  if (drift.lastIndexedCommit !== drift.currentHead) return "the last indexed commit does not match HEAD";
  const [first] = drift.paths;
  return drift.paths.length === 1 ? `${first} changed` : `${drift.paths.length} files changed, ${first} among them`;
}
