/** `search --regex`, and the flags that `search` shares with grep and ripgrep. */

import { existsSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, relative, resolve } from "node:path";
import type { Project, Reading } from "../compass/compass.ts";
import { CompassError } from "../model/errors.ts";
import { type GrepAnswer, type GrepHit, type GrepRequest, notSearchedWarnings, sumNotSearched } from "../model/grep.ts";
import { counted, skippedText } from "../tools/text/style.ts";
import type { Call, CommandFlag, ExitCode } from "./command.ts";
import { type GrepView, renderFile, renderPath } from "./render/grep.ts";
import { createStyle } from "./render/style.ts";
import type { CommandSession } from "./session.ts";

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

type SearchMode = "best" | "regex" | "semantic" | "hybrid";

/** grep flags imply --regex; flags of scored lists imply --hybrid. */
export function searchMode({ flags, globals }: Call): SearchMode {
  const chosen = (["regex", "semantic", "hybrid"] as const).filter((mode) => flags[mode] === true);
  if (chosen.length > 1) throw usageError(`--${chosen.join(" and --")} exclude each other`);
  if (chosen[0] !== undefined) return chosen[0];
  const ofGrep = ["ignoreCase", "wordRegexp", "fixedStrings", "beforeContext", "afterContext", "context", "lineNumber"];
  if (ofGrep.some((flag) => flags[flag] !== undefined) || flags.filesWithMatches) return "regex";
  if (flags.threshold !== undefined) return "hybrid";
  // The order is the same, and the JSON of the whole answer has these anyway.
  const ofLists = ["jsonl", "fullSection"].some((flag) => flags[flag] !== undefined);
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

/** Hits that are fetched together: few enough to show the first ones soon, enough to be quick. */
const PAGE = 2_000;

export async function grepCommand(call: Call, session: CommandSession, project: Project): Promise<ExitCode> {
  const { ref } = call.flags;
  const [pattern] = call.words;
  if (pattern === undefined || pattern === "") throw usageError("the pattern is empty");
  const places = searchPaths(call, session, project);
  if (call.globals.json) return asGrepJson(call, session, project, places);
  const options = { policy: "best_effort", signal: call.signal, ...(typeof ref === "string" && { ref }) } as const;
  return session.compass.read(project, options, async (reading) => {
    const printer = new Printer(call, project, places);
    for (const under of places) await printPages(reading, grepRequest(call, under), printer);
    for (const warning of reading.status.warnings) call.terminal.err(`warning: ${warning}\n`);
    return printer.finish(reading);
  });
}

/** The same answer as the tool gives. */
async function asGrepJson(
  call: Call,
  session: CommandSession,
  { root }: Project,
  places: readonly string[],
): Promise<ExitCode> {
  if (places.length > 1) throw usageError("--json takes one file or directory; --jsonl takes several");
  const { printToolAnswer } = await import("./from-tool.ts");
  const { flags } = call;
  const { before, after } = contextLines(call);
  const size = parseCount(call, "topK", "--top-k", 1) ?? parseCount(call, "limit", "--limit", 1);
  return printToolAnswer("regex_search", call, session, {
    pattern: call.words[0],
    workspace: root,
    path: resolve(root, places[0] ?? ""),
    ignore_case: flags.ignoreCase === true,
    whole_words: flags.wordRegexp === true,
    fixed_strings: flags.fixedStrings === true,
    context: Math.max(before, after),
    include_snippet: flags.snippet !== false,
    ...(size !== undefined && { page_size: size }),
    ...globArgument(call),
    ...languageArgument(call),
    ...(typeof flags.ref === "string" && { ref: flags.ref }),
  });
}

/** The named files and directories inside the workspace; default: the current directory. */
function searchPaths(
  { words, cwd, flags }: Call,
  { directory, named }: CommandSession,
  { root }: Project,
): readonly string[] {
  const paths = words.slice(1);
  if (paths.length === 0) return [inside(root, named ? directory : resolve(cwd, "."))];
  return paths.map((word) => {
    const path = resolve(cwd, word);
    // A file of another ref need not be on disk.
    if (flags.ref === undefined && !existsSync(path)) throw usageError(`${word} does not exist`);
    // The index has what a link leads to, under the name it has there.
    return inside(root, resolveLinks(path), word);
  });
}

function resolveLinks(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

function inside(root: string, path: string, word = path): string {
  const under = relative(root, path).replaceAll("\\", "/");
  if (under.startsWith("..") || isAbsolute(under)) throw usageError(`${word} lies outside the workspace ${root}`);
  return under;
}

function grepRequest(call: Call, under: string): Omit<GrepRequest, "offset" | "limit"> {
  const { flags } = call;
  return {
    pattern: call.words[0]!,
    ignoreCase: flags.ignoreCase === true,
    wholeWords: flags.wordRegexp === true,
    literal: flags.fixedStrings === true,
    section: flags.fullSection === true,
    ...contextLines(call),
    ...languageFilter(call),
    ...globFilter(call),
    ...(under !== "" && { under }),
  };
}

function contextLines(call: Call): { readonly before: number; readonly after: number } {
  const both = parseCount(call, "context", "--context", 0) ?? 0;
  return {
    before: parseCount(call, "beforeContext", "--before-context", 0) ?? both,
    after: parseCount(call, "afterContext", "--after-context", 0) ?? both,
  };
}

async function printPages(
  reading: Reading,
  ask: Omit<GrepRequest, "offset" | "limit">,
  printer: Printer,
): Promise<void> {
  for (let offset = 0; ; offset += PAGE) {
    const limit = printer.onlyFiles ? 0 : Math.min(PAGE, printer.left);
    const answer = await reading.grep({ ...ask, offset, limit });
    printer.add(answer);
    if (printer.left > 0 && limit > 0 && offset + PAGE < answer.total) continue;
    return printer.addNotSearched(answer.notSearched);
  }
}

class Printer {
  readonly onlyFiles: boolean;
  left: number;
  private readonly call: Call;
  private readonly view: GrepView;
  /** Hits of the last file: the next page may begin with more of them. */
  private held: GrepHit[] = [];
  private found = 0;
  private incomplete = false;
  private notSearched: GrepAnswer["notSearched"] = [];

  constructor(call: Call, { root }: Project, places: readonly string[]) {
    const { flags, terminal, cwd } = call;
    const [place = ""] = places;
    const oneFile =
      places.length === 1 &&
      place !== "" &&
      statSync(resolve(root, place), { throwIfNoEntry: false })?.isFile() === true;
    const snippets = flags.snippet !== false;
    this.call = call;
    this.onlyFiles = flags.filesWithMatches === true;
    this.left =
      parseCount(call, "topK", "--top-k", 1) ?? parseCount(call, "limit", "--limit", 1) ?? Number.POSITIVE_INFINITY;
    this.view = {
      style: createStyle(terminal),
      isTerminal: terminal.outIsTty,
      // A place without its text is nothing but path and line.
      paths: !oneFile || !snippets,
      lineNumbers: !oneFile || !snippets || flags.lineNumber === true,
      snippets,
      scores: flags.scores === true,
      shownPath: (path) => relative(cwd, resolve(root, path)) || path,
    };
  }

  add(answer: GrepAnswer): void {
    if (!answer.complete) this.incomplete = true;
    if (this.onlyFiles) this.names(answer);
    for (const hit of answer.hits) {
      if (this.held.length > 0 && this.held[0]!.path !== hit.path) this.flush();
      this.held.push(hit);
      this.left--;
    }
  }

  addNotSearched(files: GrepAnswer["notSearched"]): void {
    this.notSearched = sumNotSearched([...this.notSearched, ...files]);
  }

  finish(reading: Reading): ExitCode {
    this.flush();
    const { terminal } = this.call;
    if (this.incomplete) terminal.err("warning: the pattern asks for too much work; lines may be missing\n");
    for (const warning of notSearchedWarnings(this.notSearched)) terminal.err(`warning: ${warning}\n`);
    if (this.found > 0) return 0;
    const { status } = reading;
    const files = counted(status.coverage?.filesIndexed ?? 0, "file");
    terminal.err(`No line matches in ${files} at ${status.ref}. ${skippedText(status.coverage)}\n`);
    return 1;
  }

  private names({ files }: GrepAnswer): void {
    for (const { path } of files) {
      if (this.left-- <= 0) return;
      this.found++;
      this.call.terminal.matches(`${renderPath(path, this.view)}\n`);
    }
  }

  private flush(): void {
    if (this.held.length === 0) return;
    const { terminal, flags } = this.call;
    if (flags.jsonl === true) terminal.out(this.held.map((hit) => this.jsonLine(hit)).join(""));
    else terminal.matches(renderFile(this.held, this.view, this.found > 0));
    this.found += this.held.length;
    this.held = [];
  }

  private jsonLine(hit: GrepHit): string {
    const { path, language, line, text, before, after, symbol } = hit;
    const [first] = hit.spans();
    const snippet = this.view.snippets ? { snippet: [...before, text, ...after].join("\n") } : {};
    const columns = first === undefined ? {} : { column_start: first.start + 1, column_end: first.end + 1 };
    const span = { line_start: line, line_end: line, ...columns };
    const score = this.view.scores ? { score: 1 } : {};
    return `${JSON.stringify({ path, span, language, ...(symbol && { symbol: symbol.qualifiedName }), ...score, ...snippet })}\n`;
  }
}
