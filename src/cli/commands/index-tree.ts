import { type CommandSpec, MODEL_FLAG, REF_FLAG, WALK_FLAGS, WORKSPACE_FLAGS } from "../command.ts";
import { runJob } from "../job.ts";
import { indexRepos, JOBS_AT_ONCE } from "../repos.ts";

export default {
  name: "index",
  summary: "Index a workspace, or update its index",
  group: "Commands:",
  flags: [
    { flags: "--force", doc: "Rebuild the index from scratch" },
    {
      flags: "--repos <file>",
      doc: "Index the repositories listed in a file, one per line: PATH [REF]; - reads stdin",
    },
    { flags: "--jobs <n>", doc: "Repositories to index in parallel", default: String(JOBS_AT_ONCE) },
    REF_FLAG,
    MODEL_FLAG,
    ...WORKSPACE_FLAGS,
    ...WALK_FLAGS,
  ],
  examples: ["index", "index --force", "index --path ../other-repository", "index --repos repositories.txt --json"],

  run: (call) => {
    const { repos } = call.flags;
    return typeof repos === "string" ? indexRepos(call, repos) : runJob(call, "full");
  },
} satisfies CommandSpec;
