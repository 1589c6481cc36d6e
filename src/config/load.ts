/** The configuration of a run: flags > environment > the repository's file > the user's file > defaults. */
import { existsSync } from "node:fs";
import { resolve as absolute, dirname, join } from "node:path";
import { parse, TomlError } from "smol-toml";
import { findReadProblem, readBounded } from "../io/bounded-read.ts";
import { CompassError } from "../model/errors.ts";
import { closest } from "../text/edit-distance.ts";
import { dataHome } from "./data-home.ts";
import { accept, allowed, CONFIG_KEYS, type Config, type ConfigKey, DEFAULTS, envName, OPTIONS } from "./schema.ts";

type Environment = Readonly<Record<string, string | undefined>>;

interface LoadOptions {
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

/** The user's file first, so that the repository's wins. */
function standardFiles({ workspace, env }: LoadOptions): string[] {
  const user = userFile(env);
  const repository = repositoryFile(absolute(workspace));
  return repository && repository !== user ? [user, repository] : [user];
}

/**
 * The nearest `.codecompass/config.toml` from the workspace up to its repository's root. Outside a repository, only
 * the workspace itself: directories above it may belong to other users.
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

/** One source: its values by key, and the location of a key for messages. */
export interface Layer {
  readonly values: ReadonlyMap<string, unknown>;
  where(key: string): string;
  /** Comes from the repository, which may not be trusted. */
  readonly foreign?: boolean;
}

interface ResolvedConfig {
  readonly config: Config;
  /** Where each value that is not a default came from. */
  readonly origins: ReadonlyMap<ConfigKey, string>;
}

/** Later layers win. */
export function resolve(layers: readonly Layer[]): ResolvedConfig {
  const values = new Map<ConfigKey, unknown>(Object.entries(DEFAULTS) as [ConfigKey, unknown][]);
  const origins = new Map<ConfigKey, string>();
  for (const layer of layers) {
    for (const { key, written, value } of canonical(layer.values)) {
      const known = knownKey(key, layer.where(written));
      if (layer.foreign && "userOnly" in OPTIONS[known]) throw notForRepositories(known, layer.where(written));
      values.set(known, checked(known, value, layer.where(written)));
      origins.set(known, layer.where(written));
    }
  }
  if (origins.has("debug.ranking_reasons") && !origins.has("query.ranking_explain_level")) {
    values.set("query.ranking_explain_level", values.get("debug.ranking_reasons") ? "full" : "off");
    origins.set("query.ranking_explain_level", origins.get("debug.ranking_reasons")!);
  }
  return { config: Object.fromEntries(values) as unknown as Config, origins };
}

function notForRepositories(key: ConfigKey, where: string): CompassError {
  const reason = `${where}: a repository cannot set \`${key}\`; set it in ~/.codecompass/config.toml or as ${envName(key)}`;
  return new CompassError("invalid_input", { reason, parameter: key });
}

interface LayerEntry {
  readonly key: string;
  /** As the source spells it. */
  readonly written: string;
  readonly value: unknown;
}

/** `[search]` is read as `[query]`; where a source has both, `[query]` wins. */
function canonical(values: ReadonlyMap<string, unknown>): LayerEntry[] {
  return [...values].flatMap(([written, value]) => {
    const renamed = written.replace(/^search\./, "query.");
    if (renamed !== written && values.has(renamed)) return [];
    return [{ key: isKnown(renamed) ? renamed : written, written, value }];
  });
}

/** The time to find a similar name grows with the length of the key, and no option is this long. */
const LONGEST_GUESSED = 200;

function isKnown(key: string): key is ConfigKey {
  return Object.hasOwn(OPTIONS, key);
}

function knownKey(key: string, where: string): ConfigKey {
  if (isKnown(key)) return key;
  const guess = key.length > LONGEST_GUESSED ? undefined : closest(key, CONFIG_KEYS);
  const hint = guess ? `did you mean \`${guess}\`?` : `known options: ${CONFIG_KEYS.join(", ")}`;
  throw new CompassError("invalid_input", {
    reason: `${where}: unknown option \`${clipped(key)}\`; ${hint}`,
    parameter: clipped(key),
  });
}

function checked(key: ConfigKey, given: unknown, where: string): unknown {
  const value = accept(OPTIONS[key], given);
  if (value !== undefined) return value;
  const what = "secret" in OPTIONS[key] ? "not acceptable" : shown(given);
  const reason = `${where}: \`${key}\` is ${what}; allowed: ${allowed(OPTIONS[key])}`;
  throw new CompassError("invalid_input", { reason, parameter: key });
}

function shown(given: unknown): string {
  const text = typeof given === "bigint" ? String(given) : (JSON.stringify(given) ?? String(given));
  return clipped(text);
}

function clipped(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** The layer of the environment: only the variables that name an option. */
export function environmentLayer(env: Readonly<Record<string, string | undefined>>): Layer {
  const named = CONFIG_KEYS.filter((key) => env[envName(key)] !== undefined && env[envName(key)] !== "");
  return {
    values: new Map(named.map((key) => [key, env[envName(key)]])),
    where: (key) => `environment variable ${envName(key as ConfigKey)}`,
  };
}

/** The layer of command-line flags, already by key. */
export function flagLayer(flags: Partial<Record<ConfigKey, unknown>>): Layer {
  const given = Object.entries(flags).filter(([, value]) => value !== undefined);
  return { values: new Map(given), where: (key) => `flag ${OPTIONS[key as ConfigKey].flag ?? key}` };
}

/** A configuration is a few lines; whatever is larger is not one. */
const MAX_BYTES = 256 * 1024;
/** Options have two or three parts. The limit keeps a hostile key from exhausting the stack. */
const MAX_KEY_PARTS = 32;

/** The layer of a file; undefined when there is no such file. */
function fileLayer(path: string): Layer | undefined {
  const text = read(path);
  return text === undefined ? undefined : textLayer(path, text);
}

export function textLayer(path: string, text: string): Layer {
  return {
    values: new Map(flatten(parsed(path, text), (key) => refuse(tooManyParts(`${path}:${findLine(text, key)}`)))),
    where: (key) => `${path}:${findLine(text, key)}`,
  };
}

function read(path: string): string | undefined {
  const read = readBounded(path, MAX_BYTES);
  if ("bytes" in read) return read.bytes.toString("utf8");
  return read.problem.code === "missing" ? undefined : refuse(`${path}: the file ${read.problem.reason}`);
}

function parsed(path: string, text: string): Record<string, unknown> {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    return refuse(`${path}:${error.line}: ${error.message.split("\n")[0]}`);
  }
}

/** Tables become dotted keys; an array or a date stays the value it is, to be refused with its key. */
function flatten(
  table: Record<string, unknown>,
  refuseDeep: (key: string) => never,
  parents: readonly string[] = [],
): [string, unknown][] {
  return Object.entries(table).flatMap(([name, value]): [string, unknown][] => {
    const parts = [...parents, name];
    const key = parts.join(".");
    if (!isTable(value)) return [[key, value]];
    return parts.length < MAX_KEY_PARTS ? flatten(value, refuseDeep, parts) : refuseDeep(key);
  });
}

function tooManyParts(where: string): string {
  return `${where}: a key has more than ${MAX_KEY_PARTS} parts; no option has`;
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function refuse(reason: string): never {
  throw new CompassError("invalid_input", { reason });
}

/** 1-based line of `table.key`, of its table when only that is found, else 1. */
export function findLine(toml: string, key: string): number {
  const target = key.split(".");
  let table: string[] = [];
  let tableLine = 1;
  for (const [index, line] of toml.split("\n").entries()) {
    const text = line.trim();
    if (text.startsWith("[")) {
      table = parts(text.replace(/^\[+/, "").split("]", 1)[0]!);
      if (startsWith(target, table)) tableLine = index + 1;
      if (startsWith(table, target)) return index + 1;
      continue;
    }
    const equals = text.indexOf("=");
    if (equals < 0 || text.startsWith("#")) continue;
    const path = [...table, ...parts(text.slice(0, equals))];
    // `query = { limit = 3 }` holds its keys on the same line, and `a.b.c = 1` the tables above its value.
    if (startsWith(target, path) || startsWith(path, target)) return index + 1;
  }
  return tableLine;
}

function parts(dotted: string): string[] {
  return dotted.split(".").map((part) => part.trim().replace(/^["']|["']$/g, ""));
}

/** Whether `path` is `head` or below it. */
function startsWith(path: readonly string[], head: readonly string[]): boolean {
  return head.every((part, index) => path[index] === part);
}
