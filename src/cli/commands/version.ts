import { version } from "../../config/version.ts";
import type { CommandSpec } from "../command.ts";

export default {
  name: "version",
  summary: "Print the version",
  group: "Commands:",
  flags: [],
  examples: [],

  async run({ terminal, globals }) {
    terminal.out(
      globals.json ? `${JSON.stringify({ version: version(), node: process.versions.node })}\n` : `${version()}\n`,
    );
    return 0;
  },
} satisfies CommandSpec;
