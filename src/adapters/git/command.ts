/**
 * The git command line. Never a shell; refs come after `--end-of-options`; nothing that a repository's configuration
 * names is ever started, nothing is fetched, and git's own index is not written to.
 */
import { execFile, spawn } from "node:child_process";
import { afterAwake } from "../../model/awake-timer.ts";
import { nextTurn } from "../../model/pace.ts";

const HARMLESS = [
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  "core.sshCommand=false",
  "credential.helper=",
  "protocol.allow=never",
];
const TIMEOUT_MS = 10_000;
const MOST_OUTPUT_BYTES = 256 << 20;

/** The trimmed answer of one git command; undefined when git refuses or is not installed. */
export async function git(root: string, args: readonly string[]): Promise<string | undefined> {
  return (await gitOutput(root, args))?.toString("utf8").trim();
}

/** The same as bytes, for answers that part their fields with NUL. */
export function gitOutput(root: string, args: readonly string[]): Promise<Buffer | undefined> {
  return run(argumentsOf(root, args));
}

/** What a git process with these arguments says; undefined when it refuses or cannot be started. */
export type RunGit = (args: readonly string[]) => Promise<Buffer | undefined>;

let run: RunGit = runHere;

/** From now on somebody else starts the processes of this thread that answer once. */
export function startBy(other: RunGit): void {
  run = other;
}

export async function runHere(args: readonly string[]): Promise<Buffer | undefined> {
  // To start a process takes a large one 10 ms and more: of all who ask for it, each has a turn of its own.
  await nextTurn();
  return new Promise((answer) => {
    // Not `timeout` of execFile: if this process is stopped meanwhile, that discards the output of a git that has ended
    // well, and reports success with what is left of it.
    const timer = afterAwake(TIMEOUT_MS, () => child.kill());
    const child = execFile(
      "git",
      args,
      { encoding: "buffer", maxBuffer: MOST_OUTPUT_BYTES, env: cleanEnvironment(), windowsHide: true },
      (error, stdout) => {
        clearInterval(timer);
        answer(error ? undefined : stdout);
      },
    );
  });
}

/** A git process that is written to; the caller ends it. */
export function gitProcess(root: string, args: readonly string[]) {
  return spawn("git", argumentsOf(root, args), {
    env: cleanEnvironment(),
    stdio: ["pipe", "pipe", "ignore"],
    windowsHide: true,
  });
}

function argumentsOf(root: string, args: readonly string[]): string[] {
  return ["--no-pager", "-C", root, ...HARMLESS.flatMap((setting) => ["-c", setting]), ...args];
}

/** Without the variables by which a hook or a parent git would point us at another repository. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^GIT_(?!CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM)$)/.test(name),
  );
  return {
    ...Object.fromEntries(kept),
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    GIT_NO_LAZY_FETCH: "1",
    LC_ALL: "C",
  };
}
