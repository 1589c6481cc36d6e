/** Compares the tree with a view: files to read, changed rows, removed paths. Pure. */
import type { SkipReason } from "../model/code.ts";
import { atOrBelow, IGNORE_FILES, OUTSIDE_RULES } from "../model/paths.ts";
import type { WalkedFile, WalkItem } from "../ports/files.ts";
import type { IndexSettings } from "../ports/indexer.ts";
import type { ContentMismatch, ReadOutcome, ReadTask } from "../ports/parsers.ts";
import type { Stamped, ViewChange, ViewEntry } from "../ports/snapshot.ts";
import type { VersionKey } from "../ports/versions.ts";
import { classifyPath, readLimit, type SecretSettings } from "./classify.ts";
import { extractorId, storedStamp } from "./extractor.ts";

export type ViewEntries = ReadonlyMap<string, ViewEntry>;

/** The state of the store before a run: the view, and what the files of the working tree were read as. */
export interface KnownState {
  readonly entries: ViewEntries;
  readonly stamps: ReadonlyMap<string, Stamped>;
}

/** Changes to be written to the store. */
export interface PendingChanges {
  readonly changes: ViewChange[];
  readonly stamps: Stamped[];
}

export interface ChangePlan extends PendingChanges {
  /** Changed files, in path order. */
  readonly tasks: ReadTask[];
}

export interface WalkScope {
  /** Sub-trees and files to walk; absent: the whole tree. */
  readonly paths?: readonly string[];
}

/** A changed ignore file may affect everything below it, so its whole directory is walked. */
export function walkScope(paths: readonly string[] | undefined): WalkScope {
  if (paths?.includes(OUTSIDE_RULES)) return {};
  const places = paths?.map((path) => (isIgnoreFile(path) ? path.slice(0, Math.max(0, path.lastIndexOf("/"))) : path));
  return places === undefined || places.includes("") ? {} : { paths: places };
}

function isIgnoreFile(path: string): boolean {
  return IGNORE_FILES.has(path.slice(path.lastIndexOf("/") + 1));
}

export class Comparison {
  readonly plan: ChangePlan = { changes: [], stamps: [], tasks: [] };
  filesSeen = 0;
  readonly #known: KnownState;
  readonly #settings: IndexSettings;
  readonly #unseen: Map<string, ViewEntry>;

  constructor(known: KnownState, scope: WalkScope, settings: IndexSettings) {
    this.#known = known;
    this.#settings = settings;
    this.#unseen = entriesWithin(known.entries, scope);
  }

  add(item: WalkItem): void {
    const path = "file" in item ? item.file.path : item.skip.path;
    this.#unseen.delete(path);
    if ("skip" in item) {
      const shown = this.#known.entries.get(path)?.skip;
      if (shown !== item.skip.reason) this.plan.changes.push({ path, skip: item.skip.reason });
      return;
    }
    this.filesSeen++;
    this.#addFile(item.file);
  }

  /** Call it after the last item. */
  finish(): ChangePlan {
    for (const path of this.#unseen.keys()) this.plan.changes.push({ path, removed: true });
    return this.plan;
  }

  #addFile(file: WalkedFile): void {
    const { path, stamp } = file;
    const skip = skipUnread(file, this.#settings);
    const before = this.#known.stamps.get(path);
    if (skip !== undefined) recordOutcome(this.plan, { path, stamp, skip }, this.#known, this.#settings);
    else if (before !== undefined && isUnchanged(before, stamp, this.#settings))
      recordEntry(this.plan, before, this.#known);
    else this.plan.tasks.push(createReadTask(file, this.#known.entries.get(path), this.#settings));
  }
}

/** The changes of files that are or were indexed; a skipped path that was never indexed is not counted. */
export function fileChanges(changes: readonly ViewChange[], { entries }: KnownState): readonly ViewChange[] {
  return changes.filter((change) => "version" in change || entries.get(change.path)?.version !== undefined);
}

/** The outcome of a file that had the expected content. */
export type LocalOutcome = Exclude<ReadOutcome, ContentMismatch>;

/** Records a read file as a change of the view and as a stamp, unless the store has both already. */
export function recordOutcome(
  into: PendingChanges,
  outcome: LocalOutcome,
  known: KnownState,
  settings: SecretSettings,
): void {
  const { path } = outcome;
  if ("gone" in outcome) {
    if (known.entries.has(path)) into.changes.push({ path, removed: true });
    return;
  }
  const read = "skip" in outcome ? { path, skip: outcome.skip } : { path, version: outcomeVersion(outcome, known) };
  if (outcome.stamp !== undefined)
    recordStamp(into, { ...read, stamp: storedStamp(outcome.stamp, settings) }, known.stamps.get(path));
  recordEntry(into, read, known);
}

function outcomeVersion(
  outcome: Exclude<LocalOutcome, { gone: true } | { skip: SkipReason }>,
  known: KnownState,
): VersionKey {
  // `unchanged` means that the view shows this content, read by the current extractor.
  return "version" in outcome ? outcome.version : known.entries.get(outcome.path)!.version!;
}

function recordStamp(into: PendingChanges, read: Stamped, before: Stamped | undefined): void {
  if (before?.stamp !== read.stamp || !isSame(before, read)) into.stamps.push(read);
}

type ShownEntry = { readonly path: string; readonly version: VersionKey } | { readonly path: string; skip: SkipReason };

function recordEntry(into: PendingChanges, what: ShownEntry, { entries }: KnownState): void {
  const { path } = what;
  if (isSame(entries.get(path), what)) return;
  into.changes.push("version" in what ? { path, version: what.version } : { path, skip: what.skip });
}

function isSame(one: ViewEntry | Stamped | undefined, other: ShownEntry): boolean {
  if (one === undefined) return false;
  if ("skip" in other) return "skip" in one && one.skip === other.skip;
  const { contentHash, extractor } = other.version;
  return "version" in one && one.version?.contentHash === contentHash && one.version.extractor === extractor;
}

/** Skips by name or size, without opening the file. */
function skipUnread(file: WalkedFile, settings: IndexSettings): SkipReason | undefined {
  return classifyPath(file.path, settings) ?? (file.size > readLimit(file.path, settings) ? "too_large" : undefined);
}

/** Whether reading the file again would give the same version. */
function isUnchanged(before: Stamped, stamp: string, settings: IndexSettings): boolean {
  if (before.stamp !== storedStamp(stamp, settings)) return false;
  // A file whose parser failed has another extractor id, so that every run tries it again.
  if (!("skip" in before)) return before.version.extractor === extractorId(settings);
  // The size limit and permissions may have changed; the secrets setting is part of the stored stamp.
  return before.skip !== "too_large" && before.skip !== "unreadable";
}

function createReadTask(
  { path, size, stamp }: WalkedFile,
  entry: ViewEntry | undefined,
  settings: IndexSettings,
): ReadTask {
  const indexedAs = entry?.version?.extractor === extractorId(settings) ? entry.version.contentHash : undefined;
  return { path, size, stamp, ...(indexedAs !== undefined && { indexedAs }) };
}

function entriesWithin(entries: ViewEntries, { paths }: WalkScope): Map<string, ViewEntry> {
  if (paths === undefined) return new Map(entries);
  const isChosen = atOrBelow(paths);
  return new Map([...entries].filter(([path]) => isChosen(path)));
}
