/** Compares the tree with a view: which files must be read, which rows change, what was removed. Pure. */
import type { SkipReason } from "../model/code.ts";
import { atOrBelow, IGNORE_FILES, OUTSIDE_RULES } from "../model/paths.ts";
import type { WalkedFile, WalkItem } from "../ports/files.ts";
import type { IndexSettings } from "../ports/indexer.ts";
import type { Elsewhere, ReadOutcome, ReadTask } from "../ports/parsers.ts";
import type { VersionKey } from "../ports/versions.ts";
import type { Stamped, ViewChange, ViewEntry } from "../ports/view.ts";
import { classifyPath, type SecretSettings } from "./classify.ts";
import { extractorId, storedStamp } from "./extractor.ts";

export type ViewEntries = ReadonlyMap<string, ViewEntry>;

/** What the store knows before a run: what the view shows, and what the files of the working tree were read as. */
export interface KnownState {
  readonly entries: ViewEntries;
  readonly stamps: ReadonlyMap<string, Stamped>;
}

/** What a run has to tell the store. */
export interface PendingChanges {
  readonly changes: ViewChange[];
  readonly stamps: Stamped[];
}

export interface ChangePlan extends PendingChanges {
  /** Files that were touched, in the order of their paths. */
  readonly tasks: ReadTask[];
}

export interface WalkScope {
  /** Sub-trees and files that were walked; absent: the whole tree. */
  readonly paths?: readonly string[];
}

/** A change of the rules may change any verdict below them, so it needs a walk of all that lies there. */
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

  /** To be called after the last item. */
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

/** Those that speak of a file which is or was in the index: what is skipped, and was never in it, is none. */
export function fileChanges(changes: readonly ViewChange[], { entries }: KnownState): readonly ViewChange[] {
  return changes.filter((change) => "version" in change || entries.get(change.path)?.version !== undefined);
}

/** What became of a file that was read where it was looked for. */
export type LocalOutcome = Exclude<ReadOutcome, Elsewhere>;

/** What was read, as changes of the view and as stamps; what is known already is not told again. */
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
  // Unchanged means: what the view shows, and shows as today's extractor reads it.
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

/** What the name and the size decide; such files are never opened. */
function skipUnread(file: WalkedFile, settings: IndexSettings): SkipReason | undefined {
  return classifyPath(file.path, settings) ?? (file.size > settings.maxFileBytes ? "too_large" : undefined);
}

/** Whether a file would be read today as it was read before. */
function isUnchanged(before: Stamped, stamp: string, settings: IndexSettings): boolean {
  if (before.stamp !== storedStamp(stamp, settings)) return false;
  // A file that was given up is tried again by every run that comes across it.
  if (!("skip" in before)) return before.version.extractor === extractorId(settings);
  // The limit and the permissions may have changed; whether secrets are included is part of the mark.
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
