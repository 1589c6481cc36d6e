/**
 * Finds a FIFO, a device, a directory or a huge file where git expects a small regular file. A git process that opens
 * one may block for ever, so git is not started there.
 */
import { readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { findReadProblem, type ReadProblem, readBoundedText, SMALL_FILE_BYTES } from "../../io/bounded-read.ts";
import { userHome } from "../../io/home.ts";
import { includedFiles } from "./included-config.ts";
import {
  CONFIG_BYTES,
  type GitRepository,
  gitDirectoryNamedBy,
  locateRepository,
  symbolicHead,
} from "./repository-files.ts";

/** Git reads these files completely. */
const TEXTS_OF_WORK_TREE = ["HEAD", "commondir", "config.worktree", "info/sparse-checkout"];
const TEXTS = ["config", "shallow", "info/attributes", "info/exclude", "info/grafts"];
/** Git reads parts of these files. */
const TABLES = ["packed-refs"];

interface FileProblem extends ReadProblem {
  readonly path: string;
}

/** One sentence for each problem of the tree's repository. */
export function repositoryProblems(root: string): string[] {
  return findProblems(root).map(({ path, reason, code }) =>
    code === "directory" ? `${path} ${reason}, and was not read.` : `${path} ${reason}: git is not run here.`,
  );
}

/** Whether git may be started for a tree; false outside a repository. */
export function canRunGit(root: string): boolean {
  // Opening a directory fails at once, which git handles.
  return locateRepository(root) !== undefined && findProblems(root).every(({ code }) => code === "directory");
}

function findProblems(root: string): FileProblem[] {
  const repository = locateRepository(root);
  return [...problemsBelow(repository?.root, root), ...(repository === undefined ? [] : problemsIn(repository))];
}

/** Checks each `.git` between the tree and its repository (or the root directory): it would be the repository if readable. */
function problemsBelow(top: string | undefined, root: string): FileProblem[] {
  const problems: FileProblem[] = [];
  for (let at = root; at !== top; at = dirname(at)) {
    const dotGit = join(at, ".git");
    const directory = gitDirectoryNamedBy(dotGit);
    problems.push(...problemAt(directory === undefined ? dotGit : join(directory, "HEAD")));
    if (dirname(at) === at) break;
  }
  return problems;
}

function problemsIn(repository: GitRepository): FileProblem[] {
  const { gitDir, commonDir } = repository;
  const head = symbolicHead(repository);
  const users = userFiles();
  const configs = [join(commonDir, "config"), join(gitDir, "config.worktree"), ...users];
  return [
    ...TEXTS_OF_WORK_TREE.flatMap((name) => problemAt(join(gitDir, name))),
    ...[...TEXTS, ...(head === undefined ? [] : [head])].flatMap((name) => problemAt(join(commonDir, name))),
    ...TABLES.flatMap((name) => problemAt(join(commonDir, name), Number.POSITIVE_INFINITY)),
    ...problemAt(join(gitDir, "index"), Number.POSITIVE_INFINITY),
    // The other part of an index that is split in two.
    ...unusualEntries(gitDir, /^sharedindex\./),
    ...unusualEntries(join(commonDir, "refs", "replace")),
    ...objectDirectories(join(commonDir, "objects")).flatMap(problemsOfObjects),
    ...[...users, ...includedFiles(configs)].flatMap((path) => problemAt(path)),
  ];
}

function problemsOfObjects(directory: string): FileProblem[] {
  return [
    ...problemAt(join(directory, "info", "alternates")),
    ...problemAt(join(directory, "info", "commit-graph"), Number.POSITIVE_INFINITY),
    ...unusualEntries(join(directory, "info", "commit-graphs")),
    ...unusualEntries(join(directory, "pack")),
  ];
}

/** Git gives up after five levels. */
const MOST_ALTERNATES = 5;

/** The directory and those that it borrows objects from. */
function objectDirectories(own: string): string[] {
  const found = new Set([own]);
  let level = [own];
  for (let depth = 0; depth < MOST_ALTERNATES && level.length > 0; depth++) {
    level = level.flatMap(alternatesOf).filter((directory) => !found.has(directory));
    for (const directory of level) found.add(directory);
  }
  return [...found];
}

function alternatesOf(directory: string): string[] {
  const lines = readBoundedText(join(directory, "info", "alternates"), SMALL_FILE_BYTES)?.split("\n") ?? [];
  return lines.filter((line) => line !== "" && !line.startsWith("#")).map((line) => resolve(directory, pathIn(line)));
}

/** A path may be quoted as in C. */
function pathIn(line: string): string {
  if (!line.startsWith('"')) return line;
  const inner = line.replace(/^"|"$/g, "");
  return inner.replace(/\\(?:([0-7]{3})|(.))/g, (_, octal, char) =>
    octal ? String.fromCharCode(parseInt(octal, 8)) : char,
  );
}

/** Entries that are no regular files; `names`: which of them git would read. */
function unusualEntries(directory: string, names = /./s): FileProblem[] {
  try {
    const entries = readdirSync(directory, { withFileTypes: true });
    const unusual = entries.filter((entry) => !entry.isFile() && names.test(entry.name));
    return unusual.flatMap(({ name }) => problemAt(join(directory, name), Number.POSITIVE_INFINITY));
  } catch {
    return [];
  }
}

/** The user's git files at their default locations; environment variables that move them are the user's choice. */
function userFiles(): string[] {
  const config = join(process.env.XDG_CONFIG_HOME || join(userHome(), ".config"), "git");
  return [join(userHome(), ".gitconfig"), ...["config", "ignore", "attributes"].map((name) => join(config, name))];
}

function problemAt(path: string, maxBytes = CONFIG_BYTES): FileProblem[] {
  const problem = findReadProblem(path, maxBytes);
  return problem === undefined ? [] : [{ ...problem, path }];
}
