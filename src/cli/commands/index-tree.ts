import { type CommandSpec, MODEL_FLAG, REF_FLAG, WALK_FLAGS, WORKSPACE_FLAGS } from "../command.ts";
import { runJob } from "../job.ts";
import { indexRepos, JOBS_AT_ONCE } from "../repos.ts";

export default {
  name: "index",
  summary: "Index a workspace, or bring its index up to date",
  group: "Commands:",
  flags: [
    { flags: "--force", doc: "forget what is stored and parse every file again" },
    {
      flags: "--repos <file>",
      doc: "index every repository of a list: a path and, if wanted, a ref a line; - is stdin",
    },
    { flags: "--jobs <n>", doc: "repositories of the list at once", default: String(JOBS_AT_ONCE) },
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
