/** Runs the command line from the sources, as `bin/codecompass.js` runs the build. */
import { main } from "../../src/cli/main.ts";

await main(process.argv.slice(2));
