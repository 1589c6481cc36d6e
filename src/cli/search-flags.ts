/** The flags of `search`: those of grep and ripgrep, those of ranked lists, and which mode they select. */
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

/** Only patterns have these: without another mode they select `--regex`, and stderr says so. */
const PATTERN_FLAGS: readonly CommandFlag[] = [
  { flags: "-e, --regexp <pattern>", doc: "Pattern; all arguments are files or directories", repeatable: true },
  { flags: "-i, --ignore-case", doc: "Ignore case" },
  { flags: "-S, --smart-case", doc: "Ignore case if the pattern has no capital letter" },
  { flags: "-w, --word-regexp", doc: "Match whole words only" },
  { flags: "-F, --fixed-strings", doc: "Treat the pattern as literal text" },
  { flags: "-v, --invert-match", doc: "Print the lines that do not match" },
  { flags: "-U, --multiline", doc: "Let a match span lines; -c counts lines all the same" },
  { flags: "-o, --only-matching", doc: "Print only the matches, each on its own line" },
  { flags: "-c, --count", doc: "Print the number of matching lines of each file" },
  { flags: "-m, --max-count <n>", doc: "Maximum number of matching lines per file" },
  { flags: "--vimgrep", doc: "Print path:line:column:text for each match" },
  { flags: "-l, --files-with-matches", doc: "Print only file names" },
  { flags: "-n, --line-number", doc: "Print line numbers even for a single file" },
  { flags: "-A, --after-context <n>", doc: "Lines of context after each match" },
  { flags: "-B, --before-context <n>", doc: "Lines of context before each match" },
];

export const GREP_FLAGS: readonly CommandFlag[] = [
  ...PATTERN_FLAGS.map((flag) => ({ ...flag, doc: `${flag.doc} (implies --regex)` })),
  { flags: "-0, --null", doc: "Print a NUL byte after each file name" },
  { flags: "-q, --quiet", doc: "Print nothing; the exit code says whether there is a result" },
  { flags: "-C, --context <n>", doc: "Lines of context around each result" },
  { flags: "-t, --type <language>", doc: "Only files of this language", repeatable: true },
  { flags: "-g, --glob <glob>", doc: "Only paths that match; a leading ! excludes", repeatable: true },
  { flags: "--files", doc: "List the files that --regex searches" },
  { flags: "--type-list", doc: "List the languages and their file names" },
  { flags: "--sort <order>", doc: "Order of --regex: always by path", choices: ["path"] },
  { flags: "--jsonl", doc: "Print one JSON object per line" },
  { flags: "--no-snippet", doc: "Omit source text" },
  { flags: "--full-section", doc: "Print the whole enclosing definition" },
  { flags: "--scores", doc: "Show scores" },
  { flags: "--top-k <n>", doc: "Maximum number of results" },
  { flags: "--threshold <score>", doc: "Minimum score (with --semantic or --hybrid)" },
];

export type SearchMode = "best" | "regex" | "semantic" | "hybrid";

/** The name under which commander files a flag. */
function attribute({ flags }: CommandFlag): string {
  const long = /--([\w-]+)/.exec(flags)![1]!;
  return long.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function shortest({ flags }: CommandFlag): string {
  return flags.split(/[, ]/)[0]!;
}

/** Flags of patterns imply --regex; context lines and flags of scored lists are printed with the ranking of --hybrid. */
export function searchMode({ flags, globals }: Call): SearchMode {
  const chosen = (["regex", "semantic", "hybrid"] as const).filter((mode) => flags[mode] === true);
  if (chosen.length > 1) throw usageError(`--${chosen.join(" and --")} exclude each other`);
  if (chosen[0] !== undefined) return chosen[0];
  if (impliesRegex({ flags }) !== undefined || flags.files === true) return "regex";
  if (flags.threshold !== undefined) return "hybrid";
  // The order is the same, and the JSON of the whole answer has these anyway.
  const isList = ["jsonl", "fullSection", "context"].some((flag) => flags[flag] !== undefined);
  return !globals.json && (isList || flags.snippet === false) ? "hybrid" : "best";
}

/** The flag that selects --regex, if no flag names a mode. */
export function impliesRegex({ flags }: Pick<Call, "flags">): string | undefined {
  if (flags.regex === true || flags.semantic === true || flags.hybrid === true) return undefined;
  const flag = PATTERN_FLAGS.find((one) => flags[attribute(one)] !== undefined);
  return flag && shortest(flag);
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

/** The tools take globs with commas. */
export function globArgument(call: Call): { readonly glob?: string } {
  const { globs } = globFilter(call);
  return globs === undefined ? {} : { glob: globs.join(",") };
}

/** The tools take languages with commas. */
export function languageArgument(call: Call): { readonly language?: string } {
  const { languages } = languageFilter(call);
  if (call.globals.json && (languages?.length ?? 0) > 1)
    throw usageError("--json takes one --type; --jsonl takes several");
  return languages === undefined ? {} : { language: languages.join(",") };
}

/** Ranked results have no counts and no columns, but files and lines. */
const OF_LINES = PATTERN_FLAGS.filter(({ flags }) => !/^-[iln]/.test(flags));

/** Meaning has no words to match exactly: a flag that could not be obeyed is refused rather than passed over. */
export function refuseGrepFlags({ flags }: Call, mode: SearchMode): void {
  const given = OF_LINES.filter((flag) => flags[attribute(flag)] !== undefined).map((flag) => shortest(flag));
  if (given.length === 0) return;
  throw usageError(
    `${given.join(", ")} ${given.length > 1 ? "go" : "goes"} with --regex; ${flags[mode] === true ? `--${mode}` : "a question"} takes --type, --glob, --path and -C`,
  );
}

export function usageError(reason: string): CompassError {
  return new CompassError("invalid_input", { reason });
}
