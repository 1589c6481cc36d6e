/** What a pasted issue says, by kind of evidence: title, prose, code, stack frames, paths, modules, and names. Pure. */
import { isStopWord } from "../../text/query-terms.ts";
import { parsePasted } from "../pasted/parse.ts";

export interface IssueEvidence {
  readonly title: string;
  /** Sentences of the body, without code, templates and environment dumps. */
  readonly prose: string;
  /** Code blocks and interpreter sessions. */
  readonly code: string;
  /** From stack traces, permalinks and diffs, the innermost first. */
  readonly frames: readonly IssueFrame[];
  /** Quoted file paths with `/` or an extension, in the order of the text. */
  readonly paths: readonly string[];
  /** Dotted names such as `a.b.C.method`, in the order of the text. */
  readonly dotted: readonly string[];
  /** Identifiers that may be defined somewhere, with how telling their place in the text is. */
  readonly names: ReadonlyMap<string, number>;
}

export interface IssueFrame {
  readonly path: string;
  readonly line: number;
  readonly name?: string;
}

/** Contract: a whole issue has at most 64 kB. */
const MAX_ISSUE = 65_536;
/** A log of thousands of lines repeats itself. */
const MAX_LINE = 500;

/** A text of several lines that is too long for a question. A stack trace or a compiler's output alone is no issue. */
export function isIssue(query: string): boolean {
  const text = query.trim();
  if (text.length < SHORTEST_ISSUE || !text.includes("\n")) return false;
  return parsePasted(text).rest.trim().length >= SHORTEST_ISSUE;
}

const SHORTEST_ISSUE = 160;

export function readIssue(query: string): IssueEvidence {
  const text = query
    .trim()
    .slice(0, MAX_ISSUE)
    .replace(/<!--[\s\S]*?(?:-->|$)/g, "\n");
  const { title, prose, code } = splitSections(text);
  const found = { frames: stackFrames(text), paths: quotedPaths(text), dotted: dottedNames(text) };
  return { title, prose, code, ...found, names: namesIn(title, prose, code) };
}

interface Sections {
  readonly title: string;
  readonly prose: string;
  readonly code: string;
}

function splitSections(text: string): Sections {
  const [first = "", ...rest] = text.split("\n");
  const prose: string[] = [];
  const code: string[] = [];
  let fence: string | undefined;
  let skipping = false;
  for (const raw of rest) {
    const line = raw.slice(0, MAX_LINE).trimEnd();
    const mark = /^\s*(```+|~~~+)/.exec(line)?.[1];
    if (mark !== undefined) {
      fence = fence === undefined ? mark : line.trim().startsWith(fence) ? undefined : fence;
      continue;
    }
    const heading = headingOf(line);
    if (fence === undefined && heading !== undefined) {
      skipping = ENVIRONMENT_HEADING.test(heading);
      if (!skipping && !TEMPLATE_HEADING.test(heading)) prose.push(heading);
      continue;
    }
    if (skipping || isBoilerplate(line)) continue;
    if (fence !== undefined || isCodeLine(line)) code.push(line);
    else prose.push(line);
  }
  return { title: first.slice(0, MAX_LINE), prose: withoutUrls(prose.join("\n")), code: code.join("\n") };
}

function headingOf(line: string): string | undefined {
  return /^\s*#{1,6}\s+(.+?)[\s#]*$/.exec(line)?.[1] ?? /^\*\*([^*]{3,80})\*\*:?$/.exec(line.trim())?.[1];
}

const ENVIRONMENT_HEADING =
  /^(?:your |system |the )?(?:environment|versions?|system (?:info|details|information)|platform|installed|dependencies|package versions|installation|pip (?:list|freeze)|configuration|output of|(?:software|library) versions?)\b/i;
const TEMPLATE_HEADING =
  /^(?:(?:describe|description|what|how|steps?|to reproduce|reproduc|expected|actual|current|observed|additional|bug|issue|problem|summary|checks?|checklist|is your feature|the solution|alternatives?|provide|verbose|complete|minimal|code|example|context|motivation|proposal|relevant log|stack ?trace|traceback|contribution|willing)\b.*)$/i;

const BOILERPLATE = [
  /^\s*[-*]\s*\[[ xX]\]/,
  // `numpy==1.2.3`, `Python: 3.7.1 (default, …)`, `- pandas 1.0.3`.
  /^\s*[-*]?\s*`?[\w.\- ]{2,30}`?\s*(?:==|=|:|\s)\s*v?\d+(?:\.\d+)+[\w.+-]*(?:\s*\(.*)?$/,
  /^\s*(?:platform|OS|system|python|machine|processor|executable|operating system|kernel)\s*[:=]/i,
  /^(?:Linux|Darwin|Windows|macOS)[-\s]\S*\d/,
  /\bcode of conduct\b|\bcontributing guide\b|\bsearched (?:the )?(?:existing|open|issues)\b|^\s*_?no response_?\s*$/i,
];

function isBoilerplate(line: string): boolean {
  return BOILERPLATE.some((pattern) => pattern.test(line));
}

/** Interpreter prompts, statements, calls and assignments of languages with punctuation. */
function isCodeLine(line: string): boolean {
  if (/^(?:\s{4,}|\t)\S/.test(line)) return true;
  if (/^\s*(?:>>>|\.\.\.\s|In \[\d+\]|\$ |#include|File ")/.test(line)) return true;
  if (
    /^\s*(?:from [\w.]+ import |import [\w.{*]|def \w+\(|class \w+[(:{]|@\w+|return\b.*[()[\]]|(?:if|for|while|with)\b.*:$)/.test(
      line,
    )
  )
    return true;
  return /^\s*[\w.[\]'"]+\s*=\s*\S/.test(line) || /^\s*[\w.]+\(.*\)[;:]?\s*$/.test(line) || /[{};]\s*$/.test(line);
}

function withoutUrls(text: string): string {
  return text.replace(/https?:\/\/[^\s)>\]]+/g, " ");
}

/** The innermost first. */
function stackFrames(text: string): IssueFrame[] {
  return parsePasted(text).frames.flatMap(({ path, line, symbol }) =>
    line === undefined ? [] : [{ path: slashed(path), line, ...(symbol && { name: symbol }) }],
  );
}

const MAX_PATHS = 100;

function quotedPaths(text: string): string[] {
  const found = new Set<string>();
  for (const [path] of text.matchAll(/(?<![\w@+-])[\w@+-]*(?:[/\\.][\w@+-]+)+/g)) {
    if (found.size < MAX_PATHS && isPathLike(path)) found.add(slashed(path));
  }
  return [...found];
}

const SOURCE_EXTENSION =
  /\.(?:py|pyx|pyi|pxd|js|mjs|cjs|jsx|ts|tsx|mts|go|rs|rb|php|java|kt|cs|ex|exs|c|cc|cpp|h|hpp|swift|scala|lua|dart|sh|sql|html|css|json|toml|ya?ml|cfg|ini|txt|rst|md)$/;

function isPathLike(text: string): boolean {
  return SOURCE_EXTENSION.test(text) || (/\w\/\w+\/\w/.test(text) && !text.startsWith("//"));
}

function slashed(path: string): string {
  return path.replaceAll("\\", "/").replace(/^(?:\.{0,2}\/)+/, "");
}

const MAX_DOTTED = 120;

function dottedNames(text: string): string[] {
  const found = new Set<string>();
  for (const [name] of withoutUrls(text).matchAll(/\b[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)+/g)) {
    if (found.size < MAX_DOTTED && !SOURCE_EXTENSION.test(name)) found.add(name.replaceAll("::", "."));
  }
  for (const [, module = "", names = ""] of text.matchAll(/\bfrom\s+([\w.]+)\s+import\s+([\w, ]+)/g)) {
    for (const name of names.split(",")) {
      const last = name.trim().split(/\s/)[0];
      if (last && found.size < MAX_DOTTED) found.add(`${module}.${last}`);
    }
  }
  return [...found];
}

/** How telling a name is by where it stands. */
const NAME_WEIGHTS = { title: 2, marked: 1.5, prose: 1, word: 0.3, code: 0.5 } as const;
const MAX_NAMES = 96;

function namesIn(title: string, prose: string, code: string): Map<string, number> {
  const weights = new Map<string, number>();
  const add = (name: string, weight: number) => {
    if (isStopWord(name.toLowerCase())) return;
    weights.set(name, Math.max(weight, weights.get(name) ?? 0));
  };
  for (const [, marked = ""] of `${title}\n${prose}`.matchAll(/`{1,2}([^`\n]{2,120})`{1,2}/g)) {
    for (const [name] of marked.matchAll(WORD)) add(name, NAME_WEIGHTS.marked);
  }
  for (const [name] of title.matchAll(WORD)) add(name, isShaped(name) ? NAME_WEIGHTS.title : NAME_WEIGHTS.word * 2);
  for (const [name] of prose.matchAll(WORD)) if (isShaped(name)) add(name, NAME_WEIGHTS.prose);
  for (const [name] of code.matchAll(WORD)) add(name, NAME_WEIGHTS.code);
  return new Map([...weights].sort((a, b) => b[1] - a[1]).slice(0, MAX_NAMES));
}

const WORD = /(?<!\w)[A-Za-z_]\w{2,79}(?!\w)/g;

/** Looks like code: an underscore inside, an inner capital, all capitals, a digit after letters. */
function isShaped(name: string): boolean {
  return (
    /[A-Za-z]_|_[A-Za-z]|[a-z][A-Z]|[A-Z]{2,}[a-z]|^[A-Z]{3,}$|[a-z]\d/.test(name) || /^[A-Z][a-z]+[A-Z]/.test(name)
  );
}
