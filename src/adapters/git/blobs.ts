/** Contents in bulk: one reader for each repository, which leaves by itself when nobody asks. */
import type { BlobContent, History } from "../../ports/history.ts";
import { CatFile, type GitObject } from "./cat-file.ts";
import { isObjectId } from "./head.ts";

type BlobReader = Pick<History, "blobs" | "contentAt">;

export function blobReader(): BlobReader {
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
