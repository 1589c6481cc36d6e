/** Compares two commits, or a commit and the files on disk, with git's plumbing commands, which use no diff driver. */
import type { Buffer } from "node:buffer";
import { decodeFileName } from "../../io/file-names.ts";
import type { BlobContent, BlobRef, ChangedPath, History } from "../../ports/vcs.ts";
import { CatFile, type GitObject } from "./cat-file.ts";
import { git, gitOutput, withoutNamedPrograms } from "./command.ts";
import { isObjectId, locateRepository } from "./repository-files.ts";

export function gitHistory(): History {
  return { mergeBase, changedPaths, ...blobReader() };
}

async function mergeBase(root: string, one: string, other: string): Promise<string | undefined> {
  const base = await git(root, ["merge-base", "--end-of-options", one, other]);
  return base !== undefined && isObjectId(base) ? base : undefined;
}

/** The caller detects renames by content, for tracked and untracked files alike. */
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
  // git runs a file through its filters when the time stamps of the index are inconclusive.
  const unfiltered = await withoutNamedPrograms(root);
  if (repository === undefined || repository.bare || unfiltered === undefined) return undefined;
  // The files of this directory, wherever `core.worktree` points.
  const here = [...unfiltered, "--work-tree", repository.root];
  const [tracked, untracked] = await Promise.all([
    gitOutput(root, [...here, "diff-index", ...RAW, "--end-of-options", from]),
    gitOutput(root, [...here, "ls-files", "-z", "--others", "--exclude-standard"]),
  ]);
  if (tracked === undefined || untracked === undefined) return undefined;
  return withUntracked(changesIn(tracked), splitNul(untracked).map(decodeFileName));
}

/** A file that was removed from the index but not from disk still exists. */
function withUntracked(tracked: readonly ChangedPath[], untracked: readonly string[]): ChangedPath[] {
  const changes = new Map(tracked.map((change) => [change.path, change]));
  // An untracked nested repository is listed with a slash; its files are not ours.
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
    changes.push({ path: decodeFileName(parts[at + 1]!), ...(before && { before }), ...(after && { after }) });
  }
  return changes;
}

function splitFields(part: Buffer): string[] {
  return part.toString("latin1").slice(1).split(" ");
}

/** A modified file on disk has no id yet. A path in conflict (`U`) has several ids and one file. */
function afterSide(mode: string, id: string): ChangedPath["after"] {
  const blob = toBlobRef(mode, id);
  return blob?.regular && /^0+$/.test(id) ? "disk" : blob;
}

function toBlobRef(mode: string, id: string): BlobRef | undefined {
  return mode === "000000" ? undefined : { id, regular: mode.startsWith("100") };
}

/** One `CatFile` per repository, which ends by itself when idle. */
function blobReader(): Pick<History, "blobs" | "contentAt"> {
  const readers = new Map<string, CatFile>();
  const at = (root: string): CatFile => {
    const reader = readers.get(root) ?? new CatFile(root);
    readers.set(root, reader);
    return reader;
  };
  return {
    blobs: async (root, ids, maxBytes) => {
      const distinct = [...new Set(ids)].filter(isObjectId);
      const objects = await at(root).getAll(distinct, maxBytes);
      return new Map(distinct.map((id, i) => [id, toBlobContent(objects[i]!)]));
    },
    contentAt: async (root, commit, path, maxBytes) => {
      // `./` is relative to the directory git was started in, which is the root.
      return isObjectId(commit) ? toBlobContent(await at(root).get(`${commit}:./${path}`, maxBytes)) : "missing";
    },
  };
}

function toBlobContent(object: GitObject): BlobContent {
  if ("bytes" in object) return object.type === "blob" ? object.bytes : "missing";
  return "tooLarge" in object ? "too_large" : "missing";
}

/** Splits the output of a command with `-z`. */
function splitNul(output: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(0, at);
    const to = end < 0 ? output.length : end;
    parts.push(output.subarray(at, to));
    at = to + 1;
  }
  return parts;
}
