/** Git's name of a content: a hash over a header and the bytes. */
import { createHash } from "node:crypto";
import type { BlobNames } from "../../ports/indexer.ts";

export function blobId(bytes: Uint8Array, names: BlobNames): string {
  return createHash(names).update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}
