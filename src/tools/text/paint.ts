/**
 * Colours a line of source by its tokens. One lexer for all languages: a line alone does not say whether it is inside a
 * comment or a string, so only what begins on it is recognized.
 */
import type { Style } from "./style.ts";

const KEYWORDS =
  "abstract and as async await begin bool boolean break byte case catch char class const continue data def default defer defp " +
  "defmodule del delete do double elif else elsif end enum except export extends extern false final finally float fn for foreach " +
  "from fun func function go goto if impl implements import in include instance int interface internal is lambda let local long " +
  "loop match mod module mut namespace new nil none not null object of operator or override package pass private protected pub " +
  "public raise readonly ref require rescue return self short signed sizeof static string struct super switch template then this " +
  "throw throws trait true try type typedef typename union unless unsafe unsigned until use using val var virtual void volatile " +
  "when where while with yield";
const IS_KEYWORD = new Set(KEYWORDS.split(" ").flatMap((word) => [word, word[0]!.toUpperCase() + word.slice(1)]));

/** Comments; strings; numbers; words. `//` after a colon is an address. */
const TOKENS =
  /((?<!:)\/\/.*|\/\*.*?(?:\*\/|$)|^\s*\*(?:\s.*|\/|$)|(?:^|(?<=\s))(?:#|--)(?=\s|!|$).*|<!--.*?(?:-->|$))|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`)|(\b\d[\w.]*)|([\p{L}_][\p{L}\p{N}_]*)/gu;

export type Paint = (text: string) => string;

/** `mark` colours what the query asks for inside each piece. */
export function paintSource(code: string, style: Style, mark: (text: string, paint: Paint) => string): string {
  let out = "";
  let at = 0;
  for (const { 0: token, 1: comment, 2: text, 3: number, 4: word, index } of code.matchAll(TOKENS)) {
    const paint = comment
      ? style.comment
      : text
        ? style.string
        : number
          ? style.number
          : IS_KEYWORD.has(word!)
            ? style.keyword
            : style.plain;
    out += mark(code.slice(at, index), style.plain) + mark(token, paint);
    at = index + token.length;
  }
  return out + mark(code.slice(at), style.plain);
}
