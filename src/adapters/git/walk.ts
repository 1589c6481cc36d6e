/**
 * Walks the tree of a commit with the same rules and order as the disk walker walks a checkout of it. Every entry is
 * tracked, so no `.gitignore` excludes it; the other ignore files are those of the commit. A file's stamp is its blob id; its size is not known here.
 */
import { IGNORE_FILES } from "../../model/paths.ts";
import type { EntryRules, FileSelection, WalkItem, WalkOptions } from "../../ports/files.ts";
import type { CatFile } from "./cat-file.ts";
import type { TreeEntry, Trees } from "./trees.ts";

export interface CommitWalk {
  readonly root: string;
  /** Path of the root below the top of the repository; empty or ending in `/`. */
  readonly prefix: string;
  readonly commit: string;
  readonly objects: CatFile;
  readonly trees: Trees;
  readonly selection: FileSelection;
}

type WalkSelection = ReturnType<FileSelection["select"]>;

interface CommitDirectory {
  /** Empty or ending in `/`. */
  readonly path: string;
  readonly entries: readonly TreeEntry[];
  readonly rules: EntryRules;
  readonly choice: WalkSelection;
}

/** By path. */
type IgnoreTextMap = Map<string, string>;

const MAX_IGNORE_FILE_BYTES = 1 << 20;

/** Level by level, so that all directories of a level are requested at once. */
export async function walkCommit(it: CommitWalk, options: WalkOptions): Promise<WalkItem[]> {
  const texts: IgnoreTextMap = new Map();
  const top: CommitDirectory = {
    path: "",
    entries: await it.trees.at(it.commit, it.prefix),
    rules: await rootRules(it, texts, options),
    choice: it.selection.select(options.only),
  };
  const items: WalkItem[] = [];
  for (let level = [top]; level.length > 0; ) {
    options.signal?.throwIfAborted();
    const below = await Promise.all(level.map((directory) => enter(it, texts, directory, items)));
    level = below.flat();
  }
  return items.sort(byPath);
}

/** Adds the entries of the directory and returns the directories to enter next. */
async function enter(
  it: CommitWalk,
  texts: IgnoreTextMap,
  directory: CommitDirectory,
  items: WalkItem[],
): Promise<CommitDirectory[]> {
  const rules = await ownRules(it, texts, directory);
  const below: Promise<CommitDirectory>[] = [];
  for (const entry of directory.entries) {
    if (directory.choice !== undefined && !directory.choice.has(entry.name)) continue;
    const seen = classifyEntry(it, { ...directory, rules }, entry);
    if (seen === "enter") {
      const path = `${directory.path}${entry.name}/`;
      const choice = directory.choice?.get(entry.name);
      below.push(it.trees.entries(entry.id).then((entries) => ({ path, entries, rules, choice })));
    } else if (seen !== undefined) items.push(seen);
  }
  return Promise.all(below);
}

function classifyEntry(
  it: CommitWalk,
  { path: at, rules }: CommitDirectory,
  entry: TreeEntry,
): WalkItem | "enter" | undefined {
  const { selection } = it;
  const path = at + entry.name;
  if (selection.isVcsName(entry.name)) return undefined;
  const directory = entry.kind === "directory" || entry.kind === "repository";
  const named = directory ? `${path}/` : path;
  if (selection.isTooLong(path)) return { skip: { path: named, reason: "path_too_long" } };
  const verdict = rules.trackedVerdict(named);
  if (verdict !== undefined) return { skip: { path: named, reason: verdict } };
  if (entry.kind === "directory") return "enter";
  // A checkout of this commit has an empty directory there.
  if (entry.kind === "repository") return undefined;
  if (entry.kind === "symlink") return { skip: { path, reason: "symlink" } };
  return { file: { path, size: 0, stamp: entry.id } };
}

/** The ignore files above the root come from the commit, too. */
async function rootRules(it: CommitWalk, texts: IgnoreTextMap, options: WalkOptions): Promise<EntryRules> {
  const parts = it.prefix.split("/").slice(0, -1);
  const parents = parts.map((_, i) =>
    parts
      .slice(0, i)
      .map((part) => `${part}/`)
      .join(""),
  );
  const found = await Promise.all(parents.map((directory) => textAt(it, `${it.commit}:${directory}.gitignore`)));
  const above = new Map(parents.map((directory, i) => [directory, found[i]]));
  return it.selection.rules(it.root, options, {
    inside: (directory, name) => texts.get(directory + name),
    above: (directory) => above.get(directory),
  });
}

/** Fetches the ignore files of a directory first, because rules read them synchronously. */
async function ownRules(
  it: CommitWalk,
  texts: IgnoreTextMap,
  { path, entries, rules }: CommitDirectory,
): Promise<EntryRules> {
  const files = entries.filter(({ kind, name }) => kind === "file" && IGNORE_FILES.has(name));
  if (files.length === 0) return rules;
  const found = await Promise.all(files.map((entry) => textAt(it, entry.id)));
  for (const [i, { name }] of files.entries()) if (found[i] !== undefined) texts.set(path + name, found[i]);
  return rules.inside(
    path,
    files.map(({ name }) => name),
  );
}

async function textAt({ objects }: CommitWalk, name: string): Promise<string | undefined> {
  const object = await objects.get(name, MAX_IGNORE_FILE_BYTES);
  return "bytes" in object && object.type === "blob" ? Buffer.from(object.bytes).toString("utf8") : undefined;
}

function byPath(a: WalkItem, b: WalkItem): number {
  const [left, right] = [itemPath(a), itemPath(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

function itemPath(item: WalkItem): string {
  return "file" in item ? item.file.path : item.skip.path;
}
