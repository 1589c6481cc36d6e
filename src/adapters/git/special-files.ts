/**
 * Files of a repository that cannot be read as what they should be: a FIFO, a device, a directory or far too many bytes
 * where git keeps a small file. A git process that opens one may wait for ever, so none is started there.
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

/** Git reads these whole. */
const TEXTS_OF_WORK_TREE = ["HEAD", "commondir", "config.worktree", "info/sparse-checkout"];
const TEXTS = ["config", "shallow", "info/attributes", "info/exclude", "info/grafts", "objects/info/alternates"];
/** Of these, it reads what it needs. */
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

/** Whether git may be started for a tree. Outside a repository it would have nothing to say. */
export function canRunGit(root: string): boolean {
  // Opening a directory fails at once, and git knows what to make of that.
  return locateRepository(root) !== undefined && findProblems(root).every(({ code }) => code === "directory");
}

function findProblems(root: string): FileProblem[] {
  const repository = locateRepository(root);
  return [...problemsBelow(repository?.root, root), ...(repository === undefined ? [] : problemsIn(repository))];
}

/** Of each `.git` between the tree and its repository, or the drive's root: it would be the repository if it could be read. */
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

/** What git reads of the user's own, unless told otherwise by variables, which are the user's business. */
function userFiles(): string[] {
  const config = join(process.env.XDG_CONFIG_HOME || join(homedir(), ".config"), "git");
  return [join(homedir(), ".gitconfig"), ...["config", "ignore", "attributes"].map((name) => join(config, name))];
}

function problemAt(path: string, maxBytes = CONFIG_BYTES): FileProblem[] {
  const problem = findReadProblem(path, maxBytes);
  return problem === undefined ? [] : [{ ...problem, path }];
}
