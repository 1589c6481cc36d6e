import { type CommandSpec, REF_FLAG, WALK_FLAGS, WORKSPACE_FLAGS } from "../command.ts";
import { runJob } from "../job.ts";

export default {
  name: "sync",
  summary: "Index what changed since the last time",
  group: "Commands:",
  flags: [
    { flags: "--force", doc: "look at every file again, whatever its time stamp says" },
    REF_FLAG,
    ...WORKSPACE_FLAGS,
    ...WALK_FLAGS,
  ],
  examples: ["sync", "sync --workspace ../other-repository"],

  run: (call) => runJob(call, "incremental"),
} satisfies CommandSpec;
