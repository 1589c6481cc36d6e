/** Installs git hooks as a marked block. The user may have added other code to the file since. */
import { chmodSync, lstatSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { readBounded, SMALL_FILE_BYTES } from "../../io/bounded-read.ts";
import { makeDirectories } from "../../io/make-directories.ts";
import { replaceFile } from "../../io/replace-file.ts";
import { CompassError } from "../../model/errors.ts";
import type { HookOutcome, HookReport, Hooks } from "../../ports/vcs.ts";
import { git, refusal } from "./command.ts";
import { locateRepository } from "./repository-files.ts";

/** Each runs after HEAD has moved. */
const HOOKS = ["post-checkout", "post-commit", "post-merge", "post-rewrite"];

const SHELL = "#!/bin/sh\n";
const BEGIN = "# >>> codecompass >>>\n";
const END = "# <<< codecompass <<<\n";
/** Noted in the file, so that uninstalling also removes the directory. */
const MADE_DIRECTORY = "# The directory was made with it.\n";

export function gitHooks(): Hooks {
  return {
    install: (root, command) => inHooksDirectory(root, (directory) => installAll(directory, command)),
    uninstall: (root) => inHooksDirectory(root, uninstallAll),
  };
}

async function inHooksDirectory(
  root: string,
  run: (directory: string) => HookOutcome[],
): Promise<HookReport | undefined> {
  const repository = locateRepository(root);
  if (repository === undefined) return undefined;
  // If git refuses the repository, it does not report its hooks directory either.
  const refused = await refusal(root);
  if (refused !== undefined) throw new CompassError("workspace_not_allowed", { workspace: root, ...refused });
  const configured = await configuredPath(root);
  const directory =
    configured === undefined ? join(repository.commonDir, "hooks") : resolve(repository.root, configured);
  const shared = configured !== undefined && relative(repository.root, directory).startsWith("..");
  return { directory, shared, hooks: run(directory) };
}

/** The last value is our own override, which disables hooks for our commands. */
async function configuredPath(root: string): Promise<string | undefined> {
  const values = (await git(root, ["config", "--type=path", "--get-all", "core.hooksPath"]))?.split("\n") ?? [];
  const path = values.at(-2);
  return path === undefined || path === "" ? undefined : path;
}

function installAll(directory: string, command: readonly string[]): HookOutcome[] {
  const made = makeDirectories(directory) !== undefined;
  return HOOKS.map((hook) => {
    const file = join(directory, hook);
    const before = read(file);
    if (before === "foreign") return { hook, outcome: "kept" };
    const [start, end] = blockIn(before ?? "");
    if (before !== undefined && start < 0) return { hook, outcome: "kept" };
    const block = hookBlock(command, made || (before?.includes(MADE_DIRECTORY) ?? false));
    const after = before === undefined ? SHELL + block : before.slice(0, start) + block + before.slice(end);
    if (after === before) return { hook, outcome: "present" };
    write(file, after);
    return { hook, outcome: before === undefined ? "installed" : "updated" };
  });
}

function uninstallAll(directory: string): HookOutcome[] {
  let made = false;
  const outcomes = HOOKS.map((hook): HookOutcome => {
    const file = join(directory, hook);
    const before = read(file);
    if (before === undefined) return { hook, outcome: "absent" };
    const [start, end] = before === "foreign" ? [-1, -1] : blockIn(before);
    if (start < 0) return { hook, outcome: "kept" };
    made ||= before.includes(MADE_DIRECTORY);
    const left = before.slice(0, start) + before.slice(end);
    if (left === SHELL) rmSync(file);
    else write(file, left);
    return { hook, outcome: "removed" };
  });
  if (made) removeEmpty(directory);
  return outcomes;
}

/** Undefined if the file does not exist; `foreign` if it is not a regular file. */
function read(file: string): string | undefined {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  // Latin-1 keeps the bytes around our block as they are.
  const content = stats.isFile() ? readBounded(file, SMALL_FILE_BYTES) : undefined;
  return content !== undefined && "bytes" in content ? content.bytes.toString("latin1") : "foreign";
}

function write(file: string, text: string): void {
  const draft = `${file}.codecompass-${process.pid}`;
  rmSync(draft, { force: true });
  writeFileSync(draft, text, { encoding: "latin1", mode: 0o755, flag: "wx" });
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats !== undefined) chmodSync(draft, stats.mode & 0o777);
  replaceFile(draft, file);
}

function blockIn(text: string): [start: number, end: number] {
  const start = text.indexOf(BEGIN);
  const end = start < 0 ? -1 : text.indexOf(END, start);
  return end < 0 ? [-1, -1] : [start, end + END.length];
}

/** Runs in the background without output, because git waits for hooks and prints what they write. */
function hookBlock(command: readonly string[], made: boolean): string {
  const words = command.map((word) => `'${Buffer.from(word).toString("latin1").replaceAll("'", "'\\''")}'`);
  const lines = [
    "# Added by `codecompass hooks install`; `codecompass hooks uninstall` takes it away.\n",
    made ? MADE_DIRECTORY : "",
    `(${words.join(" ")} </dev/null >/dev/null 2>&1 &)\n`,
  ];
  return BEGIN + lines.join("") + END;
}

function removeEmpty(directory: string): void {
  try {
    rmdirSync(directory);
  } catch {
    // It is not empty any more.
  }
}
