/** The `GitObjects` port: `cat-file` processes per repository, started when needed and ended when idle. */
import { IGNORE_FILES } from "../../model/paths.ts";
import type { EntryRules, FileSelection, WalkItem, WalkOptions } from "../../ports/files.ts";
import type { CommitTree, GitObjects } from "../../ports/vcs.ts";
import { CatFile } from "./cat-file.ts";
import { gitOutput } from "./command.ts";
import { isObjectId, locateRepository, readConfig } from "./repository-files.ts";
import { MissingTree, missingTree, type TreeEntry, Trees } from "./trees.ts";

/** Idle repositories whose processes keep running: the next job may be about one of them. */
const MAX_IDLE = 2;

interface OpenRepository {
  /** Path of the workspace below the top of the repository; empty or ending in `/`. */
  readonly prefix: string;
  readonly objects: CatFile;
  readonly headers: CatFile;
  readonly trees: Trees;
}

export function gitObjects(selection: FileSelection): GitObjects {
  const opened = new Map<string, OpenRepository>();
  /** In the order in which they became idle. */
  const idle = new Set<string>();
  // A job compares the same two commits twice: to choose a base and to list what differs.
  let lastChanged: { readonly key: string; readonly paths: readonly string[] } | undefined;
  const open = (root: string): OpenRepository => {
    idle.delete(root);
    const known = opened.get(root);
    if (known !== undefined) return known;
    const top = locateRepository(root)?.root ?? root;
    const objects = new CatFile(root);
    const prefix = root === top ? "" : `${root.slice(top.length).replace(/^\/+/, "")}/`;
    const repository = {
      prefix,
      objects,
      headers: new CatFile(root, "headers"),
      trees: new Trees(objects, selection.nameOf),
    };
    opened.set(root, repository);
    return repository;
  };
  return {
    walk: async (tree, options = {}) => {
      const { prefix, objects, trees } = open(tree.root);
      try {
        return await walkCommit({ ...tree, prefix, objects, trees, selection }, options);
      } catch (error) {
        // A missing directory makes the whole ref unreadable: a partial tree would be wrong.
        if (!(error instanceof MissingTree)) throw error;
        throw await missingTree(tree.root, tree.name ?? tree.commit, error);
      }
    },
    changed: async (root, from, to) => {
      const key = [root, from, to].join("\n");
      if (lastChanged?.key === key) return lastChanged.paths;
      const { prefix, trees } = open(root);
      try {
        const [before, after] = await Promise.all([trees.at(from, prefix), trees.at(to, prefix)]);
        const paths = (await trees.changed(before, after)).sort();
        lastChanged = { key, paths };
        return paths;
      } catch (error) {
        if (error instanceof MissingTree) return undefined;
        throw error;
      }
    },
    sizes: async (tree, blobs) => {
      const missing = blobs.length === 0 ? new Set<string>() : await findMissingBlobs(tree);
      const ids = [...new Set(blobs)].filter((id) => isObjectId(id) && !missing.has(id));
      return readSizes(open(tree.root).headers, ids);
    },
    read: async (root, blob, maxBytes) => {
      const object = await open(root).objects.get(blob, maxBytes);
      if ("tooLarge" in object) return { ok: false, reason: "too_large" };
      if (!("bytes" in object) || object.type !== "blob") return { ok: false, reason: "unreadable" };
      return { ok: true, bytes: object.bytes, stamp: blob };
    },
    releaseIdle: (root) => {
      idle.delete(root);
      if (opened.has(root)) idle.add(root);
      for (const oldest of idle) {
        if (idle.size <= MAX_IDLE) return;
        idle.delete(oldest);
        opened.get(oldest)!.objects.stopIfIdle();
        opened.get(oldest)!.headers.stopIfIdle();
        opened.delete(oldest);
      }
    },
    close: async () => {
      for (const { objects, headers } of opened.values()) {
        objects.close();
        headers.close();
      }
      opened.clear();
      idle.clear();
    },
  };
}

/** Bounds the queue of `CatFile`, which is shifted once per answer. */
const HEADERS_PER_WRITE = 1_000;

async function readSizes(headers: CatFile, ids: readonly string[]): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for (let from = 0; from < ids.length; from += HEADERS_PER_WRITE) {
    for (const object of await headers.getAll(ids.slice(from, from + HEADERS_PER_WRITE)))
      if ("size" in object && object.type === "blob") sizes.set(object.id, object.size);
  }
  return sizes;
}

/**
 * Blobs that a partial clone does not have. Requesting one makes git before 2.45 start a fetch per blob, which is slow
 * and fails, because fetching is disabled (see `command.ts`).
 */
async function findMissingBlobs({ root, commit }: CommitTree): Promise<ReadonlySet<string>> {
  const repository = locateRepository(root);
  const config = repository === undefined ? "" : readConfig(repository.commonDir);
  if (!/^[ \t]*(?:partialclone|promisor|partialclonefilter)[ \t]*=/im.test(config)) return new Set();
  const options = ["--objects", "--no-object-names", "--missing=print", "--no-walk", "--end-of-options"];
  const listed = (await gitOutput(root, ["rev-list", ...options, commit]))?.toString("latin1") ?? "";
  return new Set(Array.from(listed.matchAll(/^\?([0-9a-f]+)$/gm), ([, id]) => id!));
}

interface CommitWalk {
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

/**
 * Walks the tree of a commit with the rules and the order of the disk walker. Every entry is tracked, so no `.gitignore`
 * excludes it; a file's stamp is its blob id, and its size is not known here.
 * Level by level, so that all directories of a level are requested at once.
 */
async function walkCommit(it: CommitWalk, options: WalkOptions): Promise<WalkItem[]> {
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
