/** BLAKE3 for ids and content hashes. Loading the WebAssembly takes a few milliseconds; after that every call is synchronous. */
import { createBLAKE3 } from "hash-wasm";
import type { Hash } from "../../model/ids.ts";

export async function createHash(): Promise<Hash> {
  const hasher = await createBLAKE3();
  const digest = Buffer.alloc(hasher.digestSize);
  return (input) => {
    // A symbol has two ids: the library takes as long over writing a digest as hex as over hashing a name.
    digest.set(hasher.init().update(input).digest("binary"));
    return digest.toString("hex");
  };
}
