/** The entry point that tests start as `codecompass`: the build of this run, or the sources. */
import { fileURLToPath } from "node:url";

export const MAIN = process.env.CODECOMPASS_TEST_MAIN ?? fileURLToPath(new URL("./codecompass.ts", import.meta.url));
