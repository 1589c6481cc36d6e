/** What kind of question a query is. Order of the contract: error, path, quoted, symbol, natural language. */
import { parseKindFilter } from "../model/kinds.ts";
import type { Intent } from "../model/status.ts";
import { hasCodeExtension, isKnownFileName } from "./extensions.ts";

export function classify(query: string): Intent {
  const text = query.trim().slice(0, MAX_LOOKED_AT);
  if (isError(text)) return "error";
  if (isPath(text)) return "path";
  if (unquoted(text) !== undefined) return "error";
  if (isSymbol(text)) return "symbol";
  return "natural_language";
}

/** Intent shows in the first line; a pasted log of 10 kB is an error for its first words. */
const MAX_LOOKED_AT = 1000;

const ERROR_PATTERNS = [
  /\b(?:error|fatal|panic|exception)(?:\[\w+\])?\s*:(?!:)/i,
  /\b[A-Z]\w*(?:Error|Exception|Failure|Warning)\s*:(?!:)/,
  /\bpanicked at\b/,
  /\bTraceback\b/,
  /\bException\b.*\s|\s.*\bException\b/s,
  /\bat line \d*/i,
  /\bCaused by:/,
  /^E[A-Z]{3,}\b:/,
  /\bsegmentation fault\b|\bcore dumped\b/i,
];

function isError(text: string): boolean {
  return ERROR_PATTERNS.some((pattern) => pattern.test(text));
}

function isPath(text: string): boolean {
  if (/^["'`]/.test(text)) return false;
  if (!/\s/.test(text)) return isPathWord(text);
  // A path with blanks in it still ends in an extension and has a separator; a sentence that names a file does not begin with it.
  return /^[^\s/\\]*[/\\]/.test(text) && hasCodeExtension(text) && text.split(/\s+/).length <= 4;
}

function isPathWord(word: string): boolean {
  if (/[/\\]/.test(word)) return /[\p{L}\p{N}]/u.test(word);
  return isKnownFileName(word) || (/^[\w.@+\-[\]()$]+$/.test(word) && hasCodeExtension(word));
}

/** What stands between the quotes of a query that is quoted as a whole. Apostrophes inside words are no quotes. */
export function unquoted(text: string): string | undefined {
  const inner = /^(["'])(.+)\1$/s.exec(text)?.[2];
  return inner?.trim() ? inner : undefined;
}

/** Keywords of code: whatever single word follows is a name. */
const CODE_WORDS = new Set(
  "fn def func fun struct enum trait impl mod const let var defmodule defp defmacro".split(" "),
);

function isSymbol(text: string): boolean {
  const words = text.replace(/^`(.+)`$/s, "$1").split(/\s+/);
  if (words.length === 1) return isName(words[0]!);
  const [first = "", second = ""] = words;
  if (words.length !== 2 || !isName(second)) return isGeneric(text);
  if (CODE_WORDS.has(first)) return true;
  return parseKindFilter(first).length > 0 && isShaped(second);
}

/** One identifier, qualified or not, with the marks that languages put around it: `Foo::bar()`, `$x`, `~Foo`, `vec!`. */
const NAME =
  /^[~@$#&*]*[\p{L}_][\p{L}\p{M}\p{N}_]*(?:(?:::|\.|#|->|\$|\/)~?[\p{L}_$][\p{L}\p{M}\p{N}_]*)*[!?=]?(?:<.*>)?(?:\(.*\)?)?;?$/u;

function isName(word: string): boolean {
  if (!NAME.test(word)) return false;
  return isShaped(word) || /\p{L}{3,}/u.test(word);
}

/** Looks like code rather than like a word: a joint, an underscore, an inner capital, a digit. */
function isShaped(word: string): boolean {
  return /::|\.|#|->|_|\p{Ll}\p{Lu}|\p{Lu}\p{Ll}|\p{L}\d|\(|!$/u.test(word);
}

/** `Map<String, Integer>`: blanks inside angle brackets do not make a sentence. */
function isGeneric(text: string): boolean {
  return /^[\w:.]+<[\w\s,:.<>&'*]*>$/.test(text);
}
