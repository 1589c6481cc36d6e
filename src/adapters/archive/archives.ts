/** `.tar.zst` files by node's own zstd. */
import type { Archives } from "../../ports/archive.ts";
import { readArchive } from "./read.ts";
import { writeArchive } from "./write.ts";

export function tarArchives(): Archives {
  return { write: writeArchive, read: readArchive };
}
