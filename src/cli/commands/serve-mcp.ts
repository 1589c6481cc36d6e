import { existsSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, resolve } from "node:path";
import type { Compass } from "../../compass/compass.ts";
import type { Discovery } from "../../compass/ports.ts";
import { dataHome } from "../../config/data-home.ts";
import { repositoryRoot } from "../../config/load.ts";
import { version } from "../../config/manifest.ts";
import { type Config, toolSettings } from "../../config/schema.ts";
import { withSlashes } from "../../io/file-names.ts";
import { userHome } from "../../io/home.ts";
import { DEFAULT_SURFACE, type Surface } from "../../mcp/handshake.ts";
import type { HttpOptions } from "../../mcp/http/serve.ts";
import { CompassError } from "../../model/errors.ts";
import { FORMATS, type Format } from "../../model/status.ts";
import { parseSelectors } from "../../model/workspace-selector.ts";
import { type Call, type CommandSpec, type ExitCode, MODEL_FLAG, WALK_FLAGS } from "../command.ts";
import { isDirectory, loadCommandConfig } from "../session.ts";

const DEFAULT_PORT = "9100";
const DEFAULT_BIND = "127.0.0.1";
const MOST_AUTO_WORKSPACES = "10";

export default {
  name: "serve-mcp",
  summary: "Start the MCP server",
  group: "Commands:",
  flags: [
    { flags: "--transport <transport>", doc: "Transport", choices: ["stdio", "http"], default: "stdio" },
    { flags: "--port <port>", doc: "HTTP port; 0 picks a free port", default: DEFAULT_PORT },
    { flags: "--bind <address>", doc: "HTTP address to listen on", default: DEFAULT_BIND },
    {
      flags: "--token <token>",
      doc: "Bearer token that HTTP clients must send (or CODECOMPASS_TOKEN); required unless --bind is a loopback address",
    },
    {
      flags: "--metrics-token <token>",
      doc: "Bearer token of GET /metrics (or CODECOMPASS_METRICS_TOKEN); default: --token. Required with --access principals",
    },
    {
      flags: "--allowed-host <name>",
      doc: "Additional host name that HTTP clients may use for this server",
      repeatable: true,
    },
    {
      flags: "--workspace <dir>",
      doc: "Register and serve this workspace; the first one is the default",
      repeatable: true,
    },
    { flags: "--path <dir>", doc: "Alias of --workspace", repeatable: true },
    { flags: "--auto-workspace", doc: "Index workspaces on demand when a call names them; requires --allowed-root" },
    { flags: "--allowed-root <dir>", doc: "Directory that may contain on-demand workspaces", repeatable: true },
    {
      flags: "--max-auto-workspaces <n>",
      doc: "Maximum number of on-demand workspaces; the least recently used one is dropped",
      default: MOST_AUTO_WORKSPACES,
    },
    {
      flags: "--access <who>",
      doc: "HTTP access control: one token for everything, or the shared store's principals, each limited to its repositories",
      choices: ["token", "principals"],
    },
    {
      flags: "--ui",
      doc: "Also serve the page for people at GET /, with the same access rules; requires --transport http",
    },
    { flags: "--tools <list>", doc: "Tools to list: core, all, or names with commas (default: all)" },
    { flags: "--format <format>", doc: "Form of answers: json, or text for models (default: json)", choices: FORMATS },
    { flags: "--no-prewarm", doc: "Do not open the index before the first tool call" },
    MODEL_FLAG,
    ...WALK_FLAGS,
    { flags: "--status-words <words>", doc: "vocabulary of health_check", hidden: true },
  ],
  examples: [
    "serve-mcp",
    "serve-mcp --workspace ~/work/api --workspace ~/work/web",
    "serve-mcp --transport http --auto-workspace --allowed-root ~/work",
    "serve-mcp --transport http --store postgres://reader@db/codecompass --workspace github.com/acme/api",
  ],

  run: (call) => serve(call, call.flags.ui === true ? { page: {} } : {}),
} satisfies CommandSpec;

/** The page, where it is served, and what to do when the server listens. */
export interface PageServing extends Pick<HttpOptions, "page"> {
  readonly onReady?: (url: string) => void;
}

export async function serve(call: Call, page: PageServing): Promise<ExitCode> {
  await checkTools(call.flags.tools);
  const named = servedWorkspaces(call);
  const discovery = parseDiscovery(call);
  const statusWords = call.flags.statusWords === "health" ? "health" : "readiness";
  const workspaces = () => (named.length > 0 || statusWords !== "health" ? named : ownWorkspace(call));
  // Read by the first tool call: a client that only probes must not wait for the disk.
  const config = () => loadCommandConfig(call, workspaces().find((path) => isAbsolute(path)) ?? call.cwd).config;
  const serving = {
    open: async () => open(call, { workspaces: workspaces(), discovery, settings: config() }),
    settings: async () => ({ ...toolSettings(config()), statusWords }) as const,
    surface: async () => readSurface(config, call.flags.format as Format | undefined),
    version: version(),
    signal: call.signal,
  };
  if (call.flags.transport === "http") {
    const { serveOverHttp } = await import("../serve-http.ts");
    // HTTP clients do not probe, so an unreadable configuration is reported at once.
    const principals = await openAuth(config(), discovery);
    for (const path of named.filter((one) => isAbsolute(one) && !isDirectory(one)))
      call.terminal.err(`codecompass: --workspace ${path} is not a directory; calls are refused until it is\n`);
    const prewarm = config()["server.prewarm"];
    await serveOverHttp(call, { ...serving, ...page, prewarm, ...(principals && { principals }) });
  } else {
    if (page.page !== undefined) throw refusal("--ui", "requires --transport http");
    const { serveStdio } = await import("../../mcp/stdio.ts");
    await serveStdio(serving);
  }
  return 0;
}

/** Per-principal tokens require a shared store and exclude on-demand workspaces. */
async function openAuth(settings: Config, discovery: Discovery | undefined): Promise<HttpOptions["principals"]> {
  if (settings["server.access"] !== "principals") return undefined;
  if (settings.store === "") throw refusal("--access", "principals require a shared store: pass --store");
  if (discovery !== undefined) throw refusal("--auto-workspace", "cannot be combined with --access principals");
  const { openPrincipalAuth } = await import("../../compose/principals.ts");
  return openPrincipalAuth(settings.store, settings.read_store);
}

interface ServerSetup {
  readonly workspaces: readonly string[];
  readonly discovery: Discovery | undefined;
  readonly settings: Config;
}

async function open(call: Call, { workspaces, discovery, settings }: ServerSetup): Promise<Compass> {
  const { openCompass } = await import("../../compose/compose.ts");
  const { boundGarbage } = await import("../../compose/garbage-collection.ts");
  boundGarbage();
  const guarded = settings["server.access"] === "principals";
  if (guarded && call.flags.transport !== "http") throw refusal("--access", "principals require --transport http");
  return openCompass({
    home: dataHome(call.env),
    workspaces,
    defaultWorkspace: call.cwd,
    settings,
    watch: settings["server.watch"],
    readers: call.flags.transport === "http" ? "all" : "large_views",
    guarded,
    ...(discovery !== undefined && { discovery }),
  });
}

/** A configuration that cannot be read is the first tool call's error, not a reason to list nothing. */
function readSurface(config: () => Config, format: Format | undefined): Surface {
  try {
    return { tools: config()["server.tools"], format: format ?? config()["server.format"] };
  } catch {
    return { ...DEFAULT_SURFACE, ...(format && { format }) };
  }
}

/** Loading the tools takes longer than a handshake may, so that the words of `install` are not looked up. */
async function checkTools(words: unknown): Promise<void> {
  if (typeof words !== "string" || /^(core|all|full|codecompass|cc)$/.test(words)) return;
  const { listTools } = await import("../../tools/index.ts");
  listTools(words);
}

function servedWorkspaces({ flags, cwd }: Call): string[] {
  return [...flagList(flags.workspace), ...flagList(flags.path)].map((path) => {
    const [word] = parseSelectors(path);
    const isName = word!.kind === "name" || (word!.kind === "either" && !existsSync(resolve(cwd, path)));
    return isName ? path : resolve(cwd, path);
  });
}

/**
 * `--serve` is started without a word about workspaces, in the directory of a project: that one is served. A home
 * directory or the root of a disk is none; then calls name registered ones.
 */
function ownWorkspace({ cwd, env }: Call): string[] {
  const tree = [repositoryRoot(cwd), cwd].find((path) => path !== dirname(path) && path !== (env.HOME || userHome()));
  return tree === undefined ? [] : [tree];
}

/** Refuses to start with missing roots: a typo must not change what is accessible. */
function parseDiscovery({ flags, cwd }: Call): Discovery | undefined {
  const most = Number(flags.maxAutoWorkspaces);
  if (!Number.isInteger(most) || most < 1) throw refusal("--max-auto-workspaces", "must be a whole number, at least 1");
  const allowedRoots = flagList(flags.allowedRoot).map((path) => realRoot(resolve(cwd, path)));
  if (flags.autoWorkspace !== true) return undefined;
  if (allowedRoots.length === 0) throw refusal("--auto-workspace", "needs at least one --allowed-root");
  return { allowedRoots, most };
}

function realRoot(path: string): string {
  if (!isDirectory(path)) throw refusal("--allowed-root", `${path} is not a directory`);
  return withSlashes(realpathSync.native(path));
}

function refusal(parameter: string, reason: string): CompassError {
  return new CompassError("invalid_input", { parameter, reason: `${parameter}: ${reason}` });
}

function flagList(flag: unknown): readonly string[] {
  return Array.isArray(flag) ? (flag as string[]) : [];
}
