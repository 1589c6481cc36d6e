import type { CommandSpec } from "../command.ts";

export default {
  name: "instructions",
  summary: "Print a block for AGENTS.md or CLAUDE.md (nothing is written)",
  group: "Commands:",
  flags: [],
  examples: ["instructions", "instructions >> AGENTS.md"],

  async run({ terminal, globals }) {
    const { agentBlock } = await import("../install/agent-block.ts");
    terminal.out(globals.json ? `${JSON.stringify({ markdown: agentBlock() })}\n` : agentBlock());
    return 0;
  },
} satisfies CommandSpec;
