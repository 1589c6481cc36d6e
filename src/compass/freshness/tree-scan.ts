/** A working tree's files on disk, held against what a view shows of them: some paths, or all. */
import { storedStamp } from "../../ingest/extractor.ts";
import type { Files, OutsideRules, WalkItem } from "../../ports/files.ts";
import type { IndexSettings } from "../../ports/indexer.ts";
import type { WorkspaceRow } from "../../ports/registry.ts";
import type { Snapshot } from "../../ports/snapshot.ts";
import { changedPaths, type DiskLook, isIgnoreFile, settledPaths } from "./drift.ts";

/** More paths than this are cheaper to answer with a walk. */
export const MANY_PATHS = 2_000;

type Choice = Pick<IndexSettings, "hidden" | "ignoreFiles" | "includeSecrets">;

export class TreeScan implements DiskLook {
  readonly #row: WorkspaceRow;
  readonly #files: Files;
  readonly #choice: () => Choice;
  /** Ignore files that the last job read, as they were before it did. */
  #ruled: Promise<ReadonlyMap<string, string>> | undefined;
  #looking: Promise<unknown> = Promise.resolve();
  /** A look at all files that has not begun. */
  #nextLook: { readonly stateId: string; readonly paths: Promise<string[]> } | undefined;

  constructor(row: WorkspaceRow, files: Files, choice: () => Choice) {
    this.#row = row;
    this.#files = files;
    this.#choice = choice;
  }

  stamp(path: string): Promise<string | undefined> {
    return this.#files.stamp(this.#row.root, path);
  }

  mark(stamp: string): string {
    return storedStamp(stamp, this.#choice());
  }

  async ruled(path: string): Promise<string | undefined> {
    return (await this.#ruled)?.get(path);
  }

  async walk(only: readonly string[]): Promise<readonly WalkItem[] | undefined> {
    const found: WalkItem[] = [];
    const { hidden, ignoreFiles } = this.#choice();
    for await (const batch of this.#files.walk(this.#row.root, { only, hidden, ignoreFiles })) {
      found.push(...batch);
      if (found.length > MANY_PATHS) return undefined;
    }
    return found;
  }

  rules(): OutsideRules | undefined {
    const { ignoreFiles } = this.#choice();
    return this.#files.outsideRules?.(this.#row.root, { ignoreFiles });
  }

  /** A job will read these. Nothing shows what an ignore file says: that it was read is known by its stamp alone. */
  readBy(paths: readonly string[]): void {
    this.#ruled = this.#ruleStamps(paths);
  }

  /** It has failed. */
  unread(): void {
    this.#ruled = undefined;
  }

  /** Those of the paths at which the view shows what is there. */
  settled(snapshot: Snapshot, paths: readonly string[]): Promise<string[]> {
    return settledPaths(snapshot, this.#row.id, paths, this);
  }

  /** The others. */
  async unsettled(snapshot: Snapshot, paths: readonly string[]): Promise<string[]> {
    const settled = new Set(await this.settled(snapshot, paths));
    return paths.filter((path) => !settled.has(path));
  }

  /** All paths that differ. */
  scan(snapshot: Snapshot): Promise<string[]> {
    const { hidden, ignoreFiles, includeSecrets } = this.#choice();
    const { root, storeLocation: memory, id } = this.#row;
    const options = { hidden, ignoreFiles, expectedFiles: snapshot.info.fileCount, memory };
    return changedPaths(snapshot, id, { includeSecrets }, (see) => this.#files.survey(root, options, see));
  }

  /** Who asks while the disk is looked at shares the next look with all others who do: it must begin after they came. */
  scanTogether(snapshot: Snapshot): Promise<string[]> {
    const { stateId } = snapshot.info;
    if (this.#nextLook?.stateId === stateId) return this.#nextLook.paths;
    const paths = this.#looking.then(() => {
      if (this.#nextLook?.paths === paths) this.#nextLook = undefined;
      return this.scan(snapshot);
    });
    this.#looking = paths.catch(() => {});
    this.#nextLook = { stateId, paths };
    return paths;
  }

  async #ruleStamps(paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const stamps = new Map<string, string>();
    for (const path of paths.filter(isIgnoreFile)) {
      const stamp = await this.stamp(path);
      if (stamp !== undefined) stamps.set(path, stamp);
    }
    return stamps;
  }
}
