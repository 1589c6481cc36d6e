import type { CommandSpec } from "../command.ts";

export default {
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
