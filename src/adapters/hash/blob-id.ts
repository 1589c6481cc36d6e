/** Git's name of a content: a hash over a header and the bytes. */
import { hash } from "node:crypto";
import type { BlobNames } from "../../ports/indexer.ts";

export function blobId(bytes: Uint8Array, names: BlobNames): string {
  // Copied behind its header: a hash that takes both one after the other is an object, and takes longer to make than that.
  return hash(names, Buffer.concat([Buffer.from(`blob ${bytes.length}\0`), bytes]), "hex");
}
