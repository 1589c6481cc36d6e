/** Writes a commit's tree into an empty directory: bytes as the objects have them, names as git keeps them. */
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CatFile } from "./cat-file.ts";
import { MissingTree, missingTree, type TreeEntry, Trees } from "./trees.ts";

/** Blobs that are read ahead of being written. */
const AT_ONCE = 64;

export async function checkout(root: string, commit: string, into: string): Promise<void> {
  const objects = new CatFile(root);
  // Each byte as one character, so that any name comes back as it was.
  const trees = new Trees(objects, (bytes) => bytes.toString("latin1"));
  try {
    await writeTree(`${commit}^{tree}`, Buffer.from(into).toString("latin1"), objects, trees);
  } catch (error) {
    if (!(error instanceof MissingTree)) throw error;
    throw await missingTree(root, commit, error);
  } finally {
    objects.close();
  }
}

async function writeTree(tree: string, into: string, objects: CatFile, trees: Trees): Promise<void> {
  await mkdir(pathBytes(into), { recursive: true });
  const entries = (await trees.entries(tree)).filter(({ name }) => isSafe(name));
  for (let at = 0; at < entries.length; at += AT_ONCE) {
    await Promise.all(entries.slice(at, at + AT_ONCE).map((entry) => write(entry, join(into, entry.name), objects)));
  }
  for (const { kind, id, name } of entries)
    if (kind === "directory") await writeTree(id, join(into, name), objects, trees);
}

async function write({ kind, id, executable }: TreeEntry, path: string, objects: CatFile): Promise<void> {
  if (kind === "directory") return;
  // A submodule is an empty directory until it is asked for.
  if (kind === "repository") return void (await mkdir(pathBytes(path), { recursive: true }));
  const object = await objects.get(id);
  // A partial clone may not have it; the rest is of use all the same.
  if (!("bytes" in object)) return;
  if (kind === "symlink") await symlink(Buffer.from(object.bytes), pathBytes(path));
  else await writeFile(pathBytes(path), object.bytes, { flag: "wx", mode: executable ? 0o755 : 0o644 });
}

/** Git refuses such names; an object that was made by hand may have them. */
function isSafe(name: string): boolean {
  return !/^(?:\.{0,2}|\.git|git~\d+)$/i.test(name) && !/[/\0]/.test(name);
}

function pathBytes(path: string): Buffer {
  return Buffer.from(path, "latin1");
}
