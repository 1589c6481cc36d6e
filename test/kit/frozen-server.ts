/** A server over fixed data with frozen prototypes: an attempt to pollute them throws and is visible. */
import { serveStdio } from "../../src/mcp/stdio.ts";
import "../../src/mcp/session.ts";
import { DEFAULT_SETTINGS } from "../../src/tools/define.ts";
import { fakeCompass } from "./fake-compass.ts";

for (const one of [Object, Array, String, Number, Boolean, Map, Set, Promise]) Object.freeze(one.prototype);

await serveStdio({ open: async () => fakeCompass(), settings: DEFAULT_SETTINGS, version: "0.0.0" });
process.exit(0);
