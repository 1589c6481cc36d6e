/** What a test starts as `codecompass`: the build of this run, else the sources. */
import { fileURLToPath } from "node:url";

export const MAIN = process.env.CODECOMPASS_TEST_MAIN ?? fileURLToPath(new URL("./codecompass.ts", import.meta.url));
