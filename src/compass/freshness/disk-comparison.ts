/** Compares the files of a working tree with what a view shows of them: some paths, or all. */
import { isReadByAnother, storedStamp } from "../../ingest/extractor.ts";
import { onePerDirectory } from "../../ingest/warm-up.ts";
import { SKIP_REASONS } from "../../model/code.ts";
import { nextTurn } from "../../model/event-loop.ts";
import type { ProjectId } from "../../model/ids.ts";
import { atOrBelow, IGNORE_FILES } from "../../model/paths.ts";
import type { Files, OutsideRules, WalkItem } from "../../ports/files.ts";
import type { IndexSettings } from "../../ports/indexer.ts";
import type { WorkspaceRow } from "../../ports/registry.ts";
import type { Snapshot } from "../../ports/snapshot.ts";
import type { Drift } from "./drift.ts";
import { MANY_PATHS } from "./freshness-state.ts";

/** The rules of this many directories are compiled ahead: this thread has answers to give. */
const READ_AHEAD_DIRECTORIES = 16;

/** Single paths of the disk. */
export interface DiskFiles {
  /** The mark of a file that a job would read with this stamp. */
  mark(stamp: string): string;
  stamp(path: string): Promise<string | undefined>;
  /** The stamp with which the last job read an ignore file. */
  ignoreFileStamp(path: string): Promise<string | undefined>;
  /** What a walk finds at these paths and below; undefined: too much to compare one by one. */
  walk(paths: readonly string[]): Promise<readonly WalkItem[] | undefined>;
}

export class DiskComparison implements DiskFiles {
  readonly #row: WorkspaceRow;
  readonly #files: Files;
  readonly #settings: IndexSettings;
  /** Stamps of the ignore files that the last job read, from before it did. */
  #ignoreFiles: Promise<ReadonlyMap<string, string>> | undefined;
  #running: Promise<unknown> = Promise.resolve();
  /** A comparison of all files that has not begun. */
  #next: { readonly stateId: string; readonly paths: Promise<string[]> } | undefined;

  constructor(row: WorkspaceRow, files: Files, settings: IndexSettings) {
    this.#row = row;
    this.#files = files;
    this.#settings = settings;
  }

  stamp(path: string): Promise<string | undefined> {
    return this.#files.stamp(this.#row.root, path);
  }

  mark(stamp: string): string {
    return storedStamp(stamp, this.#settings);
  }

  async ignoreFileStamp(path: string): Promise<string | undefined> {
    return (await this.#ignoreFiles)?.get(path);
  }

  async walk(only: readonly string[]): Promise<readonly WalkItem[] | undefined> {
    const found: WalkItem[] = [];
    const { hidden, ignoreFiles } = this.#settings;
    for await (const batch of this.#files.walk(this.#row.root, { only, hidden, ignoreFiles })) {
      found.push(...batch);
      if (found.length > MANY_PATHS) return undefined;
    }
    return found;
  }

  outsideRules(): OutsideRules | undefined {
    const { ignoreFiles } = this.#settings;
    return this.#files.outsideRules?.(this.#row.root, { ignoreFiles });
  }

  /** A job is about to read these. No view shows the rules of an ignore file: only its stamp tells that they were read. */
  rememberIgnoreFiles(paths: readonly string[]): void {
    this.#ignoreFiles = this.#stampsOfIgnoreFiles(paths);
  }

  forgetIgnoreFiles(): void {
    this.#ignoreFiles = undefined;
  }

  /** Those of the paths at which the view shows what is on disk. */
  settled(snapshot: Snapshot, paths: readonly string[]): Promise<string[]> {
    return settledPaths(snapshot, this.#row.id, paths, this);
  }

  async unsettled(snapshot: Snapshot, paths: readonly string[]): Promise<string[]> {
    const settled = new Set(await this.settled(snapshot, paths));
    return paths.filter((path) => !settled.has(path));
  }

  /** Tells files that only another extractor has read from those that changed; without `mayLook`, not which ones changed. */
  async withoutReread(snapshot: Snapshot, drift: Drift, mayLook: boolean): Promise<Drift> {
    const indexed = await snapshot.stamps(this.#row.id);
    const isOutdated = (path: string) => !(indexed.get(path) ?? "").startsWith(this.mark(""));
    if (!drift.paths.some(isOutdated)) return drift;
    if (!mayLook || drift.paths.length > MANY_PATHS) return { ...drift, outdated: true };
    const edited: string[] = [];
    for (const path of drift.paths) {
      const [stored, stamp] = [indexed.get(path) ?? "", (await this.stamp(path)) ?? ""];
      if (!isReadByAnother(stored, stamp, this.#settings)) edited.push(path);
    }
    return edited.length === drift.paths.length ? drift : { ...drift, outdated: true, edited };
  }

  /** Does what a first checkout waits for: loads stamps and ignore rules of a few directories, one step at a time. */
  async readAhead(snapshot: Snapshot): Promise<void> {
    await nextTurn();
    const stamps = await snapshot.stamps(this.#row.id);
    await nextTurn();
    const paths = onePerDirectory(stamps.keys(), READ_AHEAD_DIRECTORIES);
    await this.settled(snapshot, paths);
    await nextTurn();
    await this.walk(paths);
  }

  /** All paths at which the disk differs from the view, sorted. */
  async compareAll(snapshot: Snapshot): Promise<string[]> {
    // The first question has just opened the index, and now all stamps are unpacked: let others run in between.
    await nextTurn();
    const indexed = await snapshot.stamps(this.#row.id);
    const changed: string[] = [];
    let known = 0;
    await this.#survey(snapshot, (path, stamp) => {
      const before = indexed.get(path);
      if (before !== undefined) known++;
      if (before !== this.mark(stamp)) changed.push(path);
    });
    if (known < indexed.size) {
      // Remembering every path of the first survey would cost more than a second one when a file is gone.
      const gone = new Set(indexed.keys());
      await this.#survey(snapshot, (path) => gone.delete(path));
      changed.push(...gone);
    }
    return [...new Set(changed)].sort();
  }

  /** Callers that come while the disk is compared share the next comparison: it must begin after they came. */
  compareAllShared(snapshot: Snapshot): Promise<string[]> {
    const { stateId } = snapshot.info;
    if (this.#next?.stateId === stateId) return this.#next.paths;
    const paths = this.#running.then(() => {
      if (this.#next?.paths === paths) this.#next = undefined;
      return this.compareAll(snapshot);
    });
    this.#running = paths.catch(() => {});
    this.#next = { stateId, paths };
    return paths;
  }

  #survey({ info }: Snapshot, see: (path: string, stamp: string) => void): Promise<void> {
    const { hidden, ignoreFiles } = this.#settings;
    const { root, storeLocation: memory } = this.#row;
    return this.#files.survey(root, { hidden, ignoreFiles, expectedFiles: info.fileCount, memory }, see);
  }

  async #stampsOfIgnoreFiles(paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const stamps = new Map<string, string>();
    for (const path of paths.filter(isIgnoreFile)) {
      const stamp = await this.stamp(path);
      if (stamp !== undefined) stamps.set(path, stamp);
    }
    return stamps;
  }
}

/** Those of the paths at which the view shows what is on disk: a job that read them would change nothing. */
export async function settledPaths(
  snapshot: Snapshot,
  tree: ProjectId,
  paths: readonly string[],
  disk: DiskFiles,
): Promise<string[]> {
  const indexed = await snapshot.stamps(tree);
  const [settled, others]: [string[], string[]] = [[], []];
  for (const path of paths) {
    const known = indexed.get(path);
    if (known === undefined) others.push(path);
    else if (known === disk.mark((await disk.stamp(path)) ?? "")) settled.push(path);
  }
  if (others.length > 0) settled.push(...(await settledWithoutFile(snapshot, indexed, others, disk)));
  return settled;
}

/** The same for paths at which the view shows no file: skipped, gone, or a directory. */
async function settledWithoutFile(
  snapshot: Snapshot,
  indexed: ReadonlyMap<string, string>,
  paths: readonly string[],
  disk: DiskFiles,
): Promise<string[]> {
  const open = new Set(paths);
  // An ignore file that is skipped as before may hold other rules.
  for (const path of paths.filter(isIgnoreFile)) if (!(await isReadAsItIs(path, disk))) open.delete(path);
  const found = open.size === 0 ? undefined : await disk.walk([...open]);
  if (found === undefined) return [];
  const seen = new Set<string>();
  for (const item of found) {
    const path = "file" in item ? item.file.path : item.skip.path;
    seen.add(path);
    if (await isShown(item, snapshot, indexed, disk)) continue;
    for (const above of pathAndParents(path)) open.delete(above);
    // A directory that is skipped as a whole, with all that was reported below it.
    if (path.endsWith("/")) for (const one of open) if (one.startsWith(path)) open.delete(one);
  }
  const isNear = atOrBelow([...open]);
  for (const path of [...indexed.keys(), ...(await snapshot.skips(SKIP_REASONS))])
    if (isNear(path) && !seen.has(path)) for (const above of pathAndParents(path)) open.delete(above);
  return [...open];
}

function isIgnoreFile(path: string): boolean {
  return IGNORE_FILES.has(path.slice(path.lastIndexOf("/") + 1));
}

async function isReadAsItIs(path: string, disk: DiskFiles): Promise<boolean> {
  const stamp = await disk.stamp(path);
  return stamp !== undefined && stamp === (await disk.ignoreFileStamp(path));
}

async function isShown(
  item: WalkItem,
  snapshot: Snapshot,
  indexed: ReadonlyMap<string, string>,
  disk: DiskFiles,
): Promise<boolean> {
  if ("file" in item) return indexed.get(item.file.path) === disk.mark(item.file.stamp);
  return (await snapshot.skipped(item.skip.path)) === item.skip.reason;
}

function* pathAndParents(path: string): Generator<string> {
  yield path;
  for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) yield path.slice(0, at);
}
