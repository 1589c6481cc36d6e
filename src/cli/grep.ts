/** `search --regex`: matching lines of the files on disk, of a ref, or of several repositories, as grep prints them. */
import { existsSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, relative, resolve } from "node:path";
import type { MultiRepoReading, Project, Reading, ReadOptions } from "../compass/compass.ts";
import { type GrepAnswer, type GrepHit, type GrepRequest, notSearchedWarnings, sumNotSearched } from "../model/grep.ts";
import { namesSeveral } from "../model/workspace-selector.ts";
import { noteLines } from "../tools/text/answer.ts";
import { counted, skippedText } from "../tools/text/style.ts";
import { workspaceFields } from "../tools/wire/metadata.ts";
import type { Call, ExitCode } from "./command.ts";
import { type GrepView, renderFile, renderPath } from "./render/grep.ts";
import { hyperlinks } from "./render/hyperlink.ts";
import { createStyle } from "./render/style.ts";
import {
  globArgument,
  globFilter,
  impliesRegex,
  languageArgument,
  languageFilter,
  parseCount,
  usageError,
} from "./search-flags.ts";
import { type CommandSession, freshenToRead, openCommandProject } from "./session.ts";

/** Hits that are fetched together: few enough to show the first ones soon, enough to be quick. */
const PAGE = 2_000;

export async function grepCommand(given: Call, session: CommandSession): Promise<ExitCode> {
  const { remote } = session;
  const call = withPatternFirst(given);
  if (call.flags.files !== true) requirePattern(call);
  const implied = impliesRegex(call);
  if (implied !== undefined && implied !== "-e")
    call.terminal.err(`${implied} searches for a regular expression, as with --regex\n`);
  if (remote !== undefined && namesSeveral(remote)) return grepMany(call, session, remote);
  const project = await openCommandProject(session);
  if (remote === undefined && session.loaded.config["query.freshness_policy"] !== "best_effort")
    await freshenToRead(call, session, project, call.flags.ref);
  const places = remote === undefined ? searchPaths(call, session, project) : remotePaths(call);
  if (call.globals.json) return asGrepJson(call, session, { workspace: remote ?? project.root, places });
  const where = remote === undefined ? { root: project.root, places } : {};
  return session.compass.read(project, readOptions(call), async (reading) => {
    const printer = new Printer(call, where);
    for (const under of places) {
      if (call.flags.files === true) printer.addFiles(await reading.searchedFiles(grepScope(call, under)));
      else await printPages(reading, grepRequest(call, under), printer);
    }
    for (const warning of reading.status.warnings) call.terminal.err(`warning: ${warning}\n`);
    return printer.finish((found) => {
      if (found > 0) return [];
      const files = counted(reading.status.coverage?.filesIndexed ?? 0, "file");
      return [`No line matches in ${files} at ${reading.status.ref}. ${skippedText(reading.status.coverage)}`];
    });
  });
}

/** With -e and --files all arguments are paths. */
function withPatternFirst(call: Call): Call {
  const patterns = call.flags.regexp as readonly string[] | undefined;
  if (call.flags.files === true) return { ...call, words: ["", ...call.words] };
  if (patterns === undefined) return call;
  const flags = patterns.length > 1 ? { ...call.flags, fixedStrings: undefined } : call.flags;
  const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const each = call.flags.fixedStrings === true ? patterns.map(escaped) : patterns.map((one) => `(?:${one})`);
  return { ...call, flags, words: [patterns.length > 1 ? each.join("|") : patterns[0]!, ...call.words] };
}

function requirePattern({ words }: Call): void {
  if (words[0] === undefined || words[0] === "") throw usageError("the pattern is empty");
}

function readOptions({ flags, signal }: Call): ReadOptions {
  return { policy: "best_effort", signal, ...(typeof flags.ref === "string" && { ref: flags.ref }) };
}

/** As grep answers an error: a script must not take it for an absence. */
const NOT_ALL_SEARCHED = 2;

async function grepMany(call: Call, session: CommandSession, remote: string): Promise<ExitCode> {
  const [under = "", ...more] = remotePaths(call);
  if (more.length > 0) throw usageError("one path at most can be named where nothing is checked out");
  if (call.flags.files === true) throw usageError("--files lists the files of one repository");
  if (call.globals.json) return asGrepJson(call, session, { workspace: remote, places: [under] });
  return session.compass.readMany(remote, readOptions(call), async (reading) => {
    const printer = new Printer(call, {});
    await printManyPages(reading, grepRequest(call, under), printer);
    const report = reading.report();
    // Answers that did not come say so themselves, and not of the pattern.
    if (report.late.length > 0) printer.incomplete = false;
    const code = printer.finish((found) =>
      noteLines({ results: found > 0 ? [{}] : [], metadata: { workspaces: workspaceFields(report) } }),
    );
    return code === 1 && report.late.length + report.failed.length > 0 ? NOT_ALL_SEARCHED : code;
  });
}

/** The same answer as the tool gives. */
async function asGrepJson(
  call: Call,
  session: CommandSession,
  { workspace, places }: { readonly workspace: string; readonly places: readonly string[] },
): Promise<ExitCode> {
  if (places.length > 1) throw usageError("--json takes one file or directory; --jsonl takes several");
  const { printToolAnswer } = await import("./tool-commands.ts");
  const { flags } = call;
  const inText = ["invertMatch", "onlyMatching", "count", "maxCount", "vimgrep", "files", "multiline"] as const;
  const refused = inText.find((flag) => flags[flag] !== undefined) ?? (isInverted(call) ? "invertMatch" : undefined);
  if (refused !== undefined) throw usageError(`--json answers as regex_search does, which has no ${refused}`);
  const { pattern, ignoreCase, wholeWords, literal, before, after } = grepRequest(call, "");
  const size = parseCount(call, "topK", "--top-k", 1) ?? parseCount(call, "limit", "--limit", 1);
  const place = places[0] ?? "";
  return printToolAnswer("regex_search", call, session, {
    pattern,
    workspace,
    ...(session.remote === undefined ? { path: resolve(workspace, place) } : place !== "" && { path: place }),
    ignore_case: ignoreCase,
    whole_words: wholeWords,
    fixed_strings: literal,
    context: Math.max(before, after),
    include_snippet: flags.snippet !== false,
    ...(size !== undefined && { page_size: size }),
    ...globArgument(call),
    ...languageArgument(call),
    ...(typeof flags.ref === "string" && { ref: flags.ref }),
  });
}

function remotePaths({ words }: Call): readonly string[] {
  return words.length > 1 ? words.slice(1) : [""];
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

function grepScope(call: Call, under: string) {
  return { ...languageFilter(call), ...globFilter(call), ...(under !== "" && { under }) };
}

function grepRequest(call: Call, under: string): Omit<GrepRequest, "offset" | "limit"> {
  const { flags } = call;
  const pattern = call.words[0]!;
  return {
    pattern,
    ignoreCase: flags.ignoreCase === true || (flags.smartCase === true && !hasCapital(pattern)),
    wholeWords: flags.wordRegexp === true,
    literal: flags.fixedStrings === true,
    section: flags.fullSection === true,
    ...(isInverted(call) && { invert: true }),
    ...(flags.multiline === true && { multiline: true }),
    ...((flags.onlyMatching === true || flags.vimgrep === true) && { everyMatch: true }),
    ...contextLines(call),
    ...grepScope(call, under),
  };
}

/** In a pattern, -v is what it is in grep. */
function isInverted({ flags, globals }: Call): boolean {
  return flags.invertMatch === true || globals.shortVerbose === true;
}

/** Classes such as \W and \p{Lu} are no letters. */
function hasCapital(pattern: string): boolean {
  return /\p{Lu}/u.test(pattern.replace(/\\[pP]\{[^}]*\}|\\./g, ""));
}

function contextLines(call: Call): { readonly before: number; readonly after: number } {
  const both = parseCount(call, "context", "--context", 0) ?? 0;
  return {
    before: parseCount(call, "beforeContext", "--before-context", 0) ?? both,
    after: parseCount(call, "afterContext", "--after-context", 0) ?? both,
  };
}

type PageRequest = Omit<GrepRequest, "offset" | "limit">;

async function printPages(reading: Reading, ask: PageRequest, printer: Printer): Promise<void> {
  for (let offset = 0; ; offset += PAGE) {
    const limit = printer.onlyCounts ? 0 : Math.min(PAGE, printer.left);
    const answer = await reading.grep({ ...ask, offset, limit });
    printer.add(answer);
    if (printer.left > 0 && limit > 0 && offset + PAGE < answer.total) continue;
    return printer.addNotSearched(answer.notSearched);
  }
}

async function printManyPages(reading: MultiRepoReading, ask: PageRequest, printer: Printer): Promise<void> {
  for (let from: Parameters<MultiRepoReading["grepMany"]>[0]["from"]; ; ) {
    const limit = Math.min(PAGE, printer.left);
    const page = await reading.grepMany({ ...ask, limit, ...(from && { from }) });
    printer.add({
      hits: page.hits.map((hit) => ({ ...hit, path: `${hit.workspace}/${hit.path}` })),
      complete: page.complete,
    });
    from = page.hits.at(-1)?.behind;
    const isEnd = from === undefined || (page.counted <= page.hits.length && !page.more);
    if (isEnd || printer.left <= 0 || !page.complete) return printer.addNotSearched(page.notSearched);
  }
}

class Printer {
  /** Lines are not needed: the counts of the answer are enough. */
  readonly onlyCounts: boolean;
  left: number;
  private readonly call: Call;
  private readonly view: GrepView;
  private readonly mostPerFile: number;
  /** Hits of the last file: the next page may begin with more of them. */
  private held: GrepHit[] = [];
  /** Matching lines by file, in the order found. */
  private readonly files = new Map<string, number>();
  private found = 0;
  /** Lines may be missing: the pattern was given up. */
  incomplete = false;
  private notSearched: GrepAnswer["notSearched"] = [];

  /** `root`: paths are shown relative to the current directory. */
  constructor(call: Call, { root, places = [] }: { readonly root?: string; readonly places?: readonly string[] }) {
    const { flags, terminal, cwd } = call;
    const oneFile = root !== undefined && places.length === 1 && isFile(root, places[0]!);
    const snippets = flags.snippet !== false;
    const link = terminal.colour ? hyperlinks(call.globals.hyperlinkFormat ?? "default") : undefined;
    this.call = call;
    this.onlyCounts = [flags.filesWithMatches, flags.count, flags.quiet].includes(true);
    this.left =
      parseCount(call, "topK", "--top-k", 1) ?? parseCount(call, "limit", "--limit", 1) ?? Number.POSITIVE_INFINITY;
    this.mostPerFile = parseCount(call, "maxCount", "--max-count", 1) ?? Number.POSITIVE_INFINITY;
    this.view = {
      style: createStyle(terminal),
      isTerminal: terminal.outIsTty,
      // A place without its text is nothing but path and line.
      paths: !oneFile || !snippets || flags.vimgrep === true,
      lineNumbers: !oneFile || !snippets || flags.lineNumber === true || flags.vimgrep === true,
      columns: flags.vimgrep === true,
      eachMatch: flags.vimgrep === true ? "line" : flags.onlyMatching === true ? "match" : "none",
      nullAfterPath: flags.null === true,
      snippets,
      scores: flags.scores === true,
      ...(link !== undefined &&
        root !== undefined && { link: (text, path, line) => link(text, resolve(root, path), line) }),
      shownPath: (path) => (root === undefined ? path : relative(cwd, resolve(root, path)) || path),
    };
  }

  add({ hits, files, complete }: Pick<GrepAnswer, "hits" | "complete"> & Partial<GrepAnswer>): void {
    if (!complete) this.incomplete = true;
    if (this.onlyCounts && files !== undefined) for (const { path, lines } of files) this.files.set(path, lines);
    for (const hit of hits) {
      const before = this.files.get(hit.path) ?? 0;
      if (this.isRest(hit)) {
        if (before <= this.mostPerFile) this.held.push(hit);
        continue;
      }
      this.files.set(hit.path, before + 1);
      if (before >= this.mostPerFile || this.onlyCounts) continue;
      if (this.held.length > 0 && this.held[0]!.path !== hit.path) this.flush();
      this.held.push(hit);
      this.left--;
    }
  }

  /** The line shows the rest of a match that began on an earlier line. */
  private isRest(hit: GrepHit): boolean {
    return this.call.flags.multiline === true && !this.onlyCounts && hit.spans()[0]?.continued === true;
  }

  addFiles(paths: readonly string[]): void {
    this.found += paths.length;
    this.call.terminal.matches(paths.map((path) => `${renderPath(path, this.view)}${this.fileEnd}`).join(""));
  }

  addNotSearched(files: GrepAnswer["notSearched"]): void {
    this.notSearched = sumNotSearched([...this.notSearched, ...files]);
  }

  /** `notes`: what to say on stderr. */
  finish(notes: (found: number) => readonly string[]): ExitCode {
    this.flush();
    if (this.onlyCounts) this.found = this.files.size;
    const { terminal } = this.call;
    if (this.onlyCounts) this.printCounts();
    if (this.incomplete) terminal.err("warning: the pattern asks for too much work; lines may be missing\n");
    for (const warning of notSearchedWarnings(this.notSearched)) terminal.err(`warning: ${warning}\n`);
    for (const note of notes(this.found)) terminal.err(`${note}\n`);
    if (this.found > 0) return 0;
    return this.incomplete ? NOT_ALL_SEARCHED : 1;
  }

  private printCounts(): void {
    const { terminal, flags } = this.call;
    for (const [path, lines] of this.files) {
      if (this.left-- <= 0) return;
      const name = this.view.paths || flags.filesWithMatches === true ? renderPath(path, this.view) : "";
      const number = String(Math.min(lines, this.mostPerFile));
      const between = flags.null === true ? "\0" : ":";
      if (flags.filesWithMatches === true) terminal.matches(`${name}${this.fileEnd}`);
      else terminal.matches(`${name}${name === "" ? "" : between}${number}\n`);
    }
  }

  private get fileEnd(): string {
    return this.view.nullAfterPath ? "\0" : "\n";
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

function isFile(root: string, place: string): boolean {
  return place !== "" && statSync(resolve(root, place), { throwIfNoEntry: false })?.isFile() === true;
}
