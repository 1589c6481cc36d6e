/** `install` and `uninstall`: this server in the configuration of an MCP client. */

import { dataHome } from "../../config/data-home.ts";
import { type CommandFlag, type CommandSpec, type ExitCode, WORKSPACE_FLAGS } from "../command.ts";
import { CLIENTS, startCommand } from "../install/clients.ts";
import type { InstallOutcome } from "../install/install.ts";
import type { InstallRequest } from "../install/request.ts";

const CLIENT_FLAGS: readonly CommandFlag[] = [
  { flags: "--client <client>", doc: "Client to configure", choices: CLIENTS.map(({ id }) => id) },
  { flags: "--user", doc: "Write the user configuration (default)" },
  {
    flags: "--project",
    doc: "Write the project configuration: a file inside the repository, shared with everyone who uses it",
  },
];

export const installCommand = {
  name: "install",
  summary: "Add the MCP server to a client's configuration",
  group: "Commands:",
  flags: [
    ...CLIENT_FLAGS,
    { flags: "--tools <list>", doc: "Tools to list: core, all, or names with commas", default: "core" },
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
    const { parseInstallRequest, renderChange } = await import("../install/request.ts");
    const { install, snippet } = await import("../install/install.ts");
    const { listTools } = await import("../../tools/index.ts");
    const request = parseInstallRequest(call);
    const tools = String(call.flags.tools);
    listTools(tools);
    const start = startCommand(request.client, { scope: request.scope, tools, ...pinnedWorkspace(request) });
    if (call.flags.print === true) {
      call.terminal.out(snippet(request.client, start));
      call.terminal.err(`For ${request.client.name}, in ${request.path}\n`);
      return 0;
    }
    const dryRun = call.flags.dryRun === true;
    const outcome = install(request, { start, home: dataHome(call.env), dryRun });
    const unchanged = `Already installed for ${request.client.name}: ${outcome.path}`;
    call.terminal.out(
      renderChange(call, request, { ...outcome, unchanged, after: nextSteps(request, outcome, tools) }),
    );
    return 0;
  },
} satisfies CommandSpec;

/** A client that does not tell its servers the open project needs the directory in its configuration. */
function pinnedWorkspace({ client, scope, named, directory }: InstallRequest): { workspace?: string } {
  const isNeeded = named || client.root === "unknown";
  return scope === "user" && isNeeded ? { workspace: directory } : {};
}

/** Which lines follow the difference. */
function nextSteps({ client, scope }: InstallRequest, { status, path }: InstallOutcome, tools: string): string[] {
  const project = scope === "project" ? " --project" : "";
  return [
    `${status === "updated" ? "Updated" : "Installed"} for ${client.name}: ${path}`,
    ...(scope === "project" ? [IN_THE_REPOSITORY] : []),
    `Next: ${client.next}.`,
    `Undo: codecompass uninstall --client ${client.id}${project}`,
    `Answers are text for the model to read; tools listed: ${tools}${tools === "core" ? " (--tools all lists every tool)" : ""}.`,
  ];
}

const IN_THE_REPOSITORY = "This file is inside your repository; everyone who uses it needs `codecompass` on the PATH.";

export const uninstallCommand = {
  name: "uninstall",
  summary: "Remove the MCP server from a client's configuration",
  group: "Commands:",
  flags: [...CLIENT_FLAGS, { flags: "--dry-run", doc: "Show the changes without writing them" }, ...WORKSPACE_FLAGS],
  examples: ["uninstall --client claude-code", "uninstall --client cursor --project"],

  async run(call): Promise<ExitCode> {
    const { parseInstallRequest, renderChange } = await import("../install/request.ts");
    const { uninstall } = await import("../install/install.ts");
    const request = parseInstallRequest(call);
    const removal = uninstall(request, { home: dataHome(call.env), dryRun: call.flags.dryRun === true });
    const { name } = request.client;
    const what = removal.status === "restored" ? "Restored the previous entry" : "Removed";
    call.terminal.out(
      renderChange(call, request, {
        ...removal,
        unchanged: `Not installed for ${name}: ${removal.path}`,
        after: [`${what} for ${name}: ${removal.path}`],
      }),
    );
    return 0;
  },
} satisfies CommandSpec;
