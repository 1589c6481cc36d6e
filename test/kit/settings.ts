/** How a test reads files where it does not matter: as anybody does who has configured nothing, with one worker. */
import type { IndexSettings } from "../../src/ports/indexer.ts";

export const PLAIN_SETTINGS: IndexSettings = {
  maxFileBytes: 1 << 20,
  includeSecrets: false,
  hidden: false,
  ignoreFiles: "all",
  workers: 1,
};
