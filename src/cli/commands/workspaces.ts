/** `init` and `workspaces`: the registered directories. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Compass, Project, Workspace } from "../../compass/compass.ts";
import { repositoryRoot } from "../../config/load.ts";
import { CompassError } from "../../model/errors.ts";
import { namesRepositories } from "../../model/workspace-selector.ts";
import { printable } from "../../tools/text/style.ts";
import { isoTime } from "../../tools/wire/job.ts";
import { type Call, type CommandSpec, type ExitCode, WORKSPACE_ARGUMENT, WORKSPACE_FLAGS } from "../command.ts";
import { withCompass, workspaceDirectory } from "../session.ts";

const ACTIONS = ["list", "add", "remove"] as const;

export const workspacesCommand = {
  name: "workspaces",
  summary: "List, add or remove workspaces on this machine or in a shared store",
  group: "Commands:",
  argument: {
    name: "[action...]",
    doc: "list (default; with --store also lists repo:HOST/OWNER/NAME), add DIR..., remove DIR..., or remove repo:HOST/OWNER/NAME to delete a repository from a shared store for all users",
  },
  flags: [],
  examples: [
    "workspaces",
    "workspaces add ~/work/api",
    "workspaces remove ~/work/api",
    "workspaces remove repo:github.com/acme/api --store postgres://codecompass_indexer@db/codecompass",
  ],

  run(call): Promise<ExitCode> {
    const [action = "list", ...directories] = call.words;
    if (!ACTIONS.some((known) => known === action)) {
      throw new CompassError("invalid_input", {
        parameter: "action",
        reason: `${action} is not one of: ${ACTIONS.join(", ")}`,
      });
    }
    if (action !== "list" && directories.length === 0) {
      throw new CompassError("invalid_input", { parameter: "action", reason: `which directory? ${action} DIR` });
    }
    return withCompass(call, async ({ compass, loaded }) => {
      const isShared = loaded.config.store !== "";
      if (action === "list") return list(call, compass, isShared);
      const isKept = action === "remove" && isShared && !directories.every(namesRepositories);
      const code = await change(call, compass, { action, isShared }, directories);
      if (isKept) call.terminal.err(KEPT);
      return code;
    });
  },
} satisfies CommandSpec;

const KEPT =
  "codecompass: the shared store keeps the repository for other users; remove repo:HOST/OWNER/NAME deletes it\n";

const ADD_AGAIN = "add the directory again";
const UNKNOWN = "no workspaces registered; add one with: codecompass workspaces add DIR";
const EMPTY = "no repositories visible to this user; publish one from a clone: codecompass index --store …";

async function list({ globals, terminal }: Call, compass: Compass, isShared: boolean): Promise<ExitCode> {
  const [here, shared] = [await compass.workspaces(), await compass.repositories()];
  const damaged = await compass.damagedWorkspaces();
  const lines = [
    ...here.map(({ root, autoDiscovered }) => `${root}${autoDiscovered ? "  (added automatically by a server)" : ""}`),
    ...damaged.map(({ file, root, reason }) => `${root ?? file}  (damaged registration: ${reason}; ${ADD_AGAIN})`),
    ...shared.map((repository) => `repo:${repository}`),
  ];
  const objects = [
    ...here.map(workspaceFields),
    ...damaged.map(({ file, root, reason }) => ({ ...(root && { repo_root: root }), file, damaged: reason })),
    ...shared.map((repository) => ({ repository })),
  ];
  terminal.out(globals.json ? `${JSON.stringify(objects)}\n` : lines.map((line) => `${printable(line)}\n`).join(""));
  if (lines.length > 0) return 0;
  if (!globals.json) terminal.err(`codecompass: ${isShared ? EMPTY : UNKNOWN}\n`);
  return 1;
}

async function change(
  { globals, terminal, cwd }: Call,
  compass: Compass,
  { action, isShared }: { readonly action: string; readonly isShared: boolean },
  directories: readonly string[],
): Promise<ExitCode> {
  for (const directory of directories) {
    const path = action === "remove" && namesRepositories(directory) ? directory : resolve(cwd, directory);
    if (action === "remove" && isShared && looksLikeName(directory) && !existsSync(path)) throw unnamed(directory);
    const project = await (action === "add" ? compass.register(path) : compass.forget(path));
    const word = action === "add" ? "Registered" : "Removed";
    const answer = { project_id: project.id, repo_root: project.root, [word.toLowerCase()]: true };
    terminal.out(globals.json ? `${JSON.stringify(answer)}\n` : `${word}: ${project.root}\n`);
  }
  return 0;
}

/** `host/owner/name`. */
function looksLikeName(word: string): boolean {
  return /^[\w-]+(\.[\w-]+)+\/[^/]/.test(word);
}

function unnamed(word: string): CompassError {
  const reason = `${word} is no directory; to take the repository of that name out of the store, for everybody, write repo:${word}`;
  return new CompassError("invalid_input", { parameter: "action", reason });
}

function workspaceFields({ id, root, autoDiscovered, registeredAt, lastUsedAt }: Workspace) {
  return {
    project_id: id,
    repo_root: root,
    auto_discovered: autoDiscovered,
    registered_at: isoTime(registeredAt),
    last_used_at: isoTime(lastUsedAt),
  };
}

export const initCommand = {
  name: "init",
  summary: "Register a directory as a workspace; writes nothing into it",
  group: "Commands:",
  argument: WORKSPACE_ARGUMENT,
  flags: WORKSPACE_FLAGS,
  examples: ["init", "init ../other-repository"],

  run(call): Promise<ExitCode> {
    return withCompass(call, async (session) => {
      if (session.remote !== undefined) workspaceDirectory(call);
      // Without a named directory, register the whole repository.
      const root = session.named ? session.directory : repositoryRoot(session.directory);
      const before = await registeredAt(session.compass, root);
      const project = await session.compass.register(root);
      const again = before?.root === project.root;
      const answer = {
        project_id: project.id,
        repo_root: project.root,
        vcs_mode: project.vcs,
        already_registered: again,
      };
      call.terminal.out(call.globals.json ? `${JSON.stringify(answer)}\n` : describeRegistration(project, again));
      return 0 as ExitCode;
    });
  },
} satisfies CommandSpec;

async function registeredAt(compass: Compass, root: string): Promise<Project | undefined> {
  return compass.project(root).catch(() => undefined);
}

function describeRegistration(project: Project, again: boolean): string {
  const what = `${project.root} (${project.vcs ? "git" : "no version control"})`;
  return again ? `Already registered: ${what}\n` : `Registered: ${what}\nNext: codecompass index\n`;
}
