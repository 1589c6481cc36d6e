import type { Compass, Project } from "../../compass/compass.ts";
import { repositoryRoot } from "../../config/load.ts";
import { type CommandSpec, type ExitCode, WORKSPACE_FLAGS } from "../command.ts";
import { withCompass, workspaceDirectory } from "../session.ts";

export default {
  name: "init",
  summary: "Register a directory as a workspace; writes nothing into it",
  group: "Commands:",
  flags: WORKSPACE_FLAGS,
  examples: ["init", "init --path ../other-repository"],

  run(call): Promise<ExitCode> {
    return withCompass(call, async (session) => {
      if (session.remote !== undefined) workspaceDirectory(call);
      // A directory that is named is meant; without one the whole repository is.
      const root = session.named ? session.directory : repositoryRoot(session.directory);
      const before = await registeredAt(session.compass, root);
      const project = await session.compass.register(root);
      const again = before?.root === project.root;
      const answer = {
        project_id: project.id,
        repo_root: project.root,
        vcs_mode: project.vcs,
        already_registered: again,
      };
      call.terminal.out(call.globals.json ? `${JSON.stringify(answer)}\n` : readable(project, again));
      return 0 as ExitCode;
    });
  },
} satisfies CommandSpec;

async function registeredAt(compass: Compass, root: string): Promise<Project | undefined> {
  return compass.project(root).catch(() => undefined);
}

function readable(project: Project, again: boolean): string {
  const what = `${project.root} (${project.vcs ? "git" : "no version control"})`;
  return again ? `Already registered: ${what}\n` : `Registered: ${what}\nNext: codecompass index\n`;
}
