import { resolve } from "node:path";
import type { Compass } from "../../compass/compass.ts";
import { dataHome } from "../../config/load.ts";
import { type Config, TOOL_PROFILES } from "../../config/schema.ts";
import { version } from "../../config/version.ts";
import { CompassError } from "../../model/errors.ts";
import { type Call, type CommandSpec, WALK_FLAGS } from "../command.ts";
import { configOf } from "../session.ts";
import { toolSettings } from "../settings.ts";

export default {
  name: "serve-mcp",
  summary: "Start the MCP server",
  group: "Commands:",
  flags: [
    { flags: "--transport <transport>", doc: "how clients reach it", choices: ["stdio", "http"], default: "stdio" },
    {
      flags: "--workspace <dir>",
      doc: "register and serve this workspace; the first is the default one",
      repeatable: true,
    },
    { flags: "--path <dir>", doc: "the same as --workspace", repeatable: true },
    { flags: "--tools <profile>", doc: "which tools to list", choices: TOOL_PROFILES },
    { flags: "--no-prewarm", doc: "do not open the index before the first question" },
    ...WALK_FLAGS,
    { flags: "--status-words <words>", doc: "vocabulary of health_check", hidden: true },
  ],
  examples: ["serve-mcp", "serve-mcp --workspace ~/work/api --workspace ~/work/web"],

  async run(call) {
    if (call.flags.transport === "http") throw new CompassError("invalid_input", { reason: HTTP_LATER });
    const workspaces = workspacesOf(call);
    const statusWords = call.flags.statusWords === "health" ? "health" : "readiness";
    // Read by the first tool call: a client that only probes must not wait for the disk.
    const config = () => configOf(call, workspaces[0] ?? call.cwd).config;
    const { serveStdio } = await import("../../mcp/stdio.ts");
    await serveStdio({
      open: async () => open(call, workspaces, config()),
      settings: async () => ({ ...toolSettings(config()), statusWords }),
      profile: async () => profileOf(config),
      version: version(),
      signal: call.signal,
    });
    return 0;
  },
} satisfies CommandSpec;

async function open(call: Call, workspaces: readonly string[], settings: Config): Promise<Compass> {
  const { openCompass } = await import("../../compose/compose.ts");
  return openCompass({
    home: dataHome(call.env),
    workspaces,
    defaultWorkspace: call.cwd,
    settings,
    watch: settings["server.watch"],
  });
}

/** A configuration that cannot be read is the first tool call's error, not a reason to list nothing. */
function profileOf(config: () => Config): Config["server.tools"] {
  try {
    return config()["server.tools"];
  } catch {
    return "full";
  }
}

const HTTP_LATER = "--transport http is not available in this version; use --transport stdio";

function workspacesOf({ flags, cwd }: Call): string[] {
  const named = [flags.workspace, flags.path].flatMap((list) => (Array.isArray(list) ? (list as string[]) : []));
  return named.map((path) => resolve(cwd, path));
}
