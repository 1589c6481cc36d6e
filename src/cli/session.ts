/** What a command needs of the core: configuration, the compass, and the project of its directory. */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { Compass, FreshenOptions, Project } from "../compass/compass.ts";
import type { OpenOptions } from "../compose/compose.ts";
import { openProject } from "../compose/open-project.ts";
import { dataHome } from "../config/data-home.ts";
import { type LoadedConfig, loadConfig } from "../config/load.ts";
import type { Config, ConfigKey } from "../config/schema.ts";
import { CompassError } from "../model/errors.ts";
import { parseSelectors, type WorkspaceSelector } from "../model/workspace-selector.ts";
import type { Call, OpenedCompass } from "./command.ts";
import { createProgress } from "./progress.ts";

export interface CommandSession {
  readonly compass: Compass;
  readonly loaded: LoadedConfig;
  /** Absolute directory that the command line names, or the current one. */
  readonly directory: string;
  /** Whether the command line names it. */
  readonly named: boolean;
  /** What the command line names instead: a repository of the shared store, or several workspaces. */
  readonly remote?: string;
}

/** Opens the core for one command and closes it whatever happens. */
export async function withCompass<T>(
  call: Call,
  use: (session: CommandSession) => Promise<T>,
  { watch } = { watch: false },
): Promise<T> {
  const remote = remoteWorkspace(call);
  const directory = remote === undefined ? workspaceDirectory(call) : call.cwd;
  const loaded = loadCommandConfig(call, directory);
  const home = dataHome(call.env);
  const open = call.openCompass ?? openOwn;
  const { compass, close } = await open({
    home,
    workspaces: [],
    defaultWorkspace: directory,
    settings: loaded.config,
    watch,
  });
  try {
    const named = call.flags.path !== undefined || call.flags.workspace !== undefined;
    return await use({ compass, loaded, directory, named, ...(remote !== undefined && { remote }) });
  } finally {
    await close();
  }
}

async function openOwn(options: OpenOptions): Promise<OpenedCompass> {
  const { openCompass } = await import("../compose/compose.ts");
  const compass = await openCompass(options);
  return { compass, close: () => compass.close() };
}

/** `withCompass` for a query: from a terminal, a daemon is left behind that answers the next one. */
export async function withCompassToQuery<T>(call: Call, use: (session: CommandSession) => Promise<T>): Promise<T> {
  let config: Config | undefined;
  const answer = await withCompass(call, (session) => {
    config = session.loaded.config;
    return use(session);
  });
  if (call.openCompass === undefined && config !== undefined) {
    const { startDaemonBehind } = await import("./daemon/client.ts");
    await startDaemonBehind(call, config, dataHome(call.env));
  }
  return answer;
}

/** The selector, if it is not one directory; paths in it are relative to the current directory. */
function remoteWorkspace({ flags, cwd }: Call): string | undefined {
  const given = flags.path ?? flags.workspace;
  if (typeof given !== "string" || isDirectory(resolve(cwd, given))) return undefined;
  const words = parseSelectors(given);
  if (words.length === 1 && words[0]!.kind === "directory") return undefined;
  return words.map((word) => ("path" in word ? resolve(cwd, word.path) : selectorText(word))).join(",");
}

function selectorText(word: Exclude<WorkspaceSelector, { kind: "directory" }>): string {
  if (word.kind === "all" || word.kind === "either") return word.kind === "all" ? "all" : word.word;
  return `repo:${word.kind === "glob" ? word.glob : word.name}`;
}

export function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

export function workspaceDirectory({ flags, cwd }: Pick<Call, "flags" | "cwd">): string {
  const { path, workspace } = flags;
  if (typeof path === "string" && typeof workspace === "string" && resolve(cwd, path) !== resolve(cwd, workspace)) {
    throw new CompassError("invalid_input", { reason: `${path} and ${workspace} are different directories` });
  }
  const directory = resolve(cwd, String(path ?? workspace ?? "."));
  if (isDirectory(directory)) return directory;
  throw new CompassError("invalid_input", { reason: `${directory} is not a directory` });
}

export function loadCommandConfig(call: Call, workspace: string): LoadedConfig {
  const { config, store, readStore } = call.globals;
  return loadConfig({
    workspace,
    env: call.env,
    flags: { ...configFlags(call.flags), store, read_store: readStore },
    ...(config && { configPath: config }),
  });
}

/** Flags that set a configuration option. */
function configFlags(flags: Call["flags"]): Partial<Record<ConfigKey, unknown>> {
  return {
    "index.hidden": flags.hidden,
    "index.ignore_files": flags.ignore === false ? "none" : undefined,
    "embedding.model": flags.model,
    "server.tools": flags.tools,
    "server.access": flags.access,
    "server.prewarm": flags.prewarm === false ? false : undefined,
  };
}

/** The project that the command line names, or that of the current directory. */
export function openCommandProject({ compass, directory, remote }: CommandSession): Promise<Project> {
  return remote === undefined ? openProject(compass, directory) : compass.project(remote);
}

/** Brings the index up to date with the tree, telling a waiting person how far it is. */
export function freshen(call: Call, session: CommandSession, project: Project): Promise<void> {
  return freshenWith(call, session, project, {});
}

/** The same before a query: an index that cannot be written is used as it is. */
export function freshenToRead(call: Call, session: CommandSession, project: Project, ref?: unknown): Promise<void> {
  return freshenWith(call, session, project, { orStale: true, ...(typeof ref === "string" && { ref }) });
}

async function freshenWith(
  call: Call,
  { compass }: CommandSession,
  project: Project,
  options: FreshenOptions,
): Promise<void> {
  const progress = createProgress(call);
  try {
    await compass.freshen(project, {
      ...options,
      signal: call.signal,
      onProgress: (job) => progress.show(job.progress),
    });
  } finally {
    progress.end();
  }
}
