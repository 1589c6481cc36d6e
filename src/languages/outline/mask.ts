/**
 * Blanks out comments and the inside of strings, so that brackets and words in them do not count. Every offset and every
 * newline stays where it is. Linear: each character is passed once, and searches that fail are limited in number.
 */

/** A stretch that is not code. `open` is the source of a regular expression; what it matches is found left to right. */
export interface NonCodeRule {
  readonly open: string;
  /**
   * Absent: to the end of the line. Empty: `open` is all of it. `word`: a line that begins with the group `word` of `open` (a
   * heredoc). `same`: what `open` matched. A `$<group>` is a group of `open`.
   */
  readonly close?: string | { readonly word: true } | { readonly same: true };
  /** Character that takes the meaning from the next one; doubled closing marks need none. */
  readonly escapes?: string;
  /** The opening mark that raises the depth. */
  readonly nests?: string;
  /** Its delimiters stay visible, and it ends with its line unless `lines` is set. */
  readonly string?: true;
  readonly lines?: true;
}

export const comment = (open: string): NonCodeRule => ({ open });
export const block = (open: string, close: string): NonCodeRule => ({ open: escaped(open), close });
export const nested = (open: string, close: string): NonCodeRule => ({ ...block(open, close), nests: open });
export const quoted = (mark: string, escapes = "\\"): NonCodeRule => ({
  open: escaped(mark),
  close: mark,
  string: true,
  escapes,
});
export const quotedLines = (open: string, close = open, escapes = "\\"): NonCodeRule => ({
  ...{ open: escaped(open), close, string: true, lines: true },
  ...(escapes !== "" && { escapes }),
});
/** `open` has a group `word`. */
export const heredoc = (open: string): NonCodeRule => ({ open, close: { word: true } });

function escaped(literal: string): string {
  return literal.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

export type Mask = (text: string) => string;

/** Heredocs without an end that are searched for; the shift operator looks like one. */
const MAX_OPEN_HEREDOCS = 32;

export function maskOf(quiet: readonly NonCodeRule[]): Mask {
  if (quiet.length === 0) return (text) => text;
  const openers = new RegExp(quiet.map(({ open }, i) => `(?<q${i}>${open})`).join("|"), "gm");
  return (text) => {
    const search = new ForwardSearch(text);
    let masked = "";
    let done = 0;
    let failed = 0;
    openers.lastIndex = 0;
    for (let it = openers.exec(text); it; it = openers.exec(text)) {
      const kind = quiet.find((_, i) => it!.groups![`q${i}`] !== undefined)!;
      const inner = it.index + it[0].length;
      const end = stretch(search, it, inner, kind, failed < MAX_OPEN_HEREDOCS);
      if (end === undefined) failed++;
      else {
        masked += text.slice(done, end.from) + blank(text.slice(end.from, end.to));
        done = end.to;
        openers.lastIndex = Math.max(end.after, it.index + 1);
      }
      if (it[0] === "" && openers.lastIndex === it.index) openers.lastIndex++;
    }
    return masked + text.slice(done);
  };
}

/** What to blank out, and where code continues. */
interface MaskedRange {
  readonly from: number;
  readonly to: number;
  readonly after: number;
}

function stretch(
  search: ForwardSearch,
  it: RegExpExecArray,
  inner: number,
  kind: NonCodeRule,
  heredocs: boolean,
): MaskedRange | undefined {
  const { close, string } = kind;
  if (typeof close === "object" && "word" in close)
    return heredocs ? heredocLines(search, inner, it.groups!.word ?? "") : undefined;
  const { from, end } = closing(search, inner, withClose(kind, it));
  return string ? { from: inner, to: from, after: end } : { from: it.index, to: end, after: end };
}

function withClose(kind: NonCodeRule, it: RegExpExecArray): NonCodeRule {
  const { close } = kind;
  if (typeof close === "object") return { ...kind, close: it[0] };
  return close?.includes("$<") ? { ...kind, close: close.replace(/\$<(\w+)>/, (_, name) => it.groups![name]!) } : kind;
}

/** Searches forward in one text; a result is kept until it is passed, so that repeated searches stay linear. */
export class ForwardSearch {
  readonly text: string;
  readonly #found = new Map<string, { from: number; at: number }>();

  constructor(text: string) {
    this.text = text;
  }

  /** The first `what` at or after `from`, or the length of the text. */
  next(what: string, from: number): number {
    const known = this.#found.get(what);
    if (known && known.from <= from && from <= known.at) return known.at;
    const found = this.text.indexOf(what, from);
    const at = found < 0 ? this.text.length : found;
    this.#found.set(what, { from, at });
    return at;
  }
}

/** The lines between the opener's line and the line with the word alone. */
function heredocLines(search: ForwardSearch, inner: number, word: string): MaskedRange | undefined {
  const { text } = search;
  const start = search.next("\n", inner) + 1;
  if (word === "" || start > text.length) return undefined;
  for (let at = text.indexOf(word, start); at >= 0; at = text.indexOf(word, at + word.length)) {
    const after = text[at + word.length];
    const isAlone = ONLY_BLANKS.test(text.slice(Math.max(start - 1, at - MAX_INDENT), at));
    if (isAlone && (after === undefined || /[\s;,)]/.test(after)))
      return { from: start, to: at + word.length, after: at + word.length };
  }
  return undefined;
}

const ONLY_BLANKS = /\n[ \t]*$/;
const MAX_INDENT = 200;

/** `from`: where the closing mark begins; `end`: after it. */
function closing(search: ForwardSearch, inner: number, kind: NonCodeRule): { from: number; end: number } {
  const { close, escapes, nests, string, lines } = kind;
  const { text } = search;
  const lineEnd = search.next("\n", inner);
  if (close === "") return { from: inner, end: inner };
  if (typeof close !== "string") return { from: lineEnd, end: lineEnd };
  if (nests) return nestedEnd(text, inner, kind);
  const limit = string && !lines ? lineEnd : text.length;
  for (let at = inner; ; ) {
    const end = search.next(close, at);
    if (end >= limit) return { from: limit, end: limit };
    if (escapes === undefined || !isEscaped(text, inner, end, escapes)) return { from: end, end: end + close.length };
    at = end + 1;
  }
}

function isEscaped(text: string, inner: number, at: number, escapes: string): boolean {
  let from = at;
  while (from > inner && text[from - 1] === escapes) from--;
  return (at - from) % 2 === 1;
}

function nestedEnd(text: string, inner: number, { close, nests }: NonCodeRule): { from: number; end: number } {
  const [open, mark] = [nests!, close as string];
  let depth = 1;
  let nextOpen = text.indexOf(open, inner);
  for (let at = text.indexOf(mark, inner); at >= 0; at = text.indexOf(mark, at + mark.length)) {
    for (; nextOpen >= 0 && nextOpen < at; nextOpen = text.indexOf(open, nextOpen + open.length)) depth++;
    if (--depth === 0) return { from: at, end: at + mark.length };
  }
  return { from: text.length, end: text.length };
}

function blank(text: string): string {
  if (!text.includes("\n")) return " ".repeat(text.length);
  return text.replace(/[^\n]+/g, (line) => " ".repeat(line.length));
}
