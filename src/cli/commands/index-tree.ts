import { type CommandSpec, MODEL_FLAG, REF_FLAG, WALK_FLAGS, WORKSPACE_FLAGS } from "../command.ts";
import { runJob } from "../job.ts";

export default {
  name: "index",
  summary: "Index a workspace, or bring its index up to date",
  group: "Commands:",
  flags: [
    { flags: "--force", doc: "forget what is stored and parse every file again" },
    REF_FLAG,
    MODEL_FLAG,
    ...WORKSPACE_FLAGS,
    ...WALK_FLAGS,
  ],
  examples: ["index", "index --force", "index --path ../other-repository"],

  run: (call) => runJob(call, "full"),
} satisfies CommandSpec;
