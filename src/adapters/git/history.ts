/** Where two commits, or a commit and the files on disk, differ: by git's plumbing, which uses no diff driver. */
import type { Buffer } from "node:buffer";
import type { BlobRef, ChangedPath, History } from "../../ports/history.ts";
import { blobReader } from "./blobs.ts";
import { git, gitOutput, withoutNamedPrograms } from "./command.ts";
import { isObjectId } from "./head.ts";
import { locateRepository } from "./locate.ts";
import { decodePath, splitNul } from "./paths.ts";

export function gitHistory(): History {
  return { mergeBase, changedPaths, ...blobReader() };
}

async function mergeBase(root: string, one: string, other: string): Promise<string | undefined> {
  const base = await git(root, ["merge-base", "--end-of-options", one, other]);
  return base !== undefined && isObjectId(base) ? base : undefined;
}

/** Renames are found by content, here as for files that git does not know yet. */
const RAW = [
  ...["-z", "--raw", "--no-abbrev", "--no-renames", "--relative"],
  ...["--ignore-submodules=dirty", "--no-ext-diff", "--no-textconv"],
];

async function changedPaths(
  root: string,
  from: string,
  to: string | "worktree",
): Promise<readonly ChangedPath[] | undefined> {
  if (to !== "worktree") {
    const output = await gitOutput(root, ["diff-tree", "-r", ...RAW, "--end-of-options", from, to]);
    return output && changesIn(output);
  }
  const repository = locateRepository(root);
  // git reads a file through its filters when the time stamps of the index do not tell whether it changed.
  const unfiltered = await withoutNamedPrograms(root);
  if (repository === undefined || repository.bare || unfiltered === undefined) return undefined;
  // The files of this directory, wherever `core.worktree` points.
  const here = [...unfiltered, "--work-tree", repository.root];
  const [tracked, untracked] = await Promise.all([
    gitOutput(root, [...here, "diff-index", ...RAW, "--end-of-options", from]),
    gitOutput(root, [...here, "ls-files", "-z", "--others", "--exclude-standard"]),
  ]);
  if (tracked === undefined || untracked === undefined) return undefined;
  return withUntracked(changesIn(tracked), splitNul(untracked).map(decodePath));
}

/** A file that was taken out of the index but not off the disk is still there. */
function withUntracked(tracked: readonly ChangedPath[], untracked: readonly string[]): ChangedPath[] {
  const changes = new Map(tracked.map((change) => [change.path, change]));
  // An untracked repository is named with a slash: its files are its own.
  for (const path of untracked) {
    if (!path.endsWith("/")) changes.set(path, { ...changes.get(path), path, after: "disk" });
  }
  return [...changes.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** `:100644 100755 <id> <id> M` NUL `path` NUL, for each. */
function changesIn(output: Buffer): ChangedPath[] {
  const parts = splitNul(output);
  const changes: ChangedPath[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [oldMode = "", newMode = "", oldId = "", newId = "", status] = splitFields(parts[at]!);
    const before = toBlobRef(oldMode, oldId);
    const after = status === "U" ? "disk" : afterSide(newMode, newId);
    changes.push({ path: decodePath(parts[at + 1]!), ...(before && { before }), ...(after && { after }) });
  }
  return changes;
}

function splitFields(part: Buffer): string[] {
  return part.toString("latin1").slice(1).split(" ");
}

/** What is on disk has no id yet. A path in conflict (`U`) has several, and one file. */
function afterSide(mode: string, id: string): ChangedPath["after"] {
  const blob = toBlobRef(mode, id);
  return blob?.regular && /^0+$/.test(id) ? "disk" : blob;
}

function toBlobRef(mode: string, id: string): BlobRef | undefined {
  return mode === "000000" ? undefined : { id, regular: mode.startsWith("100") };
}
