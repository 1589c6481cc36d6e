/**
 * Walks a tree in the order of its paths. Own recursion on an explicit stack, so that depth costs no call stack; nothing
 * is followed and nothing but directories and ignore files is opened. The calls are synchronous, since a tree has many
 * of them, and the walk steps aside between batches: small trees are surveyed by the thread that speaks with clients.
 */
import { Buffer } from "node:buffer";
import { type Dirent, readdirSync, readFileSync } from "node:fs";
import { CompassError } from "../../model/errors.ts";
import { IGNORE_FILES } from "../../model/ignore-files.ts";
import { nextTurn } from "../../model/pace.ts";
import type { WalkItem, WalkOptions } from "../../ports/files.ts";
import { VCS_DIRECTORIES } from "./built-in-rules.ts";
import { type Choice, choose, chosenNames } from "./choice.ts";
import { repositoryTop } from "./git-rules.ts";
import { directoryStamp, ignoreStamp, type KnownDirectory, type KnownTree, UNTOLD } from "./memory.ts";
import { nameOf } from "./names.ts";
import { codeOf, lstatAt, onDisk, presentAt, reasonOf, tooLong } from "./paths.ts";
import { lazyRules, type Rules, type RuleTexts, rootRules, ruleTexts } from "./rules.ts";
import { stampOf } from "./stamp.ts";

type EntryType = "directory" | "file" | "symlink" | "other" | "unknown" | "misnamed";

interface Entry {
  readonly name: string;
  readonly type: EntryType;
}

/** A directory on the way: what is left of it. */
interface Level {
  /** Empty or ending in `/`. */
  readonly directory: string;
  readonly rules: Rules;
  readonly entries: readonly Entry[];
  readonly choice: Choice;
  next: number;
  /** What it is, to be remembered; absent when only some of it was looked at. */
  readonly learnt?: Learnt;
  /** The entries come from memory: they were let in under the rules that still hold. */
  readonly isKnown?: true;
  /** Whether the rules in here are those under which the memory was made. */
  readonly sameRules: boolean;
}

interface Learnt extends KnownDirectory {
  stamp: string;
  readonly entries: string[];
}

/** What a walk may rely on and what it finds out. */
export interface Recall {
  readonly known: KnownTree;
  readonly learnt: Map<string, KnownDirectory>;
  /** Directories that had to be listed. */
  listed: number;
}

const BATCH = 1024;
/** How long a batch may keep others waiting. A batch of a tree that was never looked at took 85 ms without. */
const TURN_MS = 5;
const MAX_IGNORE_FILE_BYTES = 1 << 20;

export async function* walk(
  root: string,
  options: WalkOptions = {},
  texts: RuleTexts = ruleTexts(root, options),
  recall: Recall = { known: new Map(), learnt: new Map(), listed: 0 },
): AsyncGenerator<readonly WalkItem[]> {
  let batch: WalkItem[] = [];
  await nextTurn();
  let began = performance.now();
  for (const item of items(root, options, texts, recall)) {
    batch.push(item);
    if (batch.length < BATCH && performance.now() - began < TURN_MS) continue;
    yield batch;
    batch = [];
    await nextTurn();
    began = performance.now();
    options.signal?.throwIfAborted();
  }
  if (batch.length > 0) yield batch;
}

function* items(root: string, options: WalkOptions, texts: RuleTexts, recall: Recall): Generator<WalkItem> {
  const read = (directory: string, name: string) => ignoreText(root, directory + name);
  const top = { rules: lazyRules(() => rootRules(texts, read, options)), sameRules: true };
  // A directory of many repositories is walked through all of them.
  const withinRepository = repositoryTop(root) !== undefined;
  const stack: Level[] = [open(root, "", top, choose(options.only), recall)];
  while (stack.length > 0) {
    const level = stack[stack.length - 1]!;
    const entry = level.entries[level.next++];
    if (entry === undefined) {
      stack.pop();
      continue;
    }
    const seen = level.isKnown ? lookAgain(root, level, entry) : look(root, level, entry);
    if (seen === undefined) continue;
    if (!("directory" in seen)) {
      if (level.learnt !== undefined) learn(level.learnt, entry, seen);
      yield seen;
      continue;
    }
    level.learnt?.entries.push(`${entry.name}/`);
    const below = enter(root, level, entry.name, recall);
    if ("skip" in below) yield below;
    else if (below.level !== undefined && withinRepository && isOtherRepository(root, below.level))
      yield { skip: { path: below.level.directory, reason: "other_repository" } };
    else if (below.level !== undefined) stack.push(below.level);
  }
}

/** What an entry is to the walk: an item, a directory to enter, or nothing. */
function look(root: string, level: Level, entry: Entry): WalkItem | { readonly directory: true } | undefined {
  const path = level.directory + entry.name;
  if (entry.type === "misnamed") return { skip: { path, reason: "unreadable" } };
  if (VCS_DIRECTORIES.has(entry.name)) return undefined;
  const directory = entry.type === "directory";
  if (tooLong(path)) return { skip: { path: directory ? `${path}/` : path, reason: "path_too_long" } };
  const verdict = level.rules.verdict(directory ? `${path}/` : path);
  if (verdict !== undefined) return { skip: { path: directory ? `${path}/` : path, reason: verdict } };
  if (directory) return { directory };
  if (entry.type === "symlink") return { skip: { path, reason: "symlink" } };
  if (entry.type === "other") return { skip: { path, reason: "not_regular" } };
  return stat(root, path);
}

/** What a look could not tell is not remembered: the next one may. */
function learn(learnt: Learnt, { name }: Entry, seen: WalkItem): void {
  if ("file" in seen) learnt.entries.push(name);
  else if (seen.skip.reason === "unreadable") learnt.stamp = UNTOLD;
}

/** An entry that was let in before. */
function lookAgain(root: string, level: Level, entry: Entry): WalkItem | { readonly directory: true } | undefined {
  return entry.type === "directory" ? { directory: true } : stat(root, level.directory + entry.name);
}

function stat(root: string, path: string): WalkItem | undefined {
  try {
    const stats = lstatAt(root, path);
    if (stats.isSymbolicLink()) return { skip: { path, reason: "symlink" } };
    if (!stats.isFile()) return { skip: { path, reason: "not_regular" } };
    return { file: { path, size: Number(stats.size), stamp: stampOf(stats) } };
  } catch (error) {
    const reason = reasonOf(error);
    return reason === "gone" ? undefined : { skip: { path, reason } };
  }
}

type Entered = { readonly level: Level | undefined } | Extract<WalkItem, { readonly skip: unknown }>;

function enter(root: string, level: Level, name: string, recall: Recall): Entered {
  const directory = `${level.directory}${name}/`;
  try {
    return { level: open(root, directory, level, level.choice?.get(name), recall) };
  } catch (error) {
    const reason = reasonOf(error);
    return reason === "gone" ? { level: undefined } : { skip: { path: directory, reason } };
  }
}

/** A submodule, or a clone that happens to lie here. What was let in before had no `.git`, or its stamp would differ. */
function isOtherRepository(root: string, { directory, entries, choice, isKnown }: Level): boolean {
  if (isKnown || (choice === undefined && !entries.some(({ name }) => name === ".git"))) return false;
  const dotGit = `${directory}.git`;
  return isFileAt(root, dotGit) || isFileAt(root, `${dotGit}/HEAD`);
}

function isFileAt(root: string, path: string): boolean {
  try {
    return presentAt(root, path)?.isFile() === true;
  } catch {
    return false;
  }
}

type Above = Pick<Level, "rules" | "sameRules">;

function open(root: string, directory: string, above: Above, choice: Choice, recall: Recall): Level {
  const names = chosenNames(choice);
  if (names === undefined) return openWhole(root, directory, above, recall);
  const entries = names.flatMap((name) => named(root, directory, name));
  const rules = above.rules.inside(directory, undefined);
  return { directory, rules, entries: entries.sort(byPath), choice, next: 0, sameRules: false };
}

function openWhole(root: string, directory: string, above: Above, recall: Recall): Level {
  const known = above.sameRules ? recall.known.get(directory) : undefined;
  // Before the listing: what changes after it shows as another stamp.
  const stamp = directoryStamp(root, directory);
  if (known !== undefined && known.stamp === stamp && stamp !== UNTOLD && hasSameIgnores(root, directory, known)) {
    return openKnown(directory, above, known, recall);
  }
  recall.listed++;
  const entries = listed(root, directory).sort(byPath);
  const names = entries.map((entry) => entry.name);
  const ignores = names.filter((name) => IGNORE_FILES.has(name)).map(withStamp(root, directory));
  const learnt: Learnt = { stamp, entries: [], ignores };
  recall.learnt.set(directory, learnt);
  const rules = above.rules.inside(directory, names);
  const sameRules = above.sameRules && hasSameIgnores(root, directory, { ignores: known?.ignores ?? [] }, ignores);
  return { directory, rules, entries, choice: undefined, next: 0, learnt, sameRules };
}

function openKnown(directory: string, above: Above, known: KnownDirectory, recall: Recall): Level {
  recall.learnt.set(directory, known);
  const entries = known.entries.map(
    (name): Entry => (name.endsWith("/") ? { name: name.slice(0, -1), type: "directory" } : { name, type: "file" }),
  );
  const ignores = known.ignores.map(([name]) => name);
  const rules = ignores.length === 0 ? above.rules : lazyRules(() => above.rules.inside(directory, ignores));
  return { directory, rules, entries, choice: undefined, next: 0, isKnown: true, sameRules: true };
}

function withStamp(root: string, directory: string): (name: string) => readonly [string, string] {
  return (name) => [name, ignoreStamp(root, directory + name)];
}

function hasSameIgnores(
  root: string,
  directory: string,
  known: Pick<KnownDirectory, "ignores">,
  now: KnownDirectory["ignores"] = known.ignores.map(([name]) => withStamp(root, directory)(name)),
): boolean {
  if (now.length !== known.ignores.length) return false;
  return now.every(([name, stamp], i) => {
    const [before, then] = known.ignores[i]!;
    return name === before && stamp === then && stamp !== UNTOLD;
  });
}

function listed(root: string, directory: string): Entry[] {
  const path = directory.slice(0, -1);
  try {
    const found = onDisk(root, path, (at) => readdirSync(at, { withFileTypes: true }));
    // U+FFFD: some name may not be UTF-8, so look at the bytes.
    if (!found.some((dirent) => dirent.name.includes("\uFFFD")))
      return found.map((d) => ({ name: d.name, type: typeOf(d) }));
    return fromBytes(onDisk(root, path, (at) => readdirSync(at, { withFileTypes: true, encoding: "buffer" })));
  } catch (error) {
    if (directory !== "") throw error;
    // An unmounted or deleted root must never look like an empty one: that would unpublish everything.
    throw new CompassError("workspace_not_allowed", {
      workspace: root,
      reason: `it cannot be read (${codeOf(error)}).`,
    });
  }
}

/** Two names of one spelling (`a\xff`, once as a byte and once as text): the text keeps it, the other is listed. */
function fromBytes(found: readonly Dirent<Buffer>[]): Entry[] {
  const plain = new Set(found.map((dirent) => dirent.name.toString("utf8")));
  return found.map((dirent) => {
    const name = nameOf(dirent.name);
    const taken = plain.has(name) && !dirent.name.equals(Buffer.from(name));
    return { name: taken ? `${name} (bytes)` : name, type: taken ? "misnamed" : typeOf(dirent) };
  });
}

/** One entry asked for by name, where a watcher has said what changed. */
function named(root: string, directory: string, name: string): Entry[] {
  try {
    const stats = presentAt(root, directory + name);
    return stats === undefined ? [] : [{ name, type: typeOf(stats) }];
  } catch {
    return [];
  }
}

function typeOf(of: Pick<Dirent, "isDirectory" | "isFile" | "isSymbolicLink"> & { isFIFO(): boolean }): EntryType {
  if (of.isFile()) return "file";
  if (of.isDirectory()) return "directory";
  if (of.isSymbolicLink()) return "symlink";
  return "isBlockDevice" in of && isKnownOther(of as Dirent) ? "other" : "unknown";
}

/** Some file systems do not say the type in the listing; those entries are asked one by one. */
function isKnownOther(of: Pick<Dirent, "isFIFO" | "isSocket" | "isBlockDevice" | "isCharacterDevice">): boolean {
  return of.isFIFO() || of.isSocket() || of.isBlockDevice() || of.isCharacterDevice();
}

/** By code units of the whole path: a directory sorts as its name with `/` behind it. */
function byPath(a: Entry, b: Entry): number {
  const left = a.type === "directory" ? `${a.name}/` : a.name;
  const right = b.type === "directory" ? `${b.name}/` : b.name;
  return left < right ? -1 : left > right ? 1 : 0;
}

function ignoreText(root: string, path: string): string | undefined {
  try {
    const stats = presentAt(root, path);
    if (!stats?.isFile() || stats.size > MAX_IGNORE_FILE_BYTES) return undefined;
    return onDisk(root, path, (at) => readFileSync(at, "utf8"));
  } catch {
    return undefined;
  }
}
