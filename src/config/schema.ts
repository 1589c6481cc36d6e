/**
 * Every option of the product, once: its key, type, default, bounds, words for the docs and how to give it.
 * docs/config.md, the environment variables and the error messages derive from this list.
 */
import { EXPLAIN_LEVELS, FORMATS, FRESHNESS_POLICIES } from "../model/status.ts";

interface OptionText {
  readonly doc: string;
  /** Where a command takes the option as a flag. */
  readonly flag?: string;
  /** Refused in a repository's file: it must not decide where code or keys are sent, or how much memory is taken. */
  readonly userOnly?: true;
  /** May hold a password: no message repeats it. */
  readonly secret?: true;
}

export type Option =
  | (OptionText & { readonly type: "choice"; readonly values: readonly string[]; readonly default: string })
  | (OptionText & { readonly type: "count"; readonly min: number; readonly max: number; readonly default: number })
  | (OptionText & { readonly type: "text"; readonly words: string; readonly default: string })
  | (OptionText & { readonly type: "switch"; readonly default: boolean });

const MIB = 1024 * 1024;

export const IGNORE_FILES = ["all", "none"] as const;

export const OPTIONS = {
  "query.freshness_policy": choice(FRESHNESS_POLICIES, "balanced", {
    doc: "What a query does when the index is stale: `strict` returns an error, `balanced` answers and syncs in the background, `best_effort` answers. `strict` checks every file's timestamp; the others trust the watcher, which reports an edit within about 50 ms.",
  }),
  "query.ranking_explain_level": choice(EXPLAIN_LEVELS, "off", {
    doc: "How much ranking explanation search answers include.",
  }),
  "query.limit": count(1, 200, 10, { doc: "Default number of results.", flag: "--limit" }),
  "query.wide_deadline_ms": count(50, 60_000, 5_000, {
    doc: "Deadline of a multi-workspace query; workspaces that have not answered by then are reported as timed out.",
  }),
  "server.max_response_bytes": count(256, 16 * MIB, 65_536, {
    doc: "Maximum size of a response. Longer results are truncated, and the response says so.",
  }),
  "server.tools": text("`core`, `all`, or names of tools with commas", "all", {
    doc: "Which tools the server lists: `core` (the eight that an agent uses daily), `all`, or a list. Tools that are not listed still answer.",
    flag: "--tools",
  }),
  "server.format": choice(FORMATS, "json", {
    doc: "How the server answers: `json` (structured, for programs) or `text` (compact lines, for models). A call can ask for the other one with `format`.",
    flag: "--format",
  }),
  "server.prewarm": toggle(true, {
    doc: "Open the index in the background when the server starts.",
    flag: "--no-prewarm",
  }),
  "server.warmset": count(1, 64, 3, { doc: "Number of workspaces the server keeps open.", userOnly: true }),
  "server.readers": count(0, 16, 0, {
    doc: "Threads that answer HTTP queries; 0 means one fewer than the number of cores, at most 4.",
    userOnly: true,
  }),
  "server.access": choice(["token", "principals"], "token", {
    doc: "HTTP access control: `token` (one token with access to everything) or `principals` (each principal of the shared store has its own token and repositories; see `codecompass principals`).",
    flag: "--access",
    userOnly: true,
  }),
  "server.connections": count(1, 200, 10, {
    doc: "Maximum connections to a shared store for queries; content and transactions use up to half as many more. Each reader thread has 4 (and 2), an indexing thread 3 (and 2). When all are busy and too many queries wait, further queries fail at once.",
    userOnly: true,
  }),
  "server.watch": toggle(true, {
    doc: "Watch the working tree for edits; if false, every query checks the tree.",
  }),
  "index.max_file_bytes": count(1024, 64 * MIB, MIB, { doc: "Skip larger files and count them as `too_large`." }),
  "index.include_secrets": toggle(false, {
    doc: "Also index files that look like secrets (`.env`, keys, tokens), and do not mask tokens and private keys in other files. See docs/secrets.md.",
    userOnly: true,
  }),
  "index.hidden": toggle(false, { doc: "Index hidden files and directories too.", flag: "--hidden" }),
  "index.ignore_files": choice(IGNORE_FILES, "all", {
    doc: "Which ignore files to respect; `none` leaves only the built-in list.",
    flag: "--no-ignore",
  }),
  "index.workers": count(0, 64, 0, { doc: "Parse workers; 0 means one per core.", userOnly: true }),
  "embedding.model": text("`default`, `none`, a folder, a Hugging Face name or a name the endpoint knows", "default", {
    doc: "Embedding model: the built-in one, a local ONNX folder, a Hugging Face name (requires @huggingface/transformers), or a model of the endpoint. Run `reindex` after changing it.",
    flag: "--model",
    userOnly: true,
  }),
  "embedding.endpoint": text("the base address of an OpenAI-compatible server", "", {
    doc: "HTTP endpoint of the embedding model. Empty: no text leaves the machine.",
    userOnly: true,
  }),
  "embedding.api_key_env": text("the name of an environment variable", "OPENAI_API_KEY", {
    doc: "Environment variable that holds the endpoint's API key. The key is never read from or written to a file.",
    userOnly: true,
  }),
  store: text("empty, or postgres://user@host:5432/database", "", {
    doc: "Where the index is stored. Empty: on this machine, in SQLite. A connection string: in a shared PostgreSQL database; the password is never printed and may come from PGPASSWORD or ~/.pgpass.",
    flag: "--store",
    userOnly: true,
    secret: true,
  }),
  read_store: text("empty, or postgres://user@replica:5432/database", "", {
    doc: "Streaming replica of `store` that serves reads; writes go to `store`. If the replica lags behind what this process has seen, reads wait 50 ms and then go to `store`.",
    flag: "--read-store",
    userOnly: true,
    secret: true,
  }),
  "cli.daemon": choice(["auto", "on", "off"], "auto", {
    doc: "Whether a query on the command line leaves a daemon behind that answers the next ones in a tenth of a second and ends after five idle minutes: `auto` (only from a terminal), `on` (from scripts too) or `off`. Never where `CI` is set, nor for a shared store or with `--config`.",
    userOnly: true,
  }),
  "debug.enabled": toggle(false, { doc: "Add `debug.join_status` to search answers." }),
  "debug.ranking_reasons": toggle(false, {
    doc: "Deprecated alias of `query.ranking_explain_level`: true means `full`, false means `off`. The new key takes precedence.",
  }),
} as const satisfies Record<string, Option>;

export type ConfigKey = keyof typeof OPTIONS;
export const CONFIG_KEYS = Object.keys(OPTIONS) as ConfigKey[];

type ValueOf<O extends Option> = O extends { type: "choice"; values: readonly (infer V)[] }
  ? V
  : O extends { type: "count" }
    ? number
    : O extends { type: "text" }
      ? string
      : boolean;

/** One value for every option. */
export type Config = { readonly [K in ConfigKey]: ValueOf<(typeof OPTIONS)[K]> };

export const DEFAULTS = Object.fromEntries(CONFIG_KEYS.map((key) => [key, OPTIONS[key].default])) as Config;

/** `query.limit` → `CODECOMPASS_QUERY_LIMIT`. */
export function envName(key: ConfigKey): string {
  return `CODECOMPASS_${key.replace(".", "_").toUpperCase()}`;
}

/** What an option accepts, for messages and docs. */
export function allowed(option: Option): string {
  if (option.type === "text") return option.words;
  if (option.type === "choice") return option.values.map((value) => `"${value}"`).join(", ");
  return option.type === "count" ? `a whole number from ${option.min} to ${option.max}` : "true, false";
}

/** The value, or undefined when the option does not accept it. Text is read as the environment spells it. */
export function accept(option: Option, given: unknown): string | number | boolean | undefined {
  switch (option.type) {
    case "choice":
      return option.values.find((value) => value === given);
    case "count": {
      const number = typeof given === "string" && /^\d+$/.test(given) ? Number(given) : given;
      const fits = Number.isInteger(number) && (number as number) >= option.min && (number as number) <= option.max;
      return fits ? (number as number) : undefined;
    }
    case "text":
      return typeof given === "string" && given.length <= LONGEST_TEXT ? given.trim() : undefined;
    case "switch":
      if (typeof given === "boolean") return given;
      return given === "true" || given === "1" ? true : given === "false" || given === "0" ? false : undefined;
  }
}

const LONGEST_TEXT = 1000;

function text(words: string, preset: string, described: OptionText) {
  return { type: "text", words, default: preset, ...described } as const;
}

function choice<const V extends readonly string[]>(values: V, preset: V[number], described: OptionText) {
  return { type: "choice", values, default: preset, ...described } as const;
}

function count(min: number, max: number, preset: number, described: OptionText) {
  return { type: "count", min, max, default: preset, ...described } as const;
}

function toggle(preset: boolean, described: OptionText) {
  return { type: "switch", default: preset, ...described } as const;
}

/** What the configuration decides for every tool. */
export function toolSettings(config: Config) {
  return {
    maxResponseBytes: config["server.max_response_bytes"],
    freshnessPolicy: config["query.freshness_policy"],
    rankingExplainLevel: config["query.ranking_explain_level"],
    debug: config["debug.enabled"],
  } as const;
}
