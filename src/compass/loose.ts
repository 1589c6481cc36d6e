/**
 * Text files of the working tree that are not indexed because no ranking should meet them: large, minified or generated
 * ones. A pattern is looked for in them too, on disk, so that a count is what grep would count. Secrets stay out.
 */
import type { LooseFile, LooseFiles } from "../grep/texts.ts";
import { decode } from "../ingest/decode.ts";
import { languageOf } from "../languages/index.ts";
import type { SkipReason } from "../model/code.ts";
import type { Files } from "../ports/files.ts";
import type { Snapshot } from "../ports/snapshot.ts";

const SEARCHED: readonly SkipReason[] = ["too_large", "minified", "generated"];
/** A search that reads more than this beside the index is nobody's wish; the answer says what was left out. */
const MOST_BYTES = 64 << 20;
const MOST_FILES = 2_000;

export function looseFiles(root: string, snapshot: Snapshot, files: Files): LooseFiles {
  return {
    async list() {
      const paths = await snapshot.skips(SEARCHED);
      const found: LooseFile[] = [];
      let left = MOST_BYTES;
      for (const path of paths) {
        const stamp = found.length < MOST_FILES ? await files.stamp(root, path) : undefined;
        const size = Number(stamp?.split(":")[0] ?? Number.NaN);
        if (!(size <= left)) continue;
        left -= size;
        found.push({ path, language: languageOf(path).id, key: `${path}\0${stamp}` });
      }
      return { files: found, leftOut: paths.length - found.length };
    },
    async read(path) {
      const result = await files.read(root, path, MOST_BYTES);
      return (result.ok && decode(result.bytes)?.text) || "";
    },
  };
}
