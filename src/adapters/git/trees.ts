/** Git tree objects: entries, directories of a commit, and the paths that differ between two trees. */
import { CompassError } from "../../model/errors.ts";
import type { CatFile } from "./cat-file.ts";
import { refusal } from "./command.ts";

export type EntryKind = "file" | "directory" | "symlink" | "repository";

export interface TreeEntry {
  readonly name: string;
  readonly kind: EntryKind;
  readonly id: string;
  readonly executable: boolean;
}

/** Decodes the bytes of a name. */
export type DecodeName = (bytes: Buffer) => string;

/** A tree that is missing or unreadable. */
export class MissingTree extends Error {}

const MISSING = {
  reason: "the commit or its tree is missing from the repository or damaged",
  suggestion: "Fetch it again, or see what `git fsck` says of the repository.",
};

/** The error for a commit whose tree could not be read. */
export async function missingTree(root: string, ref: string, cause: unknown): Promise<CompassError> {
  return new CompassError("ref_not_indexed", { ref, ...MISSING, ...(await refusal(root)) }, { cause });
}

const EMPTY: readonly TreeEntry[] = [];

export class Trees {
  readonly #objects: CatFile;
  readonly #nameOf: DecodeName;

  constructor(objects: CatFile, nameOf: DecodeName) {
    this.#objects = objects;
    this.#nameOf = nameOf;
  }

  /** The entries of a directory of a commit (`""`: its top); none when the commit has no such directory. */
  async at(commit: string, directory: string): Promise<readonly TreeEntry[]> {
    let entries = await this.entries(`${commit}^{tree}`);
    for (const name of directory.split("/").filter((part) => part !== "")) {
      const below = entries.find((entry) => entry.name === name && entry.kind === "directory");
      if (below === undefined) return EMPTY;
      entries = await this.entries(below.id);
    }
    return entries;
  }

  async entries(tree: string): Promise<TreeEntry[]> {
    const object = await this.#objects.get(tree);
    if (!("bytes" in object) || object.type !== "tree") throw new MissingTree(tree);
    return parse(object.bytes, object.id.length / 2, this.#nameOf);
  }

  /** Files and directories that differ. Descends only where ids differ. */
  async changed(before: readonly TreeEntry[], after: readonly TreeEntry[], prefix = ""): Promise<string[]> {
    const old = new Map(before.map((entry) => [entry.name, entry]));
    const paths: string[] = [];
    const below: Promise<string[]>[] = [];
    for (const entry of after) {
      const other = old.get(entry.name);
      old.delete(entry.name);
      if (other?.id === entry.id && other.kind === entry.kind) continue;
      const path = prefix + entry.name;
      if (other?.kind === "directory" && entry.kind === "directory") below.push(this.#below(other, entry, path));
      else paths.push(path);
    }
    for (const entry of old.values()) paths.push(prefix + entry.name);
    return [...paths, ...(await Promise.all(below)).flat()];
  }

  async #below(before: TreeEntry, after: TreeEntry, path: string): Promise<string[]> {
    const [left, right] = await Promise.all([this.entries(before.id), this.entries(after.id)]);
    return this.changed(left, right, `${path}/`);
  }
}

/** `mode SP name NUL id`, over and over. */
function parse(bytes: Uint8Array, idBytes: number, nameOf: DecodeName): TreeEntry[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries: TreeEntry[] = [];
  for (let at = 0; at < buffer.length; ) {
    const space = buffer.indexOf(32, at);
    const end = buffer.indexOf(0, space);
    if (space < 0 || end < 0 || end + idBytes >= buffer.length + 1) throw new MissingTree("a damaged tree");
    const mode = buffer.toString("latin1", at, space);
    const id = buffer.toString("hex", end + 1, end + 1 + idBytes);
    const name = nameOf(buffer.subarray(space + 1, end));
    entries.push({ name, kind: entryKind(mode), id, executable: mode === "100755" });
    at = end + 1 + idBytes;
  }
  return entries;
}

function entryKind(mode: string): EntryKind {
  if (mode === "40000" || mode === "040000") return "directory";
  if (mode === "120000") return "symlink";
  return mode === "160000" ? "repository" : "file";
}
