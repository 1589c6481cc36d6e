import { dataHome } from "../../config/load.ts";
import { type CommandSpec, type ExitCode, WORKSPACE_FLAGS } from "../command.ts";
import { CLIENT_FLAGS } from "../install/flags.ts";
import type { InstallOutcome } from "../install/install.ts";
import type { InstallRequest } from "../install/request.ts";

export default {
  name: "install",
  summary: "Add the MCP server to a client's configuration",
  group: "Commands:",
  flags: [
    ...CLIENT_FLAGS,
    { flags: "--print", doc: "Print the configuration instead of writing it" },
    { flags: "--dry-run", doc: "Show the changes without writing them" },
    ...WORKSPACE_FLAGS,
  ],
  examples: [
    "install --client claude-code",
    "install --client cursor --project --dry-run",
    "install --client codex --print",
  ],

  async run(call): Promise<ExitCode> {
    const { parseInstallRequest } = await import("../install/request.ts");
    const { install, snippet } = await import("../install/install.ts");
    const { renderChange } = await import("../install/report.ts");
    const { startCommand } = await import("../install/start.ts");
    const request = parseInstallRequest(call);
    const start = startCommand(request.client, { scope: request.scope, ...pinnedWorkspace(request) });
    if (call.flags.print === true) {
      call.terminal.out(snippet(request.client, start));
      call.terminal.err(`For ${request.client.name}, in ${request.path}\n`);
      return 0;
    }
    const dryRun = call.flags.dryRun === true;
    const outcome = install(request, { start, home: dataHome(call.env), dryRun });
    const unchanged = `Already installed for ${request.client.name}: ${outcome.path}`;
    call.terminal.out(renderChange(call, request, { ...outcome, unchanged, after: nextSteps(request, outcome) }));
    return 0;
  },
} satisfies CommandSpec;

/** A client that tells its servers nothing about the open project needs the directory in writing. */
function pinnedWorkspace({ client, scope, named, directory }: InstallRequest): { workspace?: string } {
  const isNeeded = named || client.root === "unknown";
  return scope === "user" && isNeeded ? { workspace: directory } : {};
}

/** Which lines follow the difference. */
function nextSteps({ client, scope }: InstallRequest, { status, path }: InstallOutcome): string[] {
  const project = scope === "project" ? " --project" : "";
  return [
    `${status === "updated" ? "Updated" : "Installed"} for ${client.name}: ${path}`,
    ...(scope === "project" ? [IN_THE_REPOSITORY] : []),
    `Next: ${client.next}.`,
    `Undo: codecompass uninstall --client ${client.id}${project}`,
  ];
}

const IN_THE_REPOSITORY = "This file is inside your repository; everyone who uses it needs `codecompass` on the PATH.";
