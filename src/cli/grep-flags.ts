/** Flags of `search` that grep and ripgrep have too, and what they say together. */
import { CompassError } from "../model/errors.ts";
import type { Call, CommandFlag } from "./command.ts";

export const MODE_FLAGS: readonly CommandFlag[] = [
  {
    flags: "--regex",
    doc: "Regular expression search (ripgrep syntax); further arguments are files or directories",
  },
  { flags: "--semantic", doc: "Semantic search only" },
  { flags: "--hybrid", doc: "Semantic and full-text search, fused" },
];

export const GREP_FLAGS: readonly CommandFlag[] = [
  { flags: "-i, --ignore-case", doc: "Ignore case (with --regex)" },
  { flags: "-w, --word-regexp", doc: "Match whole words only (with --regex)" },
  { flags: "-F, --fixed-strings", doc: "Treat the pattern as literal text (with --regex)" },
  { flags: "-l, --files-with-matches", doc: "Print only file names" },
  { flags: "-n, --line-number", doc: "Print line numbers even for a single file" },
  { flags: "-A, --after-context <n>", doc: "Lines of context after each match" },
  { flags: "-B, --before-context <n>", doc: "Lines of context before each match" },
  { flags: "-C, --context <n>", doc: "Lines of context around each match" },
  { flags: "-t, --type <language>", doc: "Only files of this language", repeatable: true },
  { flags: "-g, --glob <glob>", doc: "Only paths that match; a leading ! excludes", repeatable: true },
  { flags: "--jsonl", doc: "Print one JSON object per line" },
  { flags: "--no-snippet", doc: "Omit source text" },
  { flags: "--full-section", doc: "Print the whole enclosing definition" },
  { flags: "--scores", doc: "Show scores" },
  { flags: "--top-k <n>", doc: "Maximum number of results" },
  { flags: "--threshold <score>", doc: "Minimum score (with --semantic or --hybrid)" },
];

export type SearchMode = "best" | "regex" | "semantic" | "hybrid";

/** Flags that only make sense for a pattern ask for one; those that only lists with scores know ask for such a list. */
export function searchMode({ flags, globals }: Call): SearchMode {
  const chosen = (["regex", "semantic", "hybrid"] as const).filter((mode) => flags[mode] === true);
  if (chosen.length > 1) throw usageError(`--${chosen.join(" and --")} exclude each other`);
  if (chosen[0] !== undefined) return chosen[0];
  const ofGrep = ["ignoreCase", "wordRegexp", "fixedStrings", "beforeContext", "afterContext", "context", "lineNumber"];
  if (ofGrep.some((flag) => flags[flag] !== undefined) || flags.filesWithMatches) return "regex";
  if (flags.threshold !== undefined) return "hybrid";
  // The order is the same, and the JSON of the whole answer has scores anyway.
  const ofLists = ["jsonl", "scores", "fullSection"].some((flag) => flags[flag] !== undefined);
  return !globals.json && (ofLists || flags.snippet === false) ? "hybrid" : "best";
}

/** A whole number that a flag gives, or undefined. */
export function parseCount({ flags }: Call, flag: string, name: string, least: number): number | undefined {
  const given = flags[flag];
  if (given === undefined) return undefined;
  const number = Number(given);
  if (String(given).trim() !== "" && Number.isInteger(number) && number >= least) return number;
  throw usageError(`${name} is ${given}; allowed: a whole number from ${least}`);
}

/** `--type` and `--lang` mean the same. */
export function languageFilter({ flags }: Call): { readonly languages?: readonly string[] } {
  const words = [
    ...((flags.type as string[] | undefined) ?? []),
    ...(typeof flags.lang === "string" ? [flags.lang] : []),
  ];
  return words.length === 0 ? {} : { languages: words.map((word) => word.trim().toLowerCase()) };
}

export function globFilter({ flags }: Call): { readonly globs?: readonly string[] } {
  const globs = flags.glob as string[] | undefined;
  return globs === undefined ? {} : { globs };
}

/** The tools, whose JSON is printed, take one text with commas. */
export function globArgument(call: Call): { readonly glob?: string } {
  const { globs } = globFilter(call);
  return globs === undefined ? {} : { glob: globs.join(",") };
}

/** The tools, whose JSON is printed, take one language. */
export function languageArgument(call: Call): { readonly language?: string } {
  const { languages = [] } = languageFilter(call);
  if (languages.length > 1) throw usageError("--json takes one --type; --jsonl takes several");
  return languages[0] === undefined ? {} : { language: languages[0] };
}

const OF_LINES = [
  ["wordRegexp", "-w"],
  ["fixedStrings", "-F"],
  ["afterContext", "-A"],
  ["beforeContext", "-B"],
] as const;

/** Meaning has no words to match exactly: a flag that could not be obeyed is refused rather than passed over. */
export function refuseGrepFlags({ flags }: Call, mode: SearchMode): void {
  const given = OF_LINES.filter(([flag]) => flags[flag] !== undefined).map(([, name]) => name);
  if (given.length === 0) return;
  throw usageError(
    `${given.join(", ")} ${given.length > 1 ? "go" : "goes"} with --regex; --${mode} takes --type, --glob, --path and -C`,
  );
}

export function usageError(reason: string): CompassError {
  return new CompassError("invalid_input", { reason });
}
