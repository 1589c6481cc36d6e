import { type Call, type CommandSpec, type ExitCode, REF_FLAG, WALK_FLAGS, WORKSPACE_FLAGS } from "../command.ts";
import { runJob } from "../job.ts";
import { type Session, withCompass } from "../session.ts";

export default {
  name: "sync",
  summary: "Index what changed since the last time",
  group: "Commands:",
  flags: [
    { flags: "--force", doc: "look at every file again, whatever its time stamp says" },
    REF_FLAG,
    ...WORKSPACE_FLAGS,
    ...WALK_FLAGS,
    { flags: "--after-git", doc: "quietly, and only in a workspace that is registered: for git hooks", hidden: true },
  ],
  examples: ["sync", "sync --workspace ../other-repository"],

  run: (call) => (call.flags.afterGit === true ? afterGit(call) : runJob(call, "incremental")),
} satisfies CommandSpec;

/**
 * A hook must not fail, speak, or register what nobody asked for. Somebody who indexes already may have begun before git
 * moved HEAD: he is waited for, and the rest is done after him.
 */
async function afterGit(call: Call): Promise<ExitCode> {
  const follow = async ({ compass, directory }: Session) => compass.freshen(await compass.project(directory), {});
  await withCompass(call, follow).catch(() => {});
  return 0;
}
