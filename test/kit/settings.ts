/** Default index settings with one worker, for tests where they do not matter. */
import type { IndexSettings } from "../../src/ports/indexer.ts";

export const PLAIN_SETTINGS: IndexSettings = {
  maxFileBytes: 1 << 20,
  includeSecrets: false,
  hidden: false,
  ignoreFiles: "all",
  workers: 1,
};
