/** `index` and `sync`. */
import {
  type Call,
  type CommandSpec,
  type ExitCode,
  MODEL_FLAG,
  REF_FLAG,
  WALK_FLAGS,
  WORKSPACE_ARGUMENT,
  WORKSPACE_FLAGS,
} from "../command.ts";
import { runJob } from "../job.ts";
import { indexRepos, JOBS_AT_ONCE } from "../repos.ts";
import { type CommandSession, withCompass } from "../session.ts";

export const indexCommand = {
  name: "index",
  summary: "Index a workspace, or update its index",
  group: "Commands:",
  argument: WORKSPACE_ARGUMENT,
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
  examples: ["index", "index --force", "index ../other-repository", "index --repos repositories.txt --json"],

  run: (call) => {
    const { repos } = call.flags;
    return typeof repos === "string" ? indexRepos(call, repos) : runJob(call, "full");
  },
} satisfies CommandSpec;

export const syncCommand = {
  name: "sync",
  summary: "Index the files that changed since the last run",
  group: "Commands:",
  argument: WORKSPACE_ARGUMENT,
  flags: [
    { flags: "--force", doc: "Compare every file's content, even if its timestamp is unchanged" },
    REF_FLAG,
    ...WORKSPACE_FLAGS,
    ...WALK_FLAGS,
    { flags: "--after-git", doc: "Quiet mode for git hooks; does nothing in unregistered workspaces", hidden: true },
  ],
  examples: ["sync", "sync ../other-repository"],

  run: (call) => (call.flags.afterGit === true ? afterGit(call) : runJob(call, "incremental")),
} satisfies CommandSpec;

/**
 * A hook must not fail, print, or register a workspace. An indexing run that is under way may have started before git
 * moved HEAD, so `freshen` waits for it and indexes what is left.
 */
async function afterGit(call: Call): Promise<ExitCode> {
  const follow = async ({ compass, directory }: CommandSession) =>
    compass.freshen(await compass.project(directory), {});
  await withCompass(call, follow).catch(() => {});
  return 0;
}
