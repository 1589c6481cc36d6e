import { repositoryRoot } from "../../config/load.ts";
import { CompassError } from "../../model/errors.ts";
import { printable } from "../../tools/text/style.ts";
import { type Call, type CommandSpec, type ExitCode, WORKSPACE_FLAGS } from "../command.ts";
import { type CommandSession, openCommandProject, withCompass } from "../session.ts";

const ACTIONS = ["install", "uninstall"] as const;

export default {
  name: "hooks",
  summary: "Install git hooks that update the index after a checkout, commit, merge or rebase",
  group: "Commands:",
  argument: { name: "<action>", doc: "Install the hooks, or remove what was installed", choices: ACTIONS },
  flags: WORKSPACE_FLAGS,
  examples: ["hooks install", "hooks uninstall"],

  run(call): Promise<ExitCode> {
    return withCompass(call, async (session) => {
      const root = await hooksRoot(session);
      const { repositoryHooks } = await import("../../compose/git.ts");
      const hooks = repositoryHooks();
      const installs = call.words[0] === "install";
      const report = installs ? await hooks.install(root, command()) : await hooks.uninstall(root);
      if (report === undefined) throw new CompassError("invalid_input", { reason: `${root} is no git repository` });
      // A hook only syncs what is registered.
      if (installs) await openCommandProject(session);
      call.terminal.out(call.globals.json ? `${JSON.stringify(report)}\n` : readable(call, report));
      return 0 as ExitCode;
    });
  },
} satisfies CommandSpec;

/** The enclosing repository, even if the registered workspace is a directory above it. */
async function hooksRoot(session: CommandSession): Promise<string> {
  return session.remote === undefined ? repositoryRoot(session.directory) : (await openCommandProject(session)).root;
}

/** The program that runs now: a hook is started with whatever PATH git has. */
function command(): string[] {
  return [process.execPath, process.argv[1] ?? "codecompass", "sync", "--after-git"];
}

interface HooksReport {
  readonly directory: string;
  readonly shared: boolean;
  readonly hooks: readonly { readonly hook: string; readonly outcome: string }[];
}

const WORDS: Readonly<Record<string, string>> = {
  installed: "added",
  updated: "updated",
  present: "already installed",
  kept: "left alone (not installed by codecompass)",
  removed: "removed",
  absent: "not installed",
};

function readable({ words }: Call, { directory, shared, hooks }: HooksReport): string {
  const lines = hooks.map(({ hook, outcome }) => `${hook}: ${WORDS[outcome]}`);
  const note = shared ? ["Other repositories share this hooks directory (core.hooksPath)."] : [];
  const own = words[0] === "install" && hooks.some(({ outcome }) => outcome === "kept");
  const hint = own ? ["To update the index from your own hook, add: codecompass sync --after-git &"] : [];
  return `${[printable(directory), ...lines.map((line) => `  ${line}`), ...note, ...hint].join("\n")}\n`;
}
