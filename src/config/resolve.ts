/** Lays the sources of configuration over each other and refuses what no option accepts. Pure: nothing is read here. */
import { CompassError } from "../model/errors.ts";
import { closest } from "./did-you-mean.ts";
import { accept, allowed, CONFIG_KEYS, type Config, type ConfigKey, DEFAULTS, envName, OPTIONS } from "./schema.ts";

/** One source: what it says by key, and how to name the place of a key in a message. */
export interface Layer {
  readonly values: ReadonlyMap<string, unknown>;
  where(key: string): string;
  /** Written by whoever wrote the repository. */
  readonly foreign?: boolean;
}

export interface ResolvedConfig {
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
