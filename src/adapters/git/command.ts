/**
 * Starts every git process. Configuration, attributes and hooks of a repository are untrusted, so git runs with settings
 * and an environment under which none of them starts a program and nothing is fetched. docs/git-safety.md lists every
 * setting that can start a program and what disables it. Never a shell; refs come after `--end-of-options`; the index of
 * the repository is not written.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { BroadcastChannel, isMainThread } from "node:worker_threads";
import { afterAwake, nextTurn } from "../../model/event-loop.ts";
import type { RepositoryRefusal } from "../../ports/vcs.ts";
import { locateRepository } from "./repository-files.ts";
import { canRunGit } from "./special-files.ts";

/** The command line is read last, so these override the configuration of the repository. */
const OVERRIDES = [
  // Empty: git before 2.36 takes any other value, including "false", for the path of a program.
  "core.fsmonitor=",
  "core.hooksPath=/dev/null",
  "core.sshCommand=false",
  "core.askPass=false",
  "core.alternateRefsCommand=false",
  "credential.helper=",
  "protocol.allow=never",
  // Git starts another git process in a submodule, which does not inherit these settings.
  "submodule.recurse=false",
];
const TIMEOUT_MS = 10_000;
const MOST_OUTPUT_BYTES = 256 << 20;

/** The trimmed output of a git command; undefined when git fails or is not installed. */
export async function git(root: string, args: readonly string[]): Promise<string | undefined> {
  return (await gitOutput(root, args))?.toString("utf8").trim();
}

/** The same as bytes, for NUL-separated output. */
export async function gitOutput(root: string, args: readonly string[]): Promise<Buffer | undefined> {
  return canRunGit(root) ? run(gitArguments(root, args)) : undefined;
}

/** Runs git with these arguments; undefined when it fails or cannot be started. */
export type RunGit = (args: readonly string[]) => Promise<Buffer | undefined>;

let run: RunGit = runHere;

/** Runs one-shot git commands of this thread elsewhere from now on. */
export function delegateGitRuns(other: RunGit): void {
  run = other;
}

export async function runHere(args: readonly string[]): Promise<Buffer | undefined> {
  // Starting a process blocks a large parent for 10 ms and more, so concurrent calls yield in between.
  await nextTurn();
  return new Promise((answer) => {
    // Not the `timeout` of execFile: if this process is suspended meanwhile, that truncates the output of a git that has
    // finished and still reports success.
    const timer = afterAwake(TIMEOUT_MS, () => child.kill());
    const child = execFile(
      gitProgram(),
      args,
      { encoding: "buffer", maxBuffer: MOST_OUTPUT_BYTES, env: gitEnvironment(), windowsHide: true },
      (error, stdout) => {
        clearInterval(timer);
        answer(error ? undefined : stdout);
      },
    );
    track(child);
  });
}

/** The error output of a git command, empty if git is missing; undefined when it succeeds. */
export async function gitComplaint(root: string, args: readonly string[]): Promise<string | undefined> {
  if (!canRunGit(root)) return undefined;
  const options = { timeout: TIMEOUT_MS, env: gitEnvironment(), windowsHide: true };
  return new Promise((answer) => {
    const child = execFile(gitProgram(), gitArguments(root, args), options, (error, _, stderr) =>
      answer(error === null ? undefined : stderr.trim()),
    );
    track(child);
  });
}

/** Starts a git process with open pipes; the caller ends it. Undefined if git must not be started. */
export function gitProcess(root: string, args: readonly string[]) {
  if (!canRunGit(root)) return undefined;
  const child = spawn(gitProgram(), gitArguments(root, args), {
    env: gitEnvironment(),
    stdio: ["pipe", "pipe", "ignore"],
    windowsHide: true,
  });
  track(child);
  return child;
}

/** Pids of running git processes of all threads. */
const running = new Set<number>();
const CHANNEL = "codecompass git processes";

let endsAtExit = false;

type Tracked = readonly [event: "started" | "ended", pid: number];

/**
 * Kills git processes when this process exits; called by the main thread. A git process that blocks on a file does not
 * notice closed pipes. Other threads report their processes, because they end without a chance to clean up.
 */
export function endGitAtExit(): void {
  if (endsAtExit) return;
  endsAtExit = true;
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = (message) => note((message as { readonly data: Tracked }).data);
  channel.unref();
  process.once("exit", () => {
    for (const pid of running) endProcess(pid);
  });
}

function endProcess(pid: number): void {
  try {
    process.kill(pid);
  } catch {
    // It has ended already.
  }
}

let toMain: BroadcastChannel | undefined;

function track(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  report(["started", pid]);
  child.once("exit", () => report(["ended", pid]));
}

function report(tracked: Tracked): void {
  if (isMainThread) {
    note(tracked);
    return;
  }
  if (toMain === undefined) {
    toMain = new BroadcastChannel(CHANNEL);
    toMain.unref();
  }
  toMain.postMessage(tracked);
}

function note([event, pid]: Tracked): void {
  if (event === "started") running.add(pid);
  else running.delete(pid);
}

function gitArguments(root: string, args: readonly string[]): string[] {
  return ["--no-pager", "-C", root, ...OVERRIDES.flatMap((setting) => ["-c", setting]), ...args];
}

/**
 * Filters and hooks have names that the repository chooses, so they are listed before a command that could start one.
 * Returns options that disable each of them, to be put before the command; undefined when git cannot list them.
 */
export async function withoutNamedPrograms(root: string): Promise<readonly string[] | undefined> {
  // Our own setting ensures a match: git fails both when it finds nothing and when it cannot read the configuration.
  const own = ["-c", "hook.codecompass.enabled=false"];
  const found = await git(root, [...own, "config", "-z", "--name-only", "--get-regexp", "^(filter|hook)\\."]);
  if (found === undefined) return undefined;
  const names = new Set(found.split("\0").flatMap((key) => /^(?:filter|hook)\..+(?=\.)/s.exec(key) ?? []));
  return [...names].flatMap((name) =>
    name.startsWith("hook.")
      ? setting(`${name}.enabled`)
      : ["clean", "smudge", "process", "required"].flatMap((key) => setting(`${name}.${key}`)),
  );
}

const EMPTY_VARIABLE = "CODECOMPASS_EMPTY";

/** Sets to empty. `-c` ends the name at the first `=`; git before 2.31 has no other way and fails. */
function setting(name: string): readonly string[] {
  return name.includes("=") ? [`--config-env=${name}=${EMPTY_VARIABLE}`] : ["-c", `${name}=`];
}

/**
 * Drops the variables by which a hook or a parent git would point to another repository. `GIT_ALLOW_PROTOCOL` lists the
 * allowed transports and, unlike `protocol.allow`, is not overridden by `protocol.<name>.allow` of a repository: `/` is
 * the name of none. A git that knows `GIT_NO_LAZY_FETCH` does not even try to fetch.
 */
function gitEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^GIT_(?!CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM)$)/i.test(name),
  );
  return {
    ...Object.fromEntries(kept),
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ALLOW_PROTOCOL: "/",
    GIT_NO_LAZY_FETCH: "1",
    LC_ALL: "C",
    [EMPTY_VARIABLE]: "",
  };
}

let found: { readonly path: string; readonly git: string } | undefined;

/** From an absolute entry of PATH: Windows, and a PATH with an empty entry, would run a git from the repository. */
function gitProgram(): string {
  // Windows spells it `Path`, and in a thread the environment is case-sensitive.
  const path = process.env.PATH ?? process.env.Path ?? "";
  if (found?.path === path) return found.git;
  const file = process.platform === "win32" ? "git.exe" : "git";
  const candidates = path.split(delimiter).filter(isAbsolute);
  // Without git, a path that does not exist, so that starting it fails.
  const git =
    candidates.map((directory) => join(directory, file)).find(isExecutable) ?? join("/", "no-git-in-path", file);
  found = { path, git };
  return git;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const pendingChecks = new Map<string, Promise<RepositoryRefusal | undefined>>();

/** Why git refuses to read a repository; undefined if there is none or git reads it. Concurrent calls share one check. */
export function refusal(root: string): Promise<RepositoryRefusal | undefined> {
  const check = pendingChecks.get(root) ?? checked(root).finally(() => pendingChecks.delete(root));
  pendingChecks.set(root, check);
  return check;
}

async function checked(root: string): Promise<RepositoryRefusal | undefined> {
  if (locateRepository(root) === undefined || (await git(root, READS)) !== undefined) return undefined;
  const complaint = await gitComplaint(root, READS);
  return complaint === undefined ? undefined : inWords(complaint);
}

/** Reads only what identifies a repository. */
const READS = ["rev-parse", "--git-dir"];

/**
 * A repository of another user may be a trap. We respect git's refusal: we neither read the objects without git nor set
 * `safe.directory`, which only the user may decide.
 */
function inWords(complaint: string): RepositoryRefusal {
  if (complaint === "") {
    return {
      cause: "refused",
      reason: "git cannot be started",
      suggestion: "Install git, or put the directory of the git program on PATH.",
    };
  }
  if (/dubious ownership|unsafe repository/.test(complaint)) {
    const allow = /git config --global --add safe\.directory .+/.exec(complaint)?.[0];
    return {
      cause: "refused",
      reason: "git refuses to read the repository because it belongs to another user",
      suggestion: `Run codecompass as the user that owns it. If you trust the repository, allow it: ${allow ?? "see what `git status` says there"}`,
    };
  }
  const [line = ""] = complaint.split("\n");
  return {
    cause: "refused",
    reason: `git cannot read the repository: ${line.replace(/^fatal: /, "")}`,
    suggestion: "Run `git status` in it and do what git says.",
  };
}
