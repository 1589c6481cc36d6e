/**
 * Finds the parts of a text that a grammar cannot read, and blanks them. One construct that a grammar does not know may
 * otherwise cost the definitions of a whole file. Works on indentation and brackets, so it needs no rules per language.
 */

/** Rows are 0-based, inclusive. */
export interface Rows {
  readonly startRow: number;
  readonly endRow: number;
}

type Frames = readonly { readonly head: string; readonly tail: string }[];

interface Search {
  readonly lines: readonly string[];
  /** The lines without comments and strings. */
  readonly code: readonly string[];
  readonly parses: (text: string) => boolean;
  readonly hidden: Rows[];
  tests: number;
}

/** Each test parses one part. */
const MAX_TESTS = 2_000;
/** A shorter part is blanked whole. */
const MIN_ROWS = 4;
const MAX_DEPTH = 8;
/** Parts that are looked at together when one alone has half of a bracket. */
const MAX_JOINED = 8;

/** The text with blanks for the parts that `parses` refuses, every offset kept; undefined when no such part was found. */
export function hideFaults(
  text: string,
  parses: (part: string) => boolean,
): { readonly text: string; readonly hidden: readonly Rows[] } | undefined {
  const lines = text.split("\n");
  const search: Search = { lines, code: codeLines(text), parses, hidden: [], tests: 0 };
  hideIn(search, { startRow: 0, endRow: lines.length - 1 }, 0, []);
  const { hidden } = search;
  if (hidden.length === 0) return undefined;
  for (const { startRow, endRow } of hidden) {
    for (let row = startRow; row <= endRow; row++) lines[row] = lines[row]!.replace(/[^\r]/g, " ");
  }
  return { text: lines.join("\n"), hidden };
}

/** Looks at each part of the rows, which have that indentation; `around` makes a whole of it. */
function hideIn(search: Search, rows: Rows, indent: number, around: Frames): void {
  const parts = partsOf(search.code, rows, indent);
  for (let at = 0; at < parts.length; at++) {
    const { startRow } = parts[at]!;
    let last = at;
    while (last < at + MAX_JOINED && last < parts.length && !isWhole(search.code, startRow, parts[last]!.endRow))
      last++;
    // An open end, such as the first line of a namespace, is left as it is.
    if (last === parts.length || last === at + MAX_JOINED) continue;
    at = last;
    hidePart(search, { startRow, endRow: parts[last]!.endRow }, around);
  }
}

function hidePart(search: Search, part: Rows, around: Frames): void {
  if (isReadable(search, search.lines.slice(part.startRow, part.endRow + 1).join("\n"), around)) return;
  const frame =
    part.endRow - part.startRow < MIN_ROWS || around.length === MAX_DEPTH ? undefined : frameOf(search, part);
  const inside = frame && [...around, frame];
  if (!frame || !inside || !isReadable(search, "", inside)) search.hidden.push(part);
  else hideIn(search, frame.body, frame.indent, inside);
}

function isReadable(search: Search, part: string, around: Frames): boolean {
  if (++search.tests > MAX_TESTS) return true;
  const whole = around.reduceRight((inner, { head, tail }) => `${head}\n${inner}\n${tail}`, part);
  return whole.trim() === "" || search.parses(whole);
}

/** A line that continues the part before it. */
const CONTINUES = /^\s*(?:[)\]}{\u{2}]|(?:end|else|catch|finally|except|elif)\b|#\s*(?:if|el|end)|$)/u;
/** Behind such a line something else begins. */
const ENDS = /^\s*(?:[)\]}]|end\b)|[;}]\s*$/;

function partsOf(code: readonly string[], { startRow, endRow }: Rows, indent: number): Rows[] {
  const starts = [startRow];
  for (let row = startRow + 1; row <= endRow; row++) {
    const line = code[row]!;
    if (indentOf(line) !== indent || isBlank(line)) continue;
    if (code[row - 1]!.trim() === "" || (ENDS.test(code[row - 1]!) && !CONTINUES.test(line))) starts.push(row);
  }
  return starts.map((start, i) => ({ startRow: start, endRow: (starts[i + 1] ?? endRow + 1) - 1 }));
}

/** The head of a part that has a body, and the lines that close it. */
function frameOf({ lines, code }: Search, { startRow, endRow }: Rows) {
  let from = startRow;
  let outer = Number.POSITIVE_INFINITY;
  for (; from <= endRow; from++) {
    const line = code[from]!;
    if (!isBlank(line)) outer = Math.min(outer, indentOf(line));
    if (/(?:[{:]|\b(?:do|then|where|in))\s*$/.test(line)) break;
  }
  from++;
  let to = endRow;
  while (to >= from && isBlank(code[to]!)) to--;
  if (to >= from && indentOf(code[to]!) <= outer && CONTINUES.test(code[to]!)) to--;
  let first = from;
  while (first <= to && isBlank(code[first]!)) first++;
  if (first > to || indentOf(code[first]!) < outer) return undefined;
  const head = lines.slice(startRow, from).join("\n");
  const tail = lines.slice(to + 1, endRow + 1).join("\n");
  return { head, tail, body: { startRow: from, endRow: to }, indent: indentOf(code[first]!) };
}

function isBlank(line: string): boolean {
  return line.startsWith(INSIDE) || line.trim() === "";
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

const BRACKETS = /[{}()]|^[ \t]*#[ \t]*(?:if|endif)/gm;

/** Without half of a bracket or of a condition of the preprocessor, so that blanks in its place break nothing else. */
function isWhole(code: readonly string[], startRow: number, endRow: number): boolean {
  const open = [0, 0, 0];
  for (let row = startRow; row <= endRow; row++) {
    for (const [found] of code[row]!.matchAll(BRACKETS)) {
      const kind = /[{}]$/.test(found) ? 0 : /[()]$/.test(found) ? 1 : 2;
      open[kind]! += /[{(]$|[^d]if$/.test(found) ? 1 : -1;
      if (open[kind]! < 0) return false;
    }
  }
  return open.every((it) => it === 0);
}

/** Opens a comment or a string of several lines, or is a quiet part of one line. */
const OPENERS = /\/\*|"""|'''|`|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])'|\/\/.*/g;
/** In place of a character of a comment or a string, and at the start of a line inside one. */
const [MASK, INSIDE] = ["\u{1}", "\u{2}"];

function codeLines(text: string): string[] {
  let code = "";
  let from = 0;
  for (let it = OPENERS.exec(text); it; it = OPENERS.exec(text)) {
    const end = endOfQuiet(text, it[0], it.index);
    code += text.slice(from, it.index);
    if (!it[0].startsWith("//")) {
      code += text.slice(it.index, end).replace(/[^\n]/g, MASK).replaceAll("\n", `\n${INSIDE}`);
    }
    from = end;
    OPENERS.lastIndex = end;
  }
  return (code + text.slice(from)).split("\n");
}

function endOfQuiet(text: string, opener: string, start: number): number {
  const after = start + opener.length;
  if (opener === "/*") return endOfComment(text, after);
  if (!["`", '"""', "'''"].includes(opener)) return after;
  const end = text.indexOf(opener, after);
  return end < 0 ? after : end + opener.length;
}

/** An outer comment is looked for this far, so that many open ones take linear time. */
const MAX_NESTED = 10_000;

/** Comments nest in some languages; where that leads nowhere, the first end counts. */
function endOfComment(text: string, after: number): number {
  const marks = /\/\*|\*\//g;
  marks.lastIndex = after;
  let first: number | undefined;
  let depth = 1;
  for (let it = marks.exec(text); it; it = marks.exec(text)) {
    depth += it[0] === "/*" ? 1 : -1;
    if (it[0] === "*/") first ??= marks.lastIndex;
    if (depth === 0) return marks.lastIndex;
    if (first !== undefined && marks.lastIndex - after > MAX_NESTED) break;
  }
  return first ?? text.length;
}
