/** Whether a view still shows what is on disk: HEAD and every file's stamp, or a watcher's word for it. */
import { markOf } from "../ingest/extractor.ts";
import type { Files, WalkOptions } from "../ports/files.ts";
import type { Snapshot } from "../ports/store.ts";
import type { CheckedOut } from "./refs.ts";

/** What differs between the view and the tree. */
export interface Drift {
  readonly paths: readonly string[];
  readonly lastIndexedCommit?: string;
  readonly currentHead?: string;
}

/** Compares every stamp of the tree with the view's; the paths that differ, sorted. */
export async function changedPaths(
  root: string,
  snapshot: Snapshot,
  files: Files,
  options: WalkOptions,
): Promise<string[]> {
  const indexed = await snapshot.stamps();
  const changed: string[] = [];
  let untouched = 0;
  const seen = new Set<string>();
  for await (const batch of files.walk(root, options)) {
    for (const item of batch) {
      if (!("file" in item)) continue;
      seen.add(item.file.path);
      if (indexed.get(item.file.path) === markOf(item.file.stamp)) untouched++;
      else changed.push(item.file.path);
    }
  }
  if (untouched < indexed.size) {
    for (const path of indexed.keys()) if (!seen.has(path)) changed.push(path);
  }
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
