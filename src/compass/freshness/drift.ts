/** Whether a view still shows what is on disk: HEAD and every file's stamp, or a watcher's word for it. */
import type { SecretSettings } from "../../ingest/classify.ts";
import { storedStamp } from "../../ingest/extractor.ts";
import { SKIP_REASONS } from "../../model/code.ts";
import { nextTurn } from "../../model/event-loop.ts";
import type { ProjectId } from "../../model/ids.ts";
import { atOrBelow, IGNORE_FILES, OUTSIDE_RULES } from "../../model/paths.ts";
import type { WalkItem } from "../../ports/files.ts";
import type { Snapshot } from "../../ports/snapshot.ts";
import type { CheckedOut } from "../refs/resolve-ref.ts";

/** What differs between the view and the tree. */
export interface Drift {
  readonly paths: readonly string[];
  readonly lastIndexedCommit?: string;
  readonly currentHead?: string;
  /** Ignore rules outside the tree are not those under which the view was made. */
  readonly rules?: true;
  /** The commit is the same, but more of it is in the repository. */
  readonly fetched?: true;
  /** The commit is the same, but another release, or one with other settings, has read its files. */
  readonly outdated?: true;
}

/** Looks at the disk: tells every file's path and stamp. */
export type Look = (see: (path: string, stamp: string) => void) => Promise<void>;

/** The paths whose stamp on disk is not known to mean what the view shows, sorted. */
export async function changedPaths(
  snapshot: Snapshot,
  tree: ProjectId,
  settings: SecretSettings,
  look: Look,
): Promise<string[]> {
  // A first question has just opened the index, and now all stamps are unpacked: others may have a turn in between.
  await nextTurn();
  const indexed = await snapshot.stamps(tree);
  const changed: string[] = [];
  let known = 0;
  await look((path, stamp) => {
    const before = indexed.get(path);
    if (before !== undefined) known++;
    if (before !== storedStamp(stamp, settings)) changed.push(path);
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
  /** How a job would read what is there. */
  mark(stamp: string): string;
  stamp(path: string): Promise<string | undefined>;
  /** The stamp with which the last job read an ignore file. */
  ruled(path: string): Promise<string | undefined>;
  /** What a walk finds at these and below; undefined: more than is worth a look. */
  walk(paths: readonly string[]): Promise<readonly WalkItem[] | undefined>;
}

/** Those of the paths at which the view shows what is there: a run that looked at them would change nothing. */
export async function settledPaths(
  snapshot: Snapshot,
  tree: ProjectId,
  paths: readonly string[],
  disk: DiskLook,
): Promise<string[]> {
  const indexed = await snapshot.stamps(tree);
  const [settled, others]: [string[], string[]] = [[], []];
  for (const path of paths) {
    const known = indexed.get(path);
    if (known === undefined) others.push(path);
    else if (known === disk.mark((await disk.stamp(path)) ?? "")) settled.push(path);
  }
  if (others.length > 0) settled.push(...(await closerLook(snapshot, indexed, others, disk)));
  return settled;
}

/** What the view shows no file at: it was left out, is gone, or is a directory. */
async function closerLook(
  snapshot: Snapshot,
  indexed: ReadonlyMap<string, string>,
  paths: readonly string[],
  disk: DiskLook,
): Promise<string[]> {
  const open = new Set(paths);
  // An ignore file that is left out as before may have other rules in it.
  for (const path of paths.filter(isIgnoreFile)) if (!(await isRuled(path, disk))) open.delete(path);
  const found = open.size === 0 ? undefined : await disk.walk([...open]);
  if (found === undefined) return [];
  const seen = new Set<string>();
  for (const item of found) {
    const path = "file" in item ? item.file.path : item.skip.path;
    seen.add(path);
    if (await isShown(item, snapshot, indexed, disk)) continue;
    for (const above of pathAndParents(path)) open.delete(above);
    // Left out as a whole, with all that was reported below it.
    if (path.endsWith("/")) for (const one of open) if (one.startsWith(path)) open.delete(one);
  }
  const isNear = atOrBelow([...open]);
  for (const path of [...indexed.keys(), ...(await snapshot.skips(SKIP_REASONS))])
    if (isNear(path) && !seen.has(path)) for (const above of pathAndParents(path)) open.delete(above);
  return [...open];
}

export function isIgnoreFile(path: string): boolean {
  return IGNORE_FILES.has(path.slice(path.lastIndexOf("/") + 1));
}

async function isRuled(path: string, disk: DiskLook): Promise<boolean> {
  const stamp = await disk.stamp(path);
  return stamp !== undefined && stamp === (await disk.ruled(path));
}

async function isShown(
  item: WalkItem,
  snapshot: Snapshot,
  indexed: ReadonlyMap<string, string>,
  disk: DiskLook,
): Promise<boolean> {
  if ("file" in item) return indexed.get(item.file.path) === disk.mark(item.file.stamp);
  return (await snapshot.skipped(item.skip.path)) === item.skip.reason;
}

function* pathAndParents(path: string): Generator<string> {
  yield path;
  for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) yield path.slice(0, at);
}

/** `changed` may hold `OUTSIDE_RULES`, which is no file. */
export function driftOf(snapshot: Snapshot, now: CheckedOut, changed: readonly string[]): Drift | undefined {
  const { commit } = snapshot.info;
  if (changed.length === 0 && commit === now.commit) return undefined;
  const paths = changed.filter((path) => path !== OUTSIDE_RULES);
  return {
    paths,
    ...(paths.length < changed.length && { rules: true }),
    ...(commit !== undefined && { lastIndexedCommit: commit }),
    ...(now.commit !== undefined && { currentHead: now.commit }),
  };
}

export function fetchedDrift({ commit }: CheckedOut): Drift {
  return { paths: [], fetched: true, ...(commit !== undefined && { lastIndexedCommit: commit, currentHead: commit }) };
}

export function outdatedDrift(now: CheckedOut): Drift {
  const { fetched: _, ...drift } = fetchedDrift(now);
  return { ...drift, outdated: true };
}

const OTHER_RULES =
  "ignore rules outside the tree changed (git's info/exclude, the global ignore file or a .gitignore above it)";

export function driftReason(drift: Drift): string {
  if (drift.outdated === true) return "the ref was indexed by another release, or with other settings";
  if (drift.fetched === true) return "objects were fetched after the ref was indexed, and it lacks some";
  if (drift.lastIndexedCommit !== drift.currentHead) return "the last indexed commit does not match HEAD";
  if (drift.rules === true) return OTHER_RULES;
  const [first] = drift.paths;
  return drift.paths.length === 1 ? `${first} changed` : `${drift.paths.length} files changed, ${first} among them`;
}
