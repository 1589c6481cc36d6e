/** A server process over fixed data. `HANG=1`: a search never answers. `NOISE=1`: a dependency prints on stdout. */
import { serveStdio } from "../../src/mcp/stdio.ts";
import { DEFAULT_SETTINGS } from "../../src/tools/define.ts";
import { fakeCompass } from "./fake-compass.ts";

const gate = process.env.HANG === "1" ? () => new Promise<void>(() => {}) : async () => {};
const served = serveStdio({ open: async () => fakeCompass({ gate }), settings: DEFAULT_SETTINGS, version: "0.0.0" });
if (process.env.NOISE === "1") {
  console.log("noise from console");
  process.stdout.write("noise from stdout\n");
}
await served;
process.exit(0);
