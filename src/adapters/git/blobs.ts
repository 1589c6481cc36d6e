/** Contents in bulk: one reader for each repository, which leaves by itself when nobody asks. */
import type { Blob } from "../../ports/history.ts";
import { CatFile, type GitObject } from "./cat-file.ts";
import { isObjectId } from "./head.ts";

export type ReadBlobs = (root: string, ids: Iterable<string>, maxBytes: number) => Promise<ReadonlyMap<string, Blob>>;

export function blobReader(): ReadBlobs {
  const readers = new Map<string, CatFile>();
  return async (root, ids, maxBytes) => {
    const reader = readers.get(root) ?? new CatFile(root);
    readers.set(root, reader);
    const wanted = [...new Set(ids)].filter(isObjectId);
    const objects = await Promise.all(wanted.map((id) => reader.get(id, maxBytes)));
    return new Map(wanted.map((id, at) => [id, blobOf(objects[at]!)]));
  };
}

function blobOf(object: GitObject): Blob {
  if ("bytes" in object) return object.type === "blob" ? object.bytes : "missing";
  return "tooLarge" in object ? "too_large" : "missing";
}
