/**
 * Walks a tree in path order, with an explicit stack instead of recursion. Links are not followed, and only directories
 * and ignore files are opened. Directories stay open while they are walked, so that none can be swapped for a link. File
 * system calls are synchronous for speed; the walk yields when its time slice is over, because small trees are surveyed
 * on the thread that serves clients.
 */
import { Buffer } from "node:buffer";
import type { BigIntStats } from "node:fs";
import type { SkipReason } from "../../model/code.ts";
import { CompassError } from "../../model/errors.ts";
import { nextTurn } from "../../model/event-loop.ts";
import { IGNORE_FILES } from "../../model/paths.ts";
import type { WalkItem, WalkOptions } from "../../ports/files.ts";
import { ConfinedDirectory, lstatConfined } from "./confined-open.ts";
import { VCS_DIRECTORIES } from "./ignore-patterns.ts";
import {
  lazyRules,
  type Rules,
  type RuleTexts,
  repositoryTop,
  rootRules,
  ruleTexts,
  trackedBelow,
} from "./ignore-rules.ts";
import { byPath, type DirectoryEntry, entryType, listDirectory, type Pause } from "./listing.ts";
import {
  errorCode,
  fileStamp,
  listedNames,
  lstatAt,
  type PathSelection,
  presentAt,
  selectPaths,
  skipReason,
  tooLong,
} from "./paths.ts";
import { readNow } from "./read.ts";
import type { TrackedFiles } from "./tracked-files.ts";
import { directoryStamp, ignoreStamp, type KnownDirectory, type KnownTree, UNSETTLED } from "./walk-cache.ts";

/** A directory on the stack. */
interface Level {
  /** Empty or ending in `/`. */
  readonly directory: string;
  readonly rules: Rules;
  readonly entries: readonly DirectoryEntry[];
  readonly choice: PathSelection;
  next: number;
  /** Absent if the entries come from the cache, or while many deeper directories are open. */
  open?: ConfinedDirectory | undefined;
  /** For the walk cache; absent when only some entries are walked. */
  readonly learnt?: LearntDirectory;
  /** The cached entries, valid because the rules have not changed. */
  readonly known?: KnownDirectory;
  /** Whether the rules in this directory are those of the cache. */
  readonly sameRules: boolean;
  /** An ignore file of git excludes the directory, so only what git tracks is walked. */
  readonly onlyTracked: () => boolean;
}

interface LearntDirectory extends KnownDirectory {
  stamp: string;
  index: string;
  readonly entries: string[];
}

/** The walk cache: what is known, and what this walk learns. */
export interface WalkMemory {
  readonly known: KnownTree;
  readonly learnt: Map<string, KnownDirectory>;
  /** Directories that had to be listed. */
  listed: number;
  readonly tracked: TrackedFiles;
}

const BATCH = 1024;
/** Time slice. Without it, a batch of a tree that is not in the disk cache took 85 ms. */
const TURN_MS = 5;
const MAX_IGNORE_FILE_BYTES = 1 << 20;
/** Open directories; those further up are opened again when the walk returns to them. */
const MAX_OPEN_DIRECTORIES = 64;

export function emptyWalkMemory(root: string, options: WalkOptions, known: KnownTree = new Map()): WalkMemory {
  return { known, learnt: new Map<string, KnownDirectory>(), listed: 0, tracked: trackedBelow(root, options) };
}

export async function* walk(
  root: string,
  options: WalkOptions = {},
  texts: RuleTexts = ruleTexts(root, options),
  memory: WalkMemory = emptyWalkMemory(root, options),
): AsyncGenerator<readonly WalkItem[]> {
  let batch: WalkItem[] = [];
  await nextTurn();
  let began = performance.now();
  for (const item of items(root, options, texts, memory)) {
    if (item !== undefined) batch.push(item);
    if (batch.length < BATCH && performance.now() - began < TURN_MS) continue;
    if (batch.length > 0) yield batch;
    batch = [];
    await nextTurn();
    began = performance.now();
    options.signal?.throwIfAborted();
  }
  if (batch.length > 0) yield batch;
}

function* items(root: string, options: WalkOptions, texts: RuleTexts, memory: WalkMemory): Generator<WalkItem | Pause> {
  const read = (directory: string, name: string) => ignoreText(root, directory + name);
  const rules = lazyRules(() => rootRules(texts, read, options));
  const walking: WalkContext = { root, memory, prefix: texts.prefix };
  const top = { rules, sameRules: true, onlyTracked: () => false };
  // A workspace that contains several repositories is walked through all of them.
  const withinRepository = repositoryTop(root) !== undefined;
  const stack: Level[] = [];
  try {
    stack.push(yield* openLevel(root, { directory: "", above: top, choice: selectPaths(options.only) }, memory));
    while (stack.length > 0) {
      const level = stack[stack.length - 1]!;
      const entry = nextEntry(level);
      if (entry === undefined) {
        stack.pop()!.open?.close();
        continue;
      }
      const seen = level.known ? restatEntry(root, level, entry) : classifyEntry(walking, level, entry);
      if (seen === undefined || !("directory" in seen)) {
        if (seen !== undefined && level.learnt !== undefined) learn(level.learnt, entry, seen);
        yield seen;
        continue;
      }
      yield;
      level.learnt?.entries.push(`${entry.name}/`);
      const below = yield* enter(root, level, entry.name, memory);
      if (below === undefined) continue;
      if ("skip" in below) yield below;
      else if (withinRepository && isOtherRepository(below)) {
        below.open?.close();
        yield { skip: { path: below.directory, reason: "other_repository" } };
      } else {
        stack.push(below);
        const distant = stack[stack.length - 1 - MAX_OPEN_DIRECTORIES];
        distant?.open?.close();
        if (distant !== undefined) distant.open = undefined;
      }
    }
  } finally {
    for (const level of stack) level.open?.close();
  }
}

function nextEntry(level: Level): DirectoryEntry | undefined {
  const at = level.next++;
  const name = level.known?.entries[at];
  if (name === undefined) return level.entries[at];
  return name.endsWith("/") ? { name: name.slice(0, -1), type: "directory" } : { name, type: "file" };
}

interface WalkContext {
  readonly root: string;
  readonly memory: WalkMemory;
  /** Path of the root below the top of the repository; empty or ending in `/`. */
  readonly prefix: string;
}

/** Returns an item, a directory to enter, or nothing. */
function classifyEntry(
  walking: WalkContext,
  level: Level,
  entry: DirectoryEntry,
): WalkItem | { readonly directory: true } | undefined {
  const { root } = walking;
  const path = level.directory + entry.name;
  if (entry.type === "misnamed") return { skip: { path, reason: "unreadable" } };
  if (VCS_DIRECTORIES.has(entry.name)) return undefined;
  const directory = entry.type === "directory";
  if (tooLong(path) || tooLong(`${root}/${path}`))
    return { skip: { path: directory ? `${path}/` : path, reason: "path_too_long" } };
  const verdict = verdictOn(walking, level, directory ? `${path}/` : path);
  if (verdict !== undefined) return { skip: { path: directory ? `${path}/` : path, reason: verdict } };
  if (directory) return { directory };
  if (entry.type === "symlink") return { skip: { path, reason: "symlink" } };
  if (entry.type === "other") return { skip: { path, reason: "not_regular" } };
  return stat(path, () => lstatAt(opened(root, level).at, entry.name));
}

/** The ignore rules decide, but git's own do not exclude what it tracks. */
function verdictOn({ memory, prefix }: WalkContext, level: Level, path: string): SkipReason | undefined {
  const verdict = level.onlyTracked() ? "ignored" : level.rules.verdict(path);
  const ifTracked = verdict === undefined ? undefined : level.rules.trackedVerdict(path);
  if (ifTracked === verdict) return verdict;
  const { stamp, has } = memory.tracked;
  if (level.learnt !== undefined) {
    level.learnt.index = stamp;
    if (stamp === UNSETTLED) level.learnt.stamp = UNSETTLED;
  }
  return has(prefix + path) ? ifTracked : verdict;
}

function opened(root: string, level: Level): ConfinedDirectory {
  level.open ??= ConfinedDirectory.open(root, level.directory.slice(0, -1));
  return level.open;
}

/** Unreadable entries are not cached: they may be readable next time. */
function learn(learnt: LearntDirectory, { name }: DirectoryEntry, seen: WalkItem): void {
  if ("file" in seen) learnt.entries.push(name);
  else if (seen.skip.reason === "unreadable") learnt.stamp = UNSETTLED;
}

/** An entry of the cache. Its stamp is only compared with the indexed one, so the directory is not opened for it. */
function restatEntry(
  root: string,
  level: Level,
  entry: DirectoryEntry,
): WalkItem | { readonly directory: true } | undefined {
  const path = level.directory + entry.name;
  return entry.type === "directory" ? { directory: true } : stat(path, () => lstatAt(root, path));
}

function stat(path: string, lstat: () => BigIntStats): WalkItem | undefined {
  try {
    const stats = lstat();
    if (stats.isSymbolicLink()) return { skip: { path, reason: "symlink" } };
    if (!stats.isFile()) return { skip: { path, reason: "not_regular" } };
    return { file: { path, size: Number(stats.size), stamp: fileStamp(stats) } };
  } catch (error) {
    const reason = skipReason(error);
    return reason === "gone" ? undefined : { skip: { path, reason } };
  }
}

type SkippedItem = Extract<WalkItem, { readonly skip: unknown }>;

function* enter(
  root: string,
  level: Level,
  name: string,
  memory: WalkMemory,
): Generator<Pause, Level | SkippedItem | undefined> {
  const directory = `${level.directory}${name}/`;
  const onlyTracked = once(() => level.onlyTracked() || level.rules.verdict(directory) !== undefined);
  const above = { rules: level.rules, sameRules: level.sameRules, onlyTracked };
  try {
    const from = level.known ? undefined : opened(root, level);
    return yield* openLevel(root, { directory, above, choice: level.choice?.get(name), from, name }, memory);
  } catch (error) {
    const path = directory.slice(0, -1);
    if (errorCode(error) === "ENOTDIR") return withoutFile(stat(path, () => lstatConfined(root, path)));
    const reason = skipReason(error);
    return reason === "gone" ? undefined : { skip: { path: directory, reason } };
  }
}

function once(decide: () => boolean): () => boolean {
  let decided: boolean | undefined;
  return () => {
    decided ??= decide();
    return decided;
  };
}

/** The entry was a directory when it was listed: report a link; the next walk finds a file. */
function withoutFile(seen: WalkItem | undefined): SkippedItem | undefined {
  return seen !== undefined && "skip" in seen ? seen : undefined;
}

/** A submodule or a nested clone. A cached directory had no `.git`, or its stamp would differ. */
function isOtherRepository({ open, entries, choice, known }: Level): boolean {
  if (known !== undefined || (choice === undefined && !entries.some(({ name }) => name === ".git"))) return false;
  return isFileAt(open!.at, ".git") || isFileAt(open!.at, ".git/HEAD");
}

function isFileAt(root: string, path: string): boolean {
  try {
    return presentAt(root, path)?.isFile() === true;
  } catch {
    return false;
  }
}

interface DirectoryToOpen {
  readonly directory: string;
  readonly above: Pick<Level, "rules" | "sameRules" | "onlyTracked">;
  readonly choice: PathSelection;
  /** The parent directory, if it is open, and the name in it. */
  readonly from?: ConfinedDirectory | undefined;
  readonly name?: string;
}

function* openLevel(root: string, entering: DirectoryToOpen, memory: WalkMemory): Generator<Pause, Level> {
  const known = knownLevel(root, entering, memory);
  if (known !== undefined) return known;
  const open = openDirectory(root, entering);
  try {
    return yield* listLevel(open, entering, memory);
  } catch (error) {
    open.close();
    throw entering.directory === "" ? rootError(root, error) : error;
  }
}

function openDirectory(root: string, { directory, from, name }: DirectoryToOpen): ConfinedDirectory {
  if (from !== undefined) return from.child(name!);
  try {
    return ConfinedDirectory.open(root, directory.slice(0, -1));
  } catch (error) {
    throw directory === "" ? rootError(root, error) : error;
  }
}

/** An unmounted or deleted root must not look like an empty one: that would remove every file from the index. */
function rootError(root: string, error: unknown): unknown {
  if (errorCode(error) === "") return error;
  return new CompassError("workspace_not_allowed", {
    workspace: root,
    reason: `it cannot be read (${errorCode(error)}).`,
  });
}

function* listLevel(
  open: ConfinedDirectory,
  { directory, above, choice }: DirectoryToOpen,
  memory: WalkMemory,
): Generator<Pause, Level> {
  const names = choice && [...choice.keys()];
  const { onlyTracked } = above;
  if (names !== undefined) {
    const found = new Map(names.flatMap((name) => named(open.at, name)).map((entry) => [entry.name, entry]));
    const entries = [...found.values()].sort(byPath);
    open.check();
    const rules = above.rules.inside(directory, undefined);
    return { directory, rules, entries, choice, next: 0, open, sameRules: false, onlyTracked };
  }
  memory.listed++;
  // Before the listing, so that a later change gives another stamp.
  const stats = open.stats();
  const entries = yield* listDirectory(open, stats.size);
  const present = entries.filter(({ name }) => IGNORE_FILES.has(name)).map(({ name }) => name);
  const ignores = present.map(withStamp(open.at, ""));
  const learnt: LearntDirectory = { stamp: directoryStamp(stats), entries: [], ignores, index: "" };
  memory.learnt.set(directory, learnt);
  const rules = above.rules.inside(directory, present);
  const before = above.sameRules ? memory.known.get(directory)?.ignores : undefined;
  const sameRules = above.sameRules && isSame(before ?? [], ignores);
  return { directory, rules, entries, choice: undefined, next: 0, open, learnt, sameRules, onlyTracked };
}

/** The directory from the cache, if it has not changed since. */
function knownLevel(
  root: string,
  { directory, above, choice }: DirectoryToOpen,
  memory: WalkMemory,
): Level | undefined {
  const known = above.sameRules && choice === undefined ? memory.known.get(directory) : undefined;
  if (known === undefined || known.stamp === UNSETTLED) return undefined;
  if (known.stamp !== stampAt(root, directory)) return undefined;
  if (known.index !== "" && known.index !== memory.tracked.stamp) return undefined;
  const stamped = known.ignores.map(([name]) => withStamp(root, directory)(name));
  if (!isSame(known.ignores, stamped)) return undefined;
  memory.learnt.set(directory, known);
  const ignores = known.ignores.map(([name]) => name);
  const rules = ignores.length === 0 ? above.rules : lazyRules(() => above.rules.inside(directory, ignores));
  const { onlyTracked } = above;
  return { directory, rules, entries: [], choice: undefined, next: 0, known, sameRules: true, onlyTracked };
}

function stampAt(root: string, directory: string): string {
  try {
    return directoryStamp(lstatAt(root, directory.slice(0, -1)));
  } catch {
    return UNSETTLED;
  }
}

function withStamp(root: string, directory: string): (name: string) => readonly [string, string] {
  return (name) => [name, ignoreStamp(() => lstatAt(root, directory + name))];
}

function isSame(before: KnownDirectory["ignores"], now: KnownDirectory["ignores"]): boolean {
  if (now.length !== before.length) return false;
  return now.every(([name, stamp], i) => {
    const [known, then] = before[i]!;
    return name === known && stamp === then && stamp !== UNSETTLED;
  });
}

/** A single entry as the directory lists it, for walks that are restricted to the paths of a watcher's report. */
function named(directory: string, name: string): DirectoryEntry[] {
  try {
    const stats = presentAt(directory, name);
    if (stats === undefined) return [];
    return listedNames(directory, name, stats).map((listed) => ({ name: listed, type: entryType(stats) }));
  } catch {
    return [];
  }
}

function ignoreText(root: string, path: string): string | undefined {
  try {
    const stats = presentAt(root, path);
    if (!stats?.isFile() || stats.size > MAX_IGNORE_FILE_BYTES) return undefined;
    const result = readNow(root, path, MAX_IGNORE_FILE_BYTES);
    return result.ok ? Buffer.from(result.bytes).toString("utf8") : undefined;
  } catch {
    return undefined;
  }
}
