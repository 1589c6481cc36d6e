import { type Call, type CommandSpec, type ExitCode, REF_FLAG, WALK_FLAGS, WORKSPACE_FLAGS } from "../command.ts";
import { runJob } from "../job.ts";
import { withCompass } from "../session.ts";

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

/** A hook must not fail, speak, or register what nobody asked for. Whoever indexes already does the same work. */
async function afterGit(call: Call): Promise<ExitCode> {
  const registered = await withCompass(call, ({ compass, directory }) =>
    compass.project(directory).then(
      () => true,
      () => false,
    ),
  );
  const quiet = { ...call, terminal: { ...call.terminal, out: () => {}, err: () => {} } };
  if (registered) await runJob(quiet, "incremental").catch(() => {});
  return 0;
}
