/**
 * Finds a FIFO, a device, a directory or a huge file where git expects a small regular file. A git process that opens
 * one may block for ever, so git is not started there.
 */
import { readdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { findReadProblem, type ReadProblem } from "../../io/bounded-read.ts";
import {
  CONFIG_BYTES,
  type GitRepository,
  gitDirectoryNamedBy,
  locateRepository,
  symbolicHead,
} from "./repository-files.ts";

/** Git reads these files completely. */
const TEXTS_OF_WORK_TREE = ["HEAD", "commondir", "config.worktree", "info/sparse-checkout"];
const TEXTS = ["config", "shallow", "info/attributes", "info/exclude", "info/grafts", "objects/info/alternates"];
/** Git reads parts of these files. */
const TABLES = ["packed-refs", "objects/info/commit-graph", "objects/pack/multi-pack-index"];

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
  return [
    ...TEXTS_OF_WORK_TREE.flatMap((name) => problemAt(join(gitDir, name))),
    ...[...TEXTS, ...(head === undefined ? [] : [head])].flatMap((name) => problemAt(join(commonDir, name))),
    ...TABLES.flatMap((name) => problemAt(join(commonDir, name), Number.POSITIVE_INFINITY)),
    ...problemAt(join(gitDir, "index"), Number.POSITIVE_INFINITY),
    ...unusualPacks(join(commonDir, "objects", "pack")),
    ...userFiles().flatMap((path) => problemAt(path)),
  ];
}

function unusualPacks(directory: string): FileProblem[] {
  try {
    const unusual = readdirSync(directory, { withFileTypes: true }).filter((entry) => !entry.isFile());
    return unusual.flatMap(({ name }) => problemAt(join(directory, name), Number.POSITIVE_INFINITY));
  } catch {
    return [];
  }
}

/** The user's git files at their default locations; environment variables that move them are the user's choice. */
function userFiles(): string[] {
  const config = join(process.env.XDG_CONFIG_HOME || join(homedir(), ".config"), "git");
  return [join(homedir(), ".gitconfig"), ...["config", "ignore", "attributes"].map((name) => join(config, name))];
}

function problemAt(path: string, maxBytes = CONFIG_BYTES): FileProblem[] {
  const problem = findReadProblem(path, maxBytes);
  return problem === undefined ? [] : [{ ...problem, path }];
}
