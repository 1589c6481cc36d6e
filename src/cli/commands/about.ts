/** `version` and `instructions`. */
import { version } from "../../config/manifest.ts";
import type { CommandSpec } from "../command.ts";

export const versionCommand = {
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

export const instructionsCommand = {
  name: "instructions",
  summary: "Print instructions for AGENTS.md or CLAUDE.md; writes nothing",
  group: "Commands:",
  flags: [],
  examples: ["instructions", "instructions >> AGENTS.md"],

  async run({ terminal, globals }) {
    const { agentBlock } = await import("../install/agent-block.ts");
    terminal.out(globals.json ? `${JSON.stringify({ markdown: agentBlock() })}\n` : agentBlock());
    return 0;
  },
} satisfies CommandSpec;
