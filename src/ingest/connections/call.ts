/** Reads the arguments of a call and the text of string literals from source code, without a grammar. */
import type { TextRange } from "../file-names.ts";

export interface Argument extends TextRange {
  /** Of a keyword argument or a hash pair: `methods=["GET"]`, `to: "users#index"`. */
  readonly name?: string;
}

export interface CallArguments {
  readonly args: readonly Argument[];
  /** After the closing bracket, or the end of the line where the call has none. */
  readonly end: number;
}

/** A longer list is data. */
const MAX_CALL_CHARS = 60_000;
const OPEN = "([{";
const CLOSE = ")]}";

/** The call of the name that ends at `at`: with brackets, or up to the end of the line where the language allows that. */
export function readCall(text: string, at: number, { bare }: { readonly bare: boolean }): CallArguments | undefined {
  let open = at;
  if (text[open] === "<") open = skipTypeArguments(text, open);
  while (text[open] === " " || text[open] === "\n" || text[open] === "\t") {
    if (bare && text[open] === "\n") return undefined;
    open++;
  }
  if (text[open] === "(" && !(bare && open > at)) return readArguments(text, open + 1);
  return bare && open > at ? readArguments(text, open, { line: true }) : undefined;
}

function skipTypeArguments(text: string, start: number): number {
  const end = /^<[\w\s,.[\]<>|{}:;?"'-]*>(?=\()/.exec(text.slice(start, start + 400));
  return end ? start + end[0].length : start;
}

/** Arguments up to the closing bracket, or to the end of the line; it continues after a comma. */
function readArguments(text: string, start: number, { line = false } = {}): CallArguments | undefined {
  const args: Argument[] = [];
  let depth = 0;
  let from = start;
  const limit = Math.min(text.length, start + MAX_CALL_CHARS);
  const take = (to: number) => {
    const arg = trimmed(text, from, to);
    if (arg.start < arg.end) args.push(named(text, arg));
    from = to + 1;
  };
  for (let i = start; i < limit; i++) {
    if (!line && PLAIN[text.charCodeAt(i)] !== 0) continue;
    const char = text[i]!;
    if (depth === 0 && line && endsLine(text, i, from)) {
      take(i);
      return { args, end: i };
    }
    if (OPEN.includes(char)) depth++;
    else if (CLOSE.includes(char)) {
      if (depth === 0) {
        take(i);
        return { args, end: i + 1 };
      }
      depth--;
    } else if (char === "," && depth === 0) take(i);
    else if (isQuote(text, i)) i = endOfString(text, i);
    else i = skipComment(text, i);
  }
  if (line) take(limit);
  return line ? { args, end: limit } : undefined;
}

/** 0 for what is more than a character of an argument: an argument may be a whole function. */
const PLAIN = Uint8Array.from({ length: 128 }, (_, code) =>
  "([{)]},\"'`/#".includes(String.fromCharCode(code)) ? 0 : 1,
);

function endsLine(text: string, at: number, from: number): boolean {
  if (text[at] === "\n") return text.slice(from, at).trim() !== "" && !/[,\\]\s*$/.test(text.slice(from, at));
  return text[at] === ";" || (/\s/.test(text[at - 1] ?? "") && /^(?:do|if|unless)\b/.test(text.slice(at, at + 7)));
}

/** An apostrophe after a letter or in a Rust lifetime opens no string. */
function isQuote(text: string, at: number): boolean {
  const char = text[at];
  if (char === '"' || char === "`") return true;
  if (char !== "'") return false;
  return !/[\w&<]/.test(text[at - 1] ?? "") || /\b[rbfuRBFU]{1,2}$/.test(text.slice(Math.max(0, at - 3), at));
}

/** The last character of the string that begins at `start`. */
export function endOfString(text: string, start: number): number {
  const quote = text[start]!;
  const triple = quote !== "`" && text.startsWith(quote.repeat(3), start);
  const close = triple ? quote.repeat(3) : quote;
  for (let i = start + close.length; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text.startsWith(close, i)) return i + close.length - 1;
    else if (text[i] === "\n" && !triple && quote !== "`") return i;
  }
  return text.length;
}

function skipComment(text: string, at: number): number {
  if (text.startsWith("//", at) && text[at - 1] !== ":") return endOf(text, "\n", at) - 1;
  if (text.startsWith("/*", at)) return endOf(text, "*/", at) + 1;
  if (text[at] === "#" && /\s/.test(text[at - 1] ?? " ") && /[\s]/.test(text[at + 1] ?? " "))
    return endOf(text, "\n", at) - 1;
  return at;
}

function endOf(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at < 0 ? text.length : at;
}

function trimmed(text: string, start: number, end: number): TextRange {
  let [from, to] = [start, end];
  for (let before = -1; before !== from; ) {
    before = from;
    while (from < to && /\s/.test(text[from]!)) from++;
    const after = skipComment(text, from);
    if (after !== from) from = Math.min(to, after + 1);
  }
  while (to > from && /\s/.test(text[to - 1]!)) to--;
  return { start: from, end: to };
}

/** `name = value` of Python, PHP's attributes and C#; `name: value`, `:name => value` of Ruby, Elixir and PHP. */
const NAMED = /^(?::?["']?([A-Za-z_]\w*)["']?\s*(?:=>|:(?!:)|=(?![=>]))\s*)(?=\S)/;

function named(text: string, { start, end }: TextRange): Argument {
  const found = NAMED.exec(text.slice(start, Math.min(end, start + 80)));
  if (!found || found[0].length >= end - start) return { start, end };
  return { start: start + found[0].length, end, name: found[1]! };
}

/** Parts of a list `[a, b]`, `{a, b}`, `{"x", "y"}`; one part where it is none. */
export function listItems(text: string, range: TextRange): readonly Argument[] {
  if (!OPEN.includes(text[range.start] ?? " ")) return [range];
  return readArguments(text, range.start + 1)?.args ?? [];
}

/** A string as a path: expressions in it become parameters, an expression at its start an unknown prefix (`…`). */
export function readPath(text: string, { start, end }: TextRange): string | undefined {
  const written = text.slice(start, end);
  if (PLAIN_STRING.test(written)) return written.slice(1, -1);
  const parts = concatenated(text, start, end);
  const read = parts.map((part) => operandText(text, text.slice(part.start, part.end)));
  if (!read.some((it) => it !== undefined)) return undefined;
  const path = read.map((it, i) => it ?? (i === 0 ? "…" : "{}")).join("");
  return path.length > MAX_PATH || /[\s"'`]/.test(path) ? undefined : path.replace(/^…\{\}/, "…");
}

/** A literal, or a constant of this text that holds one. */
function operandText(text: string, written: string, depth = 0): string | undefined {
  if (written.length > 2 * MAX_PATH || depth > MOST_CONSTANTS) return undefined;
  if (/^[A-Za-z_]\w*$/.test(written)) return constantText(text, written, depth);
  const filled = written.replace(
    /(?<=^(?:[fF]["'`]|`|\$")[\s\S]*)\$?\{\s*([A-Za-z_]\w*)\s*\}/g,
    (hole, name: string) => constantText(text, name, depth) ?? hole,
  );
  return literalText(filled.replace(/(?<=["'])\.format\([\s\S]*\)$/, ""));
}

/** Constants that are made of constants. */
const MOST_CONSTANTS = 3;

/** The one literal that a text assigns to a name. */
function constantText(text: string, name: string, depth: number): string | undefined {
  const assigned = new RegExp(
    `(?:^|[\\n;{(])[ \\t]*(?:(?:export|public|private|protected|internal|static|final|readonly|const|let|var|val|string|String)\\s+)*${name}\\s*(?::\\s*[\\w.]+\\s*|string\\s*)?:?=\\s*(["'\`])([^"'\`\\n]*)\\1\\s*(?=[;,)\\n]|as const|$)`,
    "g",
  );
  const found = new Set([...text.matchAll(assigned)].map((it) => it[2]!));
  const [value] = found;
  if (found.size !== 1 || value === undefined) return undefined;
  return /[${}]/.test(value) ? operandText(text, `\`${value}\``, depth + 1) : value;
}

const MAX_PATH = 300;
/** Most paths: one string with nothing to unfold. */
const PLAIN_STRING = /^(["'])[\w/.:-]{0,200}\1$/;

/** The operands of `+` and `.` between strings. */
function concatenated(text: string, start: number, end: number): TextRange[] {
  const parts: TextRange[] = [];
  let depth = 0;
  let from = start;
  for (let i = start; i < end; i++) {
    const char = text[i]!;
    if (OPEN.includes(char)) depth++;
    else if (CLOSE.includes(char)) depth--;
    else if (isQuote(text, i)) i = endOfString(text, i);
    else if (depth === 0 && (char === "+" || (char === "." && isConcatenation(text, i)))) {
      parts.push(trimmed(text, from, i));
      from = i + 1;
    }
  }
  parts.push(trimmed(text, from, end));
  return parts;
}

/** PHP's dot between strings, not a method of one. */
function isConcatenation(text: string, at: number): boolean {
  if (/\s/.test(text[at - 1] ?? "")) return true;
  return /["')]/.test(text[at - 1] ?? "") && /^\s*["'$]|^\s*(?:config|env|\w+::)\b/.test(text.slice(at + 1, at + 60));
}

/** What marks a string: Python's and C#'s prefixes. */
const LITERAL = /^(?:[rbfuRBFU]{0,2}|[@$]{1,2})("""|'''|"|'|`)([\s\S]*)\1$/;

/** The text of one string literal. Expressions in it become `{}`, one at its start `…`. */
export function literalText(written: string): string | undefined {
  const found = LITERAL.exec(written);
  if (!found) return undefined;
  const [, quote, inner] = found;
  // Two strings, not one.
  if (quote!.length === 1 && new RegExp(`(?<!\\\\)${quote}`).test(inner!)) return undefined;
  const prefix = written.slice(0, written.indexOf(quote!));
  const interpolated = /[fF$]/.test(prefix) ? inner!.replace(/\{[^{}]*\}/g, HOLE) : inner!;
  const holes = interpolated
    .replace(quote === "'" ? /(?!)/ : /\$\{(?:[^{}]|\{[^{}]*\})*\}|#\{[^{}]*\}/g, HOLE)
    .replace(/%[sdv]|%\{\w+\}/g, HOLE);
  return holes.replace(/^\0+/, "…").replaceAll(/\0+/g, "{}");
}

const HOLE = "\0";

/** A string that has no expressions in it. */
export function plainText(text: string, { start, end }: TextRange): string | undefined {
  const written = text.slice(start, end);
  if (PLAIN_STRING.test(written)) return written.slice(1, -1);
  const read = literalText(written);
  return read === undefined || read.includes("…") ? undefined : read;
}

/** The variable that the expression before `at` is assigned to; its beginning may be a part of the expression. */
export function assignedBefore(text: string, at: number): string | undefined {
  const before = text.slice(Math.max(0, at - MAX_ASSIGNED), at);
  const equals = before.lastIndexOf("=");
  if (equals < 0 || !MAKING.test(before.slice(equals + 1))) return undefined;
  return VARIABLE.exec(before.slice(0, equals))?.[1];
}

const MAX_ASSIGNED = 120;
const MAKING = /^\s*(?:await\s+)?(?:new\s+)?[\w.]*$/;
const VARIABLE = /(?<![\w$])([\w$]+)\s*(?::[^=\n]{0,60})?$/;
