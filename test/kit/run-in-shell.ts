/** Runs the command line from a shell that first changes what a process inherits: umask, limits, permissions. */
import { spawn } from "node:child_process";
import type { CommandResult } from "./command.ts";
import { MAIN } from "./main.ts";

export function runInShell(
  prepare: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  through: readonly string[] = [],
): Promise<CommandResult> {
  const command = [...through, process.execPath, MAIN, ...args];
  const child = spawn("sh", ["-c", `${prepare}; exec "$@"`, "sh", ...command], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  let err = "";
  child.stdout.on("data", (data) => {
    out += data;
  });
  child.stderr.on("data", (data) => {
    err += data;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, out, err, json: () => JSON.parse(out) }));
  });
}
