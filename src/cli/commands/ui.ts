/** `codecompass ui`: the page in the browser. It is `serve-mcp --transport http --ui` on loopback with a token of its own. */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { repositoryRoot } from "../../config/load.ts";
import { type Call, type CommandSpec, WALK_FLAGS, WORKSPACE_ARGUMENT, WORKSPACE_FLAGS } from "../command.ts";
import { isDirectory, workspaceDirectory } from "../session.ts";
import { serve } from "./serve-mcp.ts";

export default {
  name: "ui",
  summary: "Open the page for people in the browser",
  group: "Commands:",
  argument: WORKSPACE_ARGUMENT,
  flags: [
    { flags: "--port <port>", doc: "Port; 0 picks a free one", default: "0" },
    { flags: "--no-open", doc: "Print the address and do not open a browser" },
    ...WORKSPACE_FLAGS,
    ...WALK_FLAGS,
  ],
  examples: ["ui", "ui ~/work/api", "ui --no-open --port 9200"],

  run(call) {
    const [token, bearer] = [randomBytes(24).toString("base64url"), randomBytes(32).toString("base64url")];
    const flags = { ...call.flags, access: "token", token: bearer, bind: "127.0.0.1", maxAutoWorkspaces: "1" };
    const onReady = (url: string) => announce(call, `${url}#token=${token}`);
    return serve(
      { ...call, flags: { ...flags, transport: "http", workspace: [shownWorkspace(call)], path: undefined } },
      { page: { launch: { token, bearer } }, onReady },
    );
  },
} satisfies CommandSpec;

/** The repository around a directory, or the name of one in the shared store. */
function shownWorkspace(call: Call): string {
  const given = call.flags.path ?? call.flags.workspace;
  if (typeof given === "string" && call.globals.store !== undefined && !isDirectory(given)) return given;
  return repositoryRoot(workspaceDirectory(call));
}

function announce({ terminal, env, flags }: Call, url: string): void {
  terminal.out(`${url}\n`);
  terminal.err("codecompass: the address works once, in one browser; press Ctrl-C to stop\n");
  if (flags.open === false) return;
  const command = browserCommand(env, url);
  if (command === undefined) {
    terminal.err("codecompass: no display was found, so no browser was opened\n");
    return;
  }
  const [program, ...words] = command;
  const child = spawn(program!, words, { stdio: "ignore", detached: true });
  child.on("error", () => terminal.err(`codecompass: ${program} could not be started; open the address yourself\n`));
  child.unref();
}

function browserCommand(env: Call["env"], url: string): readonly string[] | undefined {
  if (process.platform === "darwin") return ["open", url];
  if (process.platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler", url];
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ["xdg-open", url] : undefined;
}
