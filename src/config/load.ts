/** The configuration of a run: flags > environment > the repository's file > the user's file > defaults. */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { resolve as absolute, dirname, join } from "node:path";
import { findReadProblem } from "../io/bounded-read.ts";
import { CompassError } from "../model/errors.ts";
import { fileLayer } from "./file.ts";
import { environmentLayer, flagLayer, type Layer, type ResolvedConfig, resolve } from "./resolve.ts";
import type { ConfigKey } from "./schema.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface LoadOptions {
  /** Directory whose repository may hold `.codecompass/config.toml`. */
  readonly workspace: string;
  readonly env: Environment;
  readonly flags?: Partial<Record<ConfigKey, unknown>>;
  /** Read this file instead of the repository's and the user's. */
  readonly configPath?: string;
}

export interface LoadedConfig extends ResolvedConfig {
  /** The files that were read, the strongest first. */
  readonly files: readonly string[];
}

export function loadConfig(options: LoadOptions): LoadedConfig {
  const files = options.configPath ? [absolute(options.configPath)] : standardFiles(options);
  const own = new Set([absolute(options.configPath ?? "."), userFile(options.env)]);
  const read = files.flatMap((path) => namedLayer(path, fileLayer(path), !own.has(path)));
  if (options.configPath && read.length === 0) {
    throw new CompassError("invalid_input", {
      reason: `there is no config file ${options.configPath}`,
      parameter: "--config",
    });
  }
  const layers = [...read.map((file) => file.layer), environmentLayer(options.env), flagLayer(options.flags ?? {})];
  return { ...resolve(layers), files: read.map((file) => file.path).reverse() };
}

/** Where indexes and the user's configuration live. */
export function dataHome(env: Environment): string {
  return absolute(env.CODECOMPASS_HOME || join(homedir(), ".codecompass"));
}

/** The user's file first, so that the repository's wins. */
function standardFiles({ workspace, env }: LoadOptions): string[] {
  const user = userFile(env);
  const repository = repositoryFile(absolute(workspace));
  return repository && repository !== user ? [user, repository] : [user];
}

/**
 * The nearest `.codecompass/config.toml` from the workspace up to its repository's root. Outside a repository only the
 * workspace itself counts: whatever lies above it may belong to somebody else.
 */
function repositoryFile(workspace: string): string | undefined {
  const root = repositoryRoot(workspace);
  for (let dir = workspace; ; dir = dirname(dir)) {
    const file = join(dir, ".codecompass", "config.toml");
    if (existsSync(file) || findReadProblem(file) !== undefined) return file;
    if (dir === root) return undefined;
  }
}

/** The nearest directory at or above that holds `.git`, else the directory itself. */
export function repositoryRoot(directory: string): string {
  for (let dir = directory; ; dir = dirname(dir)) {
    if (existsSync(join(dir, ".git"))) return dir;
    if (dirname(dir) === dir) return directory;
  }
}

function userFile(env: Environment): string {
  return join(dataHome(env), "config.toml");
}

function namedLayer(path: string, layer: Layer | undefined, foreign: boolean): { path: string; layer: Layer }[] {
  return layer ? [{ path, layer: { ...layer, foreign } }] : [];
}
