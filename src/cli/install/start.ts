/** How a client starts this very installation of the server. */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Client, InstallScope, StartCommand } from "./clients.ts";

/** The name that the clients which fill it in have in common. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: the client fills it in
const WORKSPACE_FOLDER = "${workspaceFolder}";

/** Windows of an editor do not have the shell's PATH, so your own configuration names program and script in full. */
export function startCommand(
  client: Client,
  { scope, workspace }: { scope: InstallScope; workspace?: string },
): StartCommand {
  const { command, args } = scope === "project" ? { command: "codecompass", args: [] } : thisInstallation();
  return { command, args: [...args, "serve-mcp", ...workspaceArguments(client, workspace)] };
}

function workspaceArguments({ root }: Client, workspace: string | undefined): readonly string[] {
  if (workspace !== undefined) return ["--workspace", workspace];
  return root === "variable" ? ["--workspace", WORKSPACE_FOLDER] : [];
}

function thisInstallation(): StartCommand {
  const script = join(packageRoot(), "bin", "codecompass.js");
  // npx runs from a cache that it empties again.
  if (/[\\/]_npx[\\/]/.test(script)) return { command: "npx", args: ["-y", "codecompass"] };
  return { command: process.execPath, args: [script] };
}

function packageRoot(): string {
  return dirname(fileURLToPath(new URL("../../../package.json", import.meta.url)));
}
