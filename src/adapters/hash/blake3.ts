/** BLAKE3 for ids and content hashes. Loading the WebAssembly takes a few milliseconds; after that every call is synchronous. */
import { createBLAKE3 } from "hash-wasm";
import type { Hash } from "../../model/ids.ts";

export async function createHash(): Promise<Hash> {
  const hasher = await createBLAKE3();
  return (input) => hasher.init().update(input).digest("hex");
}
