/** The tree of a run: a directory, whose files are recognised by stamps, or a commit, whose files have blob ids. */
import { atOrBelow } from "../model/paths.ts";
import type { Build } from "../ports/build.ts";
import type { Files, WalkedFile, WalkItem, WalkOptions } from "../ports/files.ts";
import type { IndexRequest, IndexSettings } from "../ports/indexer.ts";
import type { ReadTask } from "../ports/parsers.ts";
import type { Stamped } from "../ports/snapshot.ts";
import type { CommitTree, GitObjects } from "../ports/vcs.ts";
import type { VersionKey } from "../ports/versions.ts";
import { type ChangePlan, type KnownState, type WalkScope, walkScope } from "./changes.ts";
import { readLimit } from "./classify.ts";
import { extractorId, storedStamp, textOnly } from "./extractor.ts";

export interface TreeSource {
  readonly known: KnownState;
  readonly scope: WalkScope;
  walk(signal: AbortSignal): AsyncIterable<readonly WalkItem[]>;
  /** Completes tasks for the parse workers. */
  ready(tasks: readonly ReadTask[]): Promise<readonly ReadTask[]>;
  /** The file on disk has another content: `ready` must take it from git. */
  missed(path: string): void;
  /** New stamps of the working tree's files. */
  stamps(plan: ChangePlan): Stamped[];
}

/** The tree of a view that equals its base. */
export const unchangedSource: TreeSource = {
  known: { entries: new Map(), stamps: new Map() },
  scope: { paths: [] },
  walk: async function* () {},
  ready: async (tasks) => tasks,
  missed: () => {},
  stamps: () => [],
};

interface DirectoryPorts {
  readonly build: Build;
  readonly files: Files;
}

export async function directorySource(request: IndexRequest, { build, files }: DirectoryPorts): Promise<TreeSource> {
  const requested = walkScope(request.force ? undefined : request.paths);
  const few = await build.entries(requested.paths);
  // In an empty view, a few paths would be published as if they were the whole tree.
  const isNew = few.size === 0 && (requested.paths === undefined || (await build.entries()).size === 0);
  const scope = isNew ? {} : requested;
  return {
    known: { entries: few, stamps: await build.stamps(request.tree ?? request.project, scope.paths) },
    scope,
    walk: (signal) => files.walk(request.root, { ...walkOptions(request, scope), signal }),
    ready: async (tasks) => tasks,
    missed: () => {},
    stamps: ({ stamps }) => stamps,
  };
}

interface CommitPorts {
  readonly build: Build;
  readonly objects: GitObjects;
  /** The commit that the build's entries show; undefined: compare the whole tree. */
  readonly since: string | undefined;
}

export async function commitSource(request: IndexRequest, { build, objects, since }: CommitPorts): Promise<TreeSource> {
  const at = commitOf(request);
  const { settings } = request;
  const stamps = new Map<string, Stamped>();
  const known = { entries: await build.entries(), stamps };
  const changed = await changedPaths(at, known, objects, since, extractorId(settings));
  const scope = walkScope(changed);
  const walk = async function* (signal: AbortSignal) {
    const items = await objects.walk(at, { ...walkOptions(request, scope), signal });
    for (const stamped of await recallVersions(items, { build, settings, shown: shownVersions(known, changed) }))
      stamps.set(stamped.path, stamped);
    // Sizes are needed only for blobs that must be read.
    const sizes = await objects.sizes(at, blobIds(items.filter((item) => isUnknown(item, stamps))));
    yield items.map((item) => (isUnknown(item, stamps) ? withSize(item.file, sizes) : item));
  };
  const missed = new Set<string>();
  const isOnDisk = (path: string) => request.isCheckout === true && !missed.has(path);
  const readyOne = async (task: ReadTask) =>
    isOnDisk(task.path) ? { ...task, blob: task.stamp! } : withBytes(task, at, objects, readLimit(task.path, settings));
  return {
    known,
    scope,
    walk,
    ready: (tasks) => Promise.all(tasks.map(readyOne)),
    missed: (path) => missed.add(path),
    stamps: ({ tasks, stamps }) => {
      const read = new Set(tasks.map(({ path }) => path).filter(isOnDisk));
      return stamps.filter(({ path }) => read.has(path));
    },
  };
}

function commitOf({ root, commit, name }: IndexRequest): CommitTree {
  return { root, commit: commit!, ...(name !== undefined && { name }) };
}

function walkOptions({ settings, storeLocation }: IndexRequest, { paths }: WalkScope): WalkOptions {
  const { hidden, ignoreFiles } = settings;
  return { hidden, ignoreFiles, memory: storeLocation, ...(paths !== undefined && { only: paths }) };
}

/** Paths that differ between the commits; undefined: the whole tree must be compared. */
async function changedPaths(
  { root, commit }: CommitTree,
  { entries }: KnownState,
  objects: GitObjects,
  since: string | undefined,
  extractor: string,
): Promise<readonly string[] | undefined> {
  if (since === undefined || entries.size === 0) return undefined;
  const unread: string[] = [];
  for (const { path, version, skip } of entries.values()) {
    // A missing blob may have been fetched since, and a failed file may be parsed now.
    if (skip === "unreadable" || version?.extractor === textOnly(extractor)) unread.push(path);
    else if (version !== undefined && version.extractor !== extractor) return undefined;
  }
  const changed = await objects.changed(root, since, commit);
  return changed === undefined ? undefined : [...changed, ...unread];
}

type VersionAt = (path: string) => VersionKey | undefined;

/** After a change of ignore rules a whole directory is walked, in which most files are unchanged. */
function shownVersions({ entries }: KnownState, changed: readonly string[] | undefined): VersionAt {
  if (changed === undefined) return () => undefined;
  const isChanged = atOrBelow(changed);
  return (path) => (isChanged(path) ? undefined : entries.get(path)?.version);
}

interface RecallContext {
  readonly build: Build;
  readonly settings: IndexSettings;
  readonly shown: VersionAt;
}

async function recallVersions(
  items: readonly WalkItem[],
  { build, settings, shown }: RecallContext,
): Promise<Stamped[]> {
  const blobs = items.flatMap((item) => ("file" in item ? [{ path: item.file.path, blob: item.file.stamp }] : []));
  const unknown = blobs.filter(({ path }) => shown(path) === undefined);
  const versions = await build.recall(unknown, extractorId(settings));
  return blobs.flatMap(({ path, blob }) => {
    const version = versions.get(path) ?? shown(path);
    return version === undefined ? [] : [{ path, stamp: storedStamp(blob, settings), version }];
  });
}

type FileItem = Extract<WalkItem, { file: unknown }>;

function isUnknown(item: WalkItem, known: ReadonlyMap<string, unknown>): item is FileItem {
  return "file" in item && !known.has(item.file.path);
}

/** A blob that is missing from the repository is unreadable. */
function withSize(file: WalkedFile, sizes: ReadonlyMap<string, number>): WalkItem {
  const size = sizes.get(file.stamp);
  return size === undefined ? { skip: { path: file.path, reason: "unreadable" } } : { file: { ...file, size } };
}

function blobIds(items: readonly WalkItem[]): string[] {
  return items.flatMap((item) => ("file" in item ? [item.file.stamp] : []));
}

async function withBytes(
  task: ReadTask,
  { root }: CommitTree,
  objects: GitObjects,
  maxBytes: number,
): Promise<ReadTask> {
  const blob = task.stamp ?? "";
  const read = await objects.read(root, blob, maxBytes);
  return read.ok ? { ...task, bytes: read.bytes, blob } : { ...task, unreadable: true };
}
