/** Markdown. Its outline are the headings; there is no grammar. */
import type { Parsed, RawDefinition } from "../../ports/grammars.ts";
import { defineLanguage, modulePath } from "../define.ts";

export default defineLanguage({
  id: "markdown",
  title: "Markdown",
  aliases: ["md"],
  extensions: [".md", ".markdown", ".mdx", ".mkd"],
  read: headings,
  separator: ".",
  moduleOf: (path) => modulePath(path),
  methodOwners: [],
  visibility: () => ({}),
  // `**Run** it with [npx](https://…)` is called "Run it with npx".
  nameOf: (written) => written.replace(/!?\[([^[\]]*)\]\([^()]*\)/g, "$1").replace(/\*\*|`/g, ""),
  prose: true,
  docMarkers: [],
});

/**
 * The headings of a Markdown text, each with its section: up to the next heading of the same or a higher level. Knows
 * front matter, fenced code and comments well enough not to mistake their lines for headings; nothing else of Markdown.
 */
interface Line {
  readonly text: string;
  readonly start: number;
  readonly row: number;
}

interface Heading {
  readonly level: number;
  readonly start: number;
  readonly row: number;
  readonly nameStart: number;
  readonly nameEnd: number;
  /** End of the heading's own line or lines. */
  readonly bodyStart: number;
}

export function headings(text: string): Parsed {
  const found = find(text);
  const definitions: RawDefinition[] = [];
  const open: { level: number; index: number }[] = [];
  const ends = found.map(() => text.length);
  for (const [index, { level, start }] of found.entries()) {
    while (open.length > 0 && open.at(-1)!.level >= level) ends[open.pop()!.index] = start;
    open.push({ level, index });
  }
  const rows = endRows(text, found, ends);
  for (const [index, { row, level: _, ...it }] of found.entries()) {
    definitions.push({ kind: "heading", ...it, startRow: row, ...rows[index]! });
  }
  return { outcome: "clean", definitions };
}

/** Sections without the blank lines at their end. */
function endRows(text: string, found: readonly Heading[], ends: readonly number[]): { end: number; endRow: number }[] {
  const rowByStart = new Map(found.map((it) => [it.start, it.row]));
  const lastRow = countLines(text);
  return ends.map((limit) => {
    let end = limit;
    let endRow = limit === text.length ? lastRow : rowByStart.get(limit)!;
    for (; end > 0 && text.charCodeAt(end - 1) <= 0x20; end--) if (text[end - 1] === "\n") endRow--;
    return { end, endRow };
  });
}

function countLines(text: string): number {
  let rows = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) rows++;
  return rows;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const ATX = /^ {0,3}(#{1,6})(?=[ \t]|$)/;
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/;
/** Lines that cannot be the text of an underlined heading. */
const NO_PARAGRAPH = /^\s*(?:$|[>|#<]|[-*+]\s|\d+[.)]\s)|^ {4}/;

function find(text: string): Heading[] {
  const found: Heading[] = [];
  let closer: RegExp | undefined;
  let previous: Line | undefined;
  for (const line of splitLines(text)) {
    const content = line.text;
    if (closer) {
      if (closer.test(content)) closer = undefined;
      previous = undefined;
      continue;
    }
    closer = fenceOpener(line);
    const heading = closer ? undefined : (atx(line) ?? underlined(previous, line));
    if (heading) found.push(heading);
    previous = closer || heading || NO_PARAGRAPH.test(content) ? undefined : line;
  }
  return found;
}

/** How a stretch that begins in this line ends; its lines are not read. */
function fenceOpener({ text, row }: Line): RegExp | undefined {
  if (row === 0 && /^---[ \t]*$/.test(text)) return /^(?:---|\.\.\.)[ \t]*$/;
  if (/^ {0,3}<!--/.test(text) && !text.includes("-->")) return /-->/;
  const fence = FENCE.exec(text)?.[1];
  // An inline `code` span may begin with three backticks and end in the same line.
  if (!fence || (fence[0] === "`" && text.includes("`", text.indexOf(fence) + fence.length))) return undefined;
  return new RegExp(`^ {0,3}${fence[0]}{${fence.length},}[ \\t]*$`);
}

/** `## Name ##` */
function atx({ text, start, row }: Line): Heading | undefined {
  const marks = ATX.exec(text);
  if (!marks) return undefined;
  const rest = text.slice(marks[0].length);
  const trimmed = withoutClosing(rest.trimEnd());
  const lead = trimmed.length - trimmed.trimStart().length;
  const nameStart = start + marks[0].length + lead;
  const nameEnd = nameStart + trimmed.length - lead;
  if (nameEnd === nameStart) return undefined;
  return { level: marks[1]!.length, start: start + text.indexOf("#"), row, nameStart, nameEnd, bodyStart: nameEnd };
}

function withoutClosing(text: string): string {
  let end = text.length;
  while (text[end - 1] === "#") end--;
  return end < text.length && /[ \t]/.test(text[end - 1] ?? " ") ? text.slice(0, end).trimEnd() : text;
}

/** A line of text above `===` or `---`. */
function underlined(previous: Line | undefined, { text }: Line): Heading | undefined {
  const marks = previous && UNDERLINE.exec(text);
  if (!marks) return undefined;
  const start = previous.start + (previous.text.length - previous.text.trimStart().length);
  const nameEnd = start + previous.text.trim().length;
  return {
    level: marks[1]![0] === "=" ? 1 : 2,
    start,
    row: previous.row,
    nameStart: start,
    nameEnd,
    bodyStart: nameEnd,
  };
}

function* splitLines(text: string): Generator<Line> {
  let start = 0;
  for (let row = 0; start <= text.length; row++) {
    const end = text.indexOf("\n", start);
    const stop = end < 0 ? text.length : end;
    yield { text: text.slice(start, text[stop - 1] === "\r" ? stop - 1 : stop), start, row };
    if (end < 0) return;
    start = end + 1;
  }
}
