import type { CommandSpec, ExitCode } from "../command.ts";
import { loadCommandConfig } from "../session.ts";

export default {
  name: "migrate",
  summary: "Create or upgrade the tables of a shared store",
  group: "Commands:",
  flags: [],
  examples: ["migrate --store postgres://codecompass_owner@db/codecompass"],

  async run(call): Promise<ExitCode> {
    const { migrateSharedStore } = await import("../../compose/principals.ts");
    const step = await migrateSharedStore(loadCommandConfig(call, call.cwd).config.store);
    call.terminal.out(call.globals.json ? `${JSON.stringify({ step })}\n` : `The tables are at step ${step}.\n`);
    return 0;
  },
} satisfies CommandSpec;
