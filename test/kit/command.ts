/** Runs the command line as a real process and returns its output and exit code. */
import { spawn } from "node:child_process";
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
  let out = "";
  let err = "";
  child.stdout.on("data", (data) => {
    out += data;
  });
  child.stderr.on("data", (data) => {
    err += data;
  });
  onStart?.(child);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, out, err, json: () => JSON.parse(out) }));
  });
}
