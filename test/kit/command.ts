/** Runs the command line as a real process and returns its output and exit code. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { MAIN } from "./main.ts";

export interface CommandResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read replies as they come
  json(): any;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Called with the process, for example to signal it. */
  readonly onStart?: (child: ReturnType<typeof spawn>) => void;
}

export function codecompass(args: readonly string[], { cwd, env, onStart }: RunOptions): Promise<CommandResult> {
  const child = spawn(process.execPath, [MAIN, ...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const ended = resultOf(child);
  onStart?.(child);
  return ended;
}

/** From a shell that first changes what a process inherits (umask, limits), optionally through another program. */
export function runInShell(
  prepare: string,
  args: readonly string[],
  { cwd, env }: RunOptions,
  through: readonly string[] = [],
): Promise<CommandResult> {
  const command = ["-c", `${prepare}; exec "$@"`, "sh", ...through, process.execPath, MAIN, ...args];
  return resultOf(spawn("sh", command, { cwd, env, stdio: ["ignore", "pipe", "pipe"] }));
}

function resultOf(child: ChildProcessByStdio<null, Readable, Readable>): Promise<CommandResult> {
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
