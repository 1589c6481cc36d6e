/** Where two commits, or a commit and the files on disk, differ: by git's plumbing, which uses no diff driver. */
import { type Buffer, isUtf8 } from "node:buffer";
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

type BlobReader = Pick<History, "blobs" | "contentAt">;

function blobReader(): BlobReader {
  const readers = new Map<string, CatFile>();
  const at = (root: string): CatFile => {
    const reader = readers.get(root) ?? new CatFile(root);
    readers.set(root, reader);
    return reader;
  };
  return {
    blobs: async (root, ids, maxBytes) => {
      const wanted = [...new Set(ids)].filter(isObjectId);
      const objects = await Promise.all(wanted.map((id) => at(root).get(id, maxBytes)));
      return new Map(wanted.map((id, i) => [id, toBlobContent(objects[i]!)]));
    },
    contentAt: async (root, commit, path, maxBytes) => {
      // `./`: from where git was started, which is the root.
      return isObjectId(commit) ? toBlobContent(await at(root).get(`${commit}:./${path}`, maxBytes)) : "missing";
    },
  };
}

function toBlobContent(object: GitObject): BlobContent {
  if ("bytes" in object) return object.type === "blob" ? object.bytes : "missing";
  return "tooLarge" in object ? "too_large" : "missing";
}

/** The parts of an answer made with `-z`. */
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

function decodePath(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString("utf8");
  let path = "";
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at);
    path += length === 0 ? `\\x${bytes[at]!.toString(16).padStart(2, "0")}` : bytes.toString("utf8", at, at + length);
    at += Math.max(1, length);
  }
  return path;
}

/** Length of the valid UTF-8 sequence at `at`, or 0. */
function sequenceLength(bytes: Buffer, at: number): number {
  for (let length = 1; length <= 4 && at + length <= bytes.length; length++) {
    if (isUtf8(bytes.subarray(at, at + length))) return length;
  }
  return 0;
}
