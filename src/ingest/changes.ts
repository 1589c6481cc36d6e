/** Compares the tree with a view: which files must be read, which rows change, what was removed. Pure. */
import type { SkipReason } from "../model/code.ts";
import { IGNORE_FILES } from "../model/ignore-files.ts";
import type { WalkedFile, WalkItem } from "../ports/files.ts";
import type { IndexSettings } from "../ports/indexer.ts";
import type { ReadOutcome, ReadTask } from "../ports/parsers.ts";
import type { ViewChange, ViewEntry } from "../ports/store.ts";
import { classifyPath } from "./classify-path.ts";
import { isOfToday, markOf } from "./extractor.ts";

export type Entries = ReadonlyMap<string, ViewEntry>;

/** What a run has to tell the store. */
export interface Difference {
  readonly changes: ViewChange[];
  readonly stamps: { readonly path: string; readonly stamp: string }[];
}

export interface Plan extends Difference {
  /** Files that were touched, in the order of their paths. */
  readonly tasks: ReadTask[];
}

export interface Scope {
  /** Sub-trees and files that were walked; absent: the whole tree. */
  readonly paths?: readonly string[];
}

/** A change of the rules may change any verdict, so it needs a walk of the whole tree. */
export function scopeOf(paths: readonly string[] | undefined): Scope {
  if (paths === undefined || paths.some((path) => IGNORE_FILES.has(path.slice(path.lastIndexOf("/") + 1)))) return {};
  return { paths };
}

export class Comparison {
  readonly plan: Plan = { changes: [], stamps: [], tasks: [] };
  filesSeen = 0;
  readonly #entries: Entries;
  readonly #settings: IndexSettings;
  readonly #unseen: Map<string, ViewEntry>;

  constructor(entries: Entries, scope: Scope, settings: IndexSettings) {
    this.#entries = entries;
    this.#settings = settings;
    this.#unseen = within(entries, scope);
  }

  add(item: WalkItem): void {
    const path = "file" in item ? item.file.path : item.skip.path;
    this.#unseen.delete(path);
    const entry = this.#entries.get(path);
    if ("skip" in item) {
      if (entry?.skip !== item.skip.reason) this.plan.changes.push({ path, skip: item.skip.reason });
      return;
    }
    this.filesSeen++;
    this.#addFile(item.file, entry);
  }

  /** To be called after the last item. */
  finish(): Plan {
    for (const path of this.#unseen.keys()) this.plan.changes.push({ path, removed: true });
    return this.plan;
  }

  #addFile(file: WalkedFile, entry: ViewEntry | undefined): void {
    const skip = skipUnread(file, this.#settings);
    if (skip !== undefined) note(this.plan, { path: file.path, stamp: file.stamp, skip }, entry);
    else if (!isUntouched(file, entry, this.#settings)) this.plan.tasks.push(taskOf(file, entry));
  }
}

/** What was read, as changes; a version that the view shows already is only stamped anew. */
export function note(into: Difference, outcome: ReadOutcome, entry: ViewEntry | undefined): void {
  if ("gone" in outcome) {
    if (entry !== undefined) into.changes.push({ path: outcome.path, removed: true });
  } else if ("unchanged" in outcome || ("skip" in outcome && entry?.skip === outcome.skip)) {
    const { path, stamp } = outcome;
    if (stamp !== undefined && markOf(stamp) !== entry?.stamp) into.stamps.push({ path, stamp: markOf(stamp) });
  } else {
    into.changes.push(changeOf(outcome));
  }
}

function changeOf(outcome: Exclude<ReadOutcome, { gone: true } | { unchanged: true }>): ViewChange {
  const at = { path: outcome.path, ...(outcome.stamp !== undefined && { stamp: markOf(outcome.stamp) }) };
  return "skip" in outcome ? { ...at, skip: outcome.skip } : { ...at, version: outcome.version };
}

/** What the name and the size decide; such files are never opened. */
function skipUnread(file: WalkedFile, settings: IndexSettings): SkipReason | undefined {
  return classifyPath(file.path, settings) ?? (file.size > settings.maxFileBytes ? "too_large" : undefined);
}

function isUntouched(file: WalkedFile, entry: ViewEntry | undefined, settings: IndexSettings): boolean {
  if (entry === undefined || entry.stamp !== markOf(file.stamp)) return false;
  // These verdicts hang on settings, which may have changed; the others on the content alone.
  if (entry.skip === "too_large" || (entry.skip === "secret" && settings.includeSecrets)) return false;
  return true;
}

function taskOf(file: WalkedFile, entry: ViewEntry | undefined): ReadTask {
  const indexedAs = isOfToday(entry?.stamp) ? entry?.contentHash : undefined;
  return { path: file.path, size: file.size, ...(indexedAs !== undefined && { indexedAs }) };
}

function within(entries: Entries, { paths }: Scope): Map<string, ViewEntry> {
  if (paths === undefined) return new Map(entries);
  const chosen = new Set(paths.map((path) => path.replace(/\/+$/, "")));
  return new Map([...entries].filter(([path]) => isBelow(path, chosen)));
}

/** Whether the path or one of its parents is chosen. A skipped directory's own path ends in `/`. */
function isBelow(path: string, chosen: ReadonlySet<string>): boolean {
  if (chosen.has(path)) return true;
  for (let slash = path.lastIndexOf("/"); slash > 0; slash = path.lastIndexOf("/", slash - 1)) {
    if (chosen.has(path.slice(0, slash))) return true;
  }
  return false;
}
