/** The MCP clients that `install` supports, one row each. docs/clients.md has the source of each row. */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { packageName } from "../../config/manifest.ts";

/** What decides where a client stores its files. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export type InstallScope = "user" | "project";

/** How the server is started. */
export interface StartCommand {
  readonly command: string;
  readonly args: readonly string[];
}

export interface Client {
  /** As `--client` spells it. */
  readonly id: string;
  readonly name: string;
  readonly format: "json" | "toml";
  /** Files in order of preference: the first that exists, else the first. */
  readonly user?: (machine: Machine) => readonly string[];
  /** The same, relative to the project's root. */
  readonly project?: readonly string[];
  /** Keys under which the client lists its servers. */
  readonly section: readonly string[];
  /** Keys it uses instead where the file already has them. */
  readonly sectionIfPresent?: readonly string[];
  /** How a server learns which project is open: its working directory, a variable in its arguments, or not at all. */
  readonly root: "cwd" | "variable" | "unknown";
  readonly entry: (start: StartCommand) => Readonly<Record<string, unknown>>;
  /** What makes the client read its file again. */
  readonly next: string;
}

const plain = ({ command, args }: StartCommand) => ({ command, args });
const typed = ({ command, args }: StartCommand) => ({ type: "stdio", command, args });

export const CLIENTS: readonly Client[] = [
  {
    id: "claude-code",
    name: "Claude Code",
    format: "json",
    user: ({ env, home }) => [join(env.CLAUDE_CONFIG_DIR || home, ".claude.json")],
    project: [".mcp.json"],
    section: ["mcpServers"],
    root: "cwd",
    entry: typed,
    next: "start a new Claude Code session; /mcp shows the server",
  },
  {
    id: "claude-desktop",
    name: "Claude Desktop",
    format: "json",
    user: (machine) => [join(applicationData(machine), "Claude", "claude_desktop_config.json")],
    section: ["mcpServers"],
    root: "unknown",
    entry: plain,
    next: "quit Claude Desktop completely and start it again",
  },
  {
    id: "cursor",
    name: "Cursor",
    format: "json",
    user: ({ home }) => [join(home, ".cursor", "mcp.json")],
    project: [".cursor/mcp.json"],
    section: ["mcpServers"],
    root: "variable",
    entry: typed,
    next: "enable the server in Cursor's settings under MCP",
  },
  {
    id: "vscode",
    name: "VS Code",
    format: "json",
    user: (machine) => [join(applicationData(machine), "Code", "User", "mcp.json")],
    project: [".vscode/mcp.json"],
    section: ["servers"],
    root: "variable",
    entry: typed,
    next: "run MCP: List Servers in VS Code and start it",
  },
  {
    id: "codex",
    name: "Codex",
    format: "toml",
    user: ({ env, home }) => [join(env.CODEX_HOME || join(home, ".codex"), "config.toml")],
    project: [".codex/config.toml"],
    section: ["mcp_servers"],
    root: "cwd",
    entry: plain,
    next: "start a new Codex session; /mcp shows the server (a project's file counts only where the project is trusted)",
  },
  {
    id: "gemini",
    name: "Gemini CLI",
    format: "json",
    user: ({ home }) => [join(home, ".gemini", "settings.json")],
    project: [".gemini/settings.json"],
    section: ["mcpServers"],
    root: "cwd",
    entry: plain,
    next: "start Gemini CLI again; /mcp shows the server",
  },
  {
    id: "windsurf",
    name: "Windsurf",
    format: "json",
    user: ({ home }) => [join(home, ".codeium", "windsurf", "mcp_config.json")],
    section: ["mcpServers"],
    root: "unknown",
    entry: plain,
    next: "refresh the MCP servers in Windsurf's Cascade panel",
  },
  {
    id: "zed",
    name: "Zed",
    format: "json",
    user: (machine) => [join(zedDirectory(machine), "settings.json")],
    project: [".zed/settings.json"],
    section: ["context_servers"],
    root: "cwd",
    entry: plain,
    next: "Zed reads the file at once; the Agent Panel's settings show the server",
  },
  {
    id: "opencode",
    name: "opencode",
    format: "json",
    user: (machine) => either(join(configHome(machine), "opencode", "opencode.json")),
    project: either("opencode.json"),
    section: ["mcp"],
    // Its second version lists servers one level deeper and still reads the first one's form.
    sectionIfPresent: ["mcp", "servers"],
    root: "cwd",
    entry: ({ command, args }) => ({ type: "local", command: [command, ...args] }),
    next: "start opencode again",
  },
];

export function findClient(id: unknown): Client | undefined {
  return CLIENTS.find((client) => client.id === id);
}

/** Where programs with a window keep their settings. */
function applicationData({ platform, home, env }: Machine): string {
  if (platform === "darwin") return join(home, "Library", "Application Support");
  if (platform === "win32") return env.APPDATA || join(home, "AppData", "Roaming");
  return env.XDG_CONFIG_HOME || join(home, ".config");
}

function configHome({ home, env }: Machine): string {
  return env.XDG_CONFIG_HOME || join(home, ".config");
}

function zedDirectory(machine: Machine): string {
  if (machine.platform === "win32") return join(applicationData(machine), "Zed");
  return join(machine.platform === "darwin" ? join(machine.home, ".config") : configHome(machine), "zed");
}

function either(path: string): readonly string[] {
  return [path, path.replace(/\.json$/, ".jsonc")];
}

/** The name that the clients which fill it in have in common. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: the client fills it in
const WORKSPACE_FOLDER = "${workspaceFolder}";

/** Windows of an editor do not have the shell's PATH, so your own configuration names program and script in full. */
export function startCommand(
  client: Client,
  { scope, workspace, tools }: { scope: InstallScope; workspace?: string; tools: string },
  installed: StartCommand = thisInstallation(packageRoot(), process),
): StartCommand {
  const { command, args } = scope === "project" ? { command: "codecompass", args: [] } : installed;
  // In each of these clients a model reads the answer.
  const surface = ["--format", "text", "--tools", tools];
  return { command, args: [...args, "serve-mcp", ...surface, ...workspaceArguments(client, workspace)] };
}

function workspaceArguments({ root }: Client, workspace: string | undefined): readonly string[] {
  if (workspace !== undefined) return ["--workspace", workspace];
  return root === "variable" ? ["--workspace", WORKSPACE_FOLDER] : [];
}

export function thisInstallation(
  root: string,
  { platform, execPath }: { platform: string; execPath: string },
): StartCommand {
  // npx runs from a cache that it empties again.
  if (!/[\\/]_npx[\\/]/.test(root)) return { command: execPath, args: [join(root, "bin", "codecompass.js")] };
  const npx = ["npx", "-y", packageName()] as const;
  // A client starts programs, and on Windows npx is a script of cmd.
  return platform === "win32" ? { command: "cmd", args: ["/c", ...npx] } : { command: npx[0], args: npx.slice(1) };
}

function packageRoot(): string {
  return dirname(fileURLToPath(new URL("../../../package.json", import.meta.url)));
}
