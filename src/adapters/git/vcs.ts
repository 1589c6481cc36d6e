/**
 * Version control by the git command line, for the questions that files alone do not answer. Never a shell; refs come
 * after `--end-of-options`; nothing that a repository's configuration names is ever started.
 */
import { execFile } from "node:child_process";
import type { Head, Vcs } from "../../ports/vcs.ts";
import { isObjectId, readHead } from "./head.ts";
import { locate } from "./locate.ts";

export function gitVcs(): Vcs {
  return {
    async repository(path) {
      const found = locate(path);
      return found && { root: found.root, commonDir: found.commonDir };
    },
    head,
    defaultBranch,
    resolve,
  };
}

async function head(root: string): Promise<Head | undefined> {
  const repository = locate(root);
  if (repository === undefined) return undefined;
  const found = readHead(repository);
  return found === "later" ? headByGit(root) : found;
}

async function headByGit(root: string): Promise<Head> {
  const branch = await git(root, ["symbolic-ref", "--quiet", "--short", "HEAD"]);
  const commit = await resolve(root, "HEAD");
  return { ...(branch && { branch }), ...(commit && { commit }) };
}

async function defaultBranch(root: string): Promise<string | undefined> {
  if (locate(root) === undefined) return undefined;
  const remote = await git(root, ["symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"]);
  if (remote) return remote.replace(/^origin\//, "");
  for (const name of ["main", "master"]) {
    if (await resolve(root, `refs/heads/${name}`)) return name;
  }
  return (await head(root))?.branch;
}

async function resolve(root: string, ref: string): Promise<string | undefined> {
  // A NUL cannot be an argument; an empty ref is none.
  if (ref === "" || ref.includes("\0")) return undefined;
  const commit = await git(root, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`]);
  return commit !== undefined && isObjectId(commit) ? commit : undefined;
}

const HARMLESS = [
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  "core.sshCommand=false",
  "credential.helper=",
  "protocol.allow=never",
];
const TIMEOUT_MS = 10_000;

/** The trimmed answer of one git command; undefined when git refuses or is not installed. */
function git(root: string, args: readonly string[]): Promise<string | undefined> {
  const settings = HARMLESS.flatMap((setting) => ["-c", setting]);
  return new Promise((answer) => {
    execFile(
      "git",
      ["--no-pager", "-C", root, ...settings, ...args],
      { encoding: "utf8", timeout: TIMEOUT_MS, env: cleanEnvironment(), windowsHide: true },
      (error, stdout) => answer(error ? undefined : stdout.trim()),
    );
  });
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
