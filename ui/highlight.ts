/**
 * Colours source line by line: comments, strings, numbers, keywords and names. It knows each language's delimiters and not
 * its grammar, so that any line can be coloured from the state at its start.
 */

export type TokenKind = "comment" | "string" | "number" | "keyword" | "name" | "plain";

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

/** The delimiter that ends a comment or string begun on an earlier line; empty: none is open. */
export type LineState = string;

interface Language {
  readonly line: readonly string[];
  /** Opening and closing delimiter. */
  readonly block: readonly (readonly [string, string])[];
  /** Strings that may span lines. */
  readonly long: readonly string[];
  readonly quotes: string;
  readonly keywords: ReadonlySet<string>;
}

const words = (text: string) => new Set(text.split(" "));

const C_WORDS =
  "abstract as async await bool boolean break byte case catch char class const continue default defer delete do double else enum " +
  "export extends extern false final finally float fn for foreach from func function go goto if implements import in instanceof int " +
  "interface internal is let long match mod mut namespace new nil null object of operator override package private protected pub " +
  "public readonly record ref return sealed select self short signed static string struct super switch template this throw throws " +
  "trait true try type typedef typeof undefined union unsafe unsigned use using val var virtual void volatile when where while with yield";

const C_LIKE: Language = {
  line: ["//"],
  block: [["/*", "*/"]],
  long: ["`"],
  quotes: "\"'",
  keywords: words(C_WORDS),
};

const PYTHON: Language = {
  line: ["#"],
  block: [],
  long: ['"""', "'''"],
  quotes: "\"'",
  keywords: words(
    "False None True and as assert async await break case class continue def del elif else except finally for from global if " +
      "import in is lambda match nonlocal not or pass raise return self try while with yield",
  ),
};

const SCRIPT: Language = {
  line: ["#"],
  block: [],
  long: [],
  quotes: "\"'",
  keywords: words(
    "begin break case class def defmodule defp do done elif else elsif end ensure esac export false fi for function if in local " +
      "module next nil not or and raise require rescue return self super then true unless until when while yield",
  ),
};

const LUA: Language = { ...SCRIPT, line: ["--"], block: [["--[[", "]]"]], long: [] };
const HASKELL: Language = {
  line: ["--"],
  block: [["{-", "-}"]],
  long: [],
  quotes: '"',
  keywords: words("case class data deriving do else if import in instance let module newtype of then type where"),
};
const MARKUP: Language = { line: [], block: [["<!--", "-->"]], long: [], quotes: '"', keywords: new Set() };
const PLAIN: Language = { line: [], block: [], long: [], quotes: "", keywords: new Set() };

const LANGUAGES: Readonly<Record<string, Language>> = {
  python: PYTHON,
  ruby: SCRIPT,
  bash: SCRIPT,
  elixir: { ...SCRIPT, long: ['"""'] },
  yaml: SCRIPT,
  toml: { ...SCRIPT, long: ['"""'] },
  lua: LUA,
  haskell: HASKELL,
  sql: { ...C_LIKE, line: ["--"] },
  html: MARKUP,
  xml: MARKUP,
  markdown: PLAIN,
  text: PLAIN,
  rust: { ...C_LIKE, long: [], quotes: '"' },
  php: { ...C_LIKE, line: ["//", "#"] },
};

/** Whether a language has rules of its own for comments, strings and keywords. */
export function hasOwnColours(language: string): boolean {
  return language in LANGUAGES;
}

/** Longer lines are shown in part; nothing beyond is coloured. */
export const LONGEST_LINE = 2_000;

export function tokenize(text: string, languageId: string, state: LineState): { tokens: Token[]; state: LineState } {
  const language = LANGUAGES[languageId] ?? C_LIKE;
  const tokens: Token[] = [];
  const add = (kind: TokenKind, part: string) => {
    if (part !== "") tokens.push({ kind, text: part });
  };
  let at = 0;
  let open = state;
  while (at < text.length) {
    if (open !== "") {
      const end = text.indexOf(open, at);
      const stop = end < 0 ? text.length : end + open.length;
      add(isQuote(open, language) ? "string" : "comment", text.slice(at, stop));
      if (end >= 0) open = "";
      at = stop;
      continue;
    }
    const block = language.block.find(([start]) => text.startsWith(start, at));
    const long = language.long.find((quote) => text.startsWith(quote, at));
    if (block !== undefined || long !== undefined) {
      const start = block?.[0] ?? long!;
      open = block?.[1] ?? long!;
      const end = text.indexOf(open, at + start.length);
      const stop = end < 0 ? text.length : end + open.length;
      add(block ? "comment" : "string", text.slice(at, stop));
      if (end >= 0) open = "";
      at = stop;
    } else if (language.line.some((start) => text.startsWith(start, at))) {
      add("comment", text.slice(at));
      at = text.length;
    } else if (language.quotes.includes(text[at]!)) {
      const stop = stringEnd(text, at);
      add("string", text.slice(at, stop));
      at = stop;
    } else {
      const [part, kind] = word(text, at, language);
      add(kind, part);
      at += part.length;
    }
  }
  return { tokens, state: open };
}

/**
 * The state at the start of an excerpt, which may begin inside a docstring or a block comment: three words in a row that are no
 * keywords are prose, and the lines of a block comment begin with an asterisk.
 */
export function startState(lines: readonly string[], languageId: string): LineState {
  const language = LANGUAGES[languageId] ?? C_LIKE;
  const [, end = ""] = language.block[0] ?? [];
  if (end === "*/" && /^\s*\*(?:[\s/]|$)/.test(lines[0] ?? "")) return end;
  const quote = language.long.find((one) => one.length === 3);
  if (quote === undefined) return "";
  const last = lines.findIndex((line) => line.includes(quote));
  return lines.slice(0, last < 0 ? lines.length : last + 1).some((line) => isProse(line, languageId)) ? quote : "";
}

const PROSE_WORDS = 3;

function isProse(line: string, languageId: string): boolean {
  let run = 0;
  for (const { kind, text } of tokenize(line.slice(0, LONGEST_LINE), languageId, "").tokens) {
    if (kind === "name") run++;
    else if (text !== " ") run = 0;
    if (run === PROSE_WORDS) return true;
  }
  return false;
}

function isQuote(open: string, language: Language): boolean {
  return language.long.includes(open);
}

function stringEnd(text: string, from: number): number {
  const quote = text[from];
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === quote) return at + 1;
  }
  return text.length;
}

const NAME = /[\p{L}_$][\p{L}\p{N}_$]*/uy;
const NUMBER = /\d[\w.]*/y;
const OTHER = /[^\p{L}\p{N}_$"'`#/*\-{<]+|./uy;

function word(text: string, at: number, { keywords }: Language): [string, TokenKind] {
  for (const [pattern, kind] of [
    [NAME, "name"],
    [NUMBER, "number"],
    [OTHER, "plain"],
  ] as const) {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found) return [found, kind === "name" && keywords.has(found) ? "keyword" : kind];
  }
  return [text[at]!, "plain"];
}

/** The state at the start of each line, as far as it was needed. */
export class LineStates {
  readonly #lines: readonly string[];
  readonly #language: string;
  readonly #states: LineState[] = [""];

  constructor(lines: readonly string[], language: string) {
    this.#lines = lines;
    this.#language = language;
  }

  tokens(line: number): Token[] {
    for (let at = this.#states.length; at <= line; at++) {
      const text = this.#lines[at - 1]!.slice(0, LONGEST_LINE);
      this.#states.push(tokenize(text, this.#language, this.#states[at - 1]!).state);
    }
    return tokenize(this.#lines[line]!.slice(0, LONGEST_LINE), this.#language, this.#states[line]!).tokens;
  }
}
