/**
 * Runs the command line in the process of the test, for tests about answers rather than processes: to start Node and to
 * load the program takes 0.2 s of CPU for each command. The code is the build that the processes run. What a process
 * would inherit (another PATH, a failpoint, flags of Node) and what a test does to it still make a process.
 */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Terminal } from "../../src/cli/command.ts";
import type { runCommand } from "../../src/cli/main.ts";
import { safeOutput } from "../../src/cli/render/style.ts";
import { type CommandResult, type RunOptions, codecompass as startCommand } from "./command.ts";
import { MAIN } from "./main.ts";

/** What a sandbox sets. Files of the user are looked for there. */
const OWN = [
  ...["CODECOMPASS_HOME", "HOME", "NO_COLOR", "GIT_CONFIG_GLOBAL"],
  ...["XDG_CONFIG_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR"],
];
/** These write down or start the program that they are; `install` names the package and the same Node. */
const OF_ITSELF = ["daemon", "hooks", "serve-mcp"];
const COLUMNS = 400;

let loaded: { readonly runCommand: typeof runCommand } | undefined;
let running = 0;

export async function codecompass(args: readonly string[], options: RunOptions): Promise<CommandResult> {
  const { cwd, env, onStart } = options;
  const names = [...new Set([...Object.keys(env), ...Object.keys(process.env)])];
  const differs = names.some((name) => !OWN.includes(name) && env[name] !== process.env[name]);
  const needsProcess = onStart !== undefined || differs || OF_ITSELF.includes(args[0] ?? "");
  if (needsProcess || MAIN.endsWith(".ts")) return startCommand(args, options);
  // By Node itself: a test runner would take the bundle apart.
  loaded ??= createRequire(import.meta.url)(join(dirname(MAIN), "cli", "main.js"));
  let out = "";
  let err = "";
  const safe = (text: string) => safeOutput(text, { colour: false });
  const write = (text: string) => {
    out += safe(text);
  };
  const terminal: Terminal = {
    out: write,
    err: (text) => {
      err += safe(text);
    },
    matches: (text) => {
      out += text;
    },
    outIsTty: false,
    colour: false,
    errIsTty: false,
    columns: COLUMNS,
  };
  const leave = enter(env);
  try {
    const { signal } = new AbortController();
    const code = await loaded!.runCommand(args, { terminal, signal, env, cwd });
    return { code, out, err, json: () => JSON.parse(out) };
  } finally {
    leave();
  }
}

/** git and the rules of ignored files read the process's own environment. Commands that run at once share a sandbox. */
function enter(env: NodeJS.ProcessEnv): () => void {
  const before = Object.fromEntries(OWN.map((name) => [name, process.env[name]]));
  if (running++ > 0 && before.HOME !== env.HOME) throw new Error("two sandboxes at once");
  if (running === 1) original = before;
  apply(env);
  return () => {
    if (--running === 0) apply(original);
  };
}

let original: NodeJS.ProcessEnv = {};

function apply(env: NodeJS.ProcessEnv): void {
  for (const name of OWN.slice(1)) {
    if (env[name] === undefined) delete process.env[name];
    else process.env[name] = env[name];
  }
}
