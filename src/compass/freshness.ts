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

/** Looks at the disk: tells every file's path and stamp. */
export type Look = (see: (path: string, stamp: string) => void) => Promise<void>;

/** The paths whose stamp on disk is not known to mean what the view shows, sorted. */
export async function changedPaths(snapshot: Snapshot, tree: ProjectId, look: Look): Promise<string[]> {
  const indexed = await snapshot.stamps(tree);
  const changed: string[] = [];
  let known = 0;
  await look((path, stamp) => {
    const before = indexed.get(path);
    if (before !== undefined) known++;
    if (before !== markOf(stamp)) changed.push(path);
  });
  // Keeping every path that was seen would cost more than a second look when one is gone.
  if (known < indexed.size) changed.push(...(await gonePaths(indexed, look)));
  return [...new Set(changed)].sort();
}

async function gonePaths(indexed: ReadonlyMap<string, string>, look: Look): Promise<Iterable<string>> {
  const unseen = new Set(indexed.keys());
  await look((path) => unseen.delete(path));
  return unseen;
}

/** A look at single paths of the disk. */
export interface DiskLook {
  stamp(path: string): Promise<string | undefined>;
  /** Whether there is anything at one of these. */
  hasAny(paths: readonly string[]): Promise<boolean>;
}

/** Those of the paths that the view shows as they are: files with the stamp they were read with, and what is gone. */
export async function settledPaths(
  snapshot: Snapshot,
  tree: ProjectId,
  paths: readonly string[],
  disk: DiskLook,
): Promise<string[]> {
  const indexed = await snapshot.stamps(tree);
  const settled: string[] = [];
  for (const path of paths) {
    const known = indexed.get(path);
    const stamp = known === undefined ? undefined : await disk.stamp(path);
    if (stamp !== undefined && known === markOf(stamp)) settled.push(path);
  }
  const unknown = new Set(paths.filter((path) => !indexed.has(path)));
  if (unknown.size === 0 || (await disk.hasAny([...unknown]))) return settled;
  for (const path of indexed.keys()) for (const above of parentsOf(path)) unknown.delete(above);
  return [...settled, ...unknown];
}

function* parentsOf(path: string): Generator<string> {
  for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) yield path.slice(0, at);
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
