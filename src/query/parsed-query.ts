/** A parsed query: its intent, its terms, the names in it, and the kinds of file it requests. */
import { type Kind, parseKindFilter } from "../model/kinds.ts";
import type { SearchRequest } from "../model/search.ts";
import type { Intent } from "../model/status.ts";
import { queryTerms, type WeightedTerm } from "../text/query-terms.ts";
import { type PathClass, requestedClasses } from "./path-class.ts";
import { contentWords, mentionedNames } from "./query-words.ts";

export interface ParsedQuery {
  readonly intent: Intent;
  /** Trimmed, the quotes around the whole taken off. */
  readonly text: string;
  readonly terms: readonly WeightedTerm[];
  /** Stems of the words that carry meaning, each once. */
  readonly words: readonly string[];
  /** Of a symbol query, or of a path query that could be one (`Foo.bar`). */
  readonly name?: NameQuery;
  /** Kinds of symbol that the query names (`class Foo`, "which struct …"). */
  readonly kinds: readonly Kind[];
  /** Names inside a sentence that may be defined somewhere. */
  readonly mentions: readonly string[];
  /** What has to occur word for word: a name or path of one token, or a phrase in quotes. */
  readonly literal?: string;
  /** Names inside a sentence that are spelt like code. */
  readonly codeTokens: readonly string[];
  /** Path classes that the query requests; they are not ranked lower. */
  readonly requestedClasses: ReadonlySet<PathClass>;
}

/** What is left to search for by words once the places in pasted text are known. */
export interface PastedQuery {
  readonly text: string;
  readonly isTrace: boolean;
}

export function parseQuery(ask: SearchRequest, pasted?: PastedQuery): ParsedQuery {
  const intent = pasted?.isTrace ? "error" : classify(ask.query);
  const text = plain(pasted?.text ?? ask.query);
  const terms = queryTerms(text, intent);
  const words = contentWords(text, intent);
  const name = couldBeName(text, intent) ? parseNameQuery(text) : undefined;
  const literal = literalText(ask.query.trim(), text, name);
  return {
    intent,
    text,
    terms,
    words,
    ...(name !== undefined && { name }),
    ...(literal !== undefined && isLiteral(literal) && { literal }),
    codeTokens: intent === "natural_language" ? codeTokens(text) : [],
    kinds: name?.kinds ?? mentionedKinds(text, intent),
    mentions: intent === "natural_language" ? mentionedNames(text) : [],
    requestedClasses: requestedClasses(text),
  };
}

/** `response.json` may be a method; `src/query` is a place. */
function couldBeName(text: string, intent: Intent): boolean {
  return intent === "symbol" || (intent === "path" && !/[/\\]/.test(text));
}

function literalText(query: string, text: string, name: NameQuery | undefined): string | undefined {
  if (unquoted(query) !== undefined) return text;
  return name?.bare;
}

/** Shorter texts occur everywhere and have no trigram. */
const SHORTEST_LITERAL = 3;

export function isLiteral(text: string): boolean {
  return text.length >= SHORTEST_LITERAL && /[\p{L}\p{N}]/u.test(text);
}

const MAX_CODE_TOKENS = 8;
/** A longer text is no sentence about one name. */
const LONGEST_SENTENCE = 1000;

/** In backticks or quotes, snake_case, camelCase, or qualified by `.`, `::`, `->` or `#`. */
function codeTokens(text: string): string[] {
  const found = new Set<string>();
  for (const [token, marked, plain] of text.slice(0, LONGEST_SENTENCE).matchAll(TOKENS)) {
    const word = (marked ?? plain ?? token).replace(/[.:]+$/, "");
    if (marked !== undefined ? isName(word) : isCodeLike(word)) found.add(word);
  }
  return [...found].slice(0, MAX_CODE_TOKENS);
}

const TOKENS =
  /(?<![\w'])[`"']([^`"'\s]{2,100})[`"'](?!\w)|([\p{L}_$][\p{L}\p{N}_$]*(?:(?:\.|::|->|#)[\p{L}_$][\p{L}\p{N}_$]*)*)/gu;

/** Whether a word can only be a name of code: no English word is spelt so. */
export function isCodeLike(word: string): boolean {
  return /\p{Ll}\p{Lu}|[\p{L}\p{N}]_[\p{L}\p{N}]|::|->|\p{L}{2}[.#]\p{L}{3}/u.test(word);
}

function plain(query: string): string {
  const text = query.trim();
  return unquoted(text) ?? text.replace(/^`(.+)`$/s, "$1");
}

/** "which struct holds …" requests structs; only the first such word counts. */
function mentionedKinds(text: string, intent: Intent): readonly Kind[] {
  if (intent !== "natural_language") return [];
  for (const word of text.slice(0, 200).toLowerCase().split(/\s+/)) {
    if (NAMED_KINDS.has(word)) return parseKindFilter(word);
  }
  return [];
}

const NAMED_KINDS = new Set([
  "class",
  "struct",
  "trait",
  "interface",
  "enum",
  "protocol",
  "macro",
  "method",
  "function",
]);

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
  // `curl: (60) SSL certificate problem: …`, `tool: cannot read file: …`
  /^[\w.+-]+: (?:\(\d+\) \S|[^:\n]{3,80}: \S)/,
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

/** The text of a query that is quoted as a whole. Apostrophes inside words are not quotes. */
function unquoted(text: string): string | undefined {
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

/** Resembles code: a separator, an underscore, an inner capital, a digit. */
function isShaped(word: string): boolean {
  return /::|\.|#|->|_|\p{Ll}\p{Lu}|\p{Lu}\p{Ll}|\p{L}\d|\(|!$/u.test(word);
}

/** `Map<String, Integer>`: blanks inside angle brackets do not make a sentence. */
function isGeneric(text: string): boolean {
  return /^[\w:.]+<[\w\s,:.<>&'*]*>$/.test(text);
}

const EXTENSIONS = new Set(
  (
    "rs ts tsx mts cts js jsx mjs cjs py pyi go java kt kts c h cc cpp cxx hpp hh hxx cs rb rake php swift scala sbt ex exs hs lhs " +
    "lua zig sh bash zsh fish dart md mdx rst txt json jsonc json5 yaml yml toml ini cfg conf xml html htm css scss sass less " +
    "vue svelte astro sql proto graphql gql gradle cmake mk lock csproj sln fs fsx ml mli clj cljs edn erl hrl nim pl pm r jl " +
    "m mm ps1 bat cmd tf hcl nix vim el lisp scm tex csv tsv ipynb wasm wat env gemspec podspec cabal blade erb haml slim ejs hbs tpl in"
  ).split(" "),
);

const FILE_NAMES = new Set(
  (
    "makefile dockerfile rakefile gemfile procfile jenkinsfile vagrantfile cmakelists.txt license readme changelog codeowners " +
    ".gitignore .gitattributes .dockerignore .editorconfig .npmrc .nvmrc .env .bashrc .zshrc"
  ).split(" "),
);

/** Whether the text ends in a known extension that has something before it. */
export function hasCodeExtension(text: string): boolean {
  const dot = text.lastIndexOf(".");
  return dot > 0 && EXTENSIONS.has(text.slice(dot + 1).toLowerCase());
}

function isKnownFileName(word: string): boolean {
  return FILE_NAMES.has(word.toLowerCase());
}

export interface NameQuery {
  /** The last part, as typed. */
  readonly name: string;
  /** With its qualifier, without the marks around it: `Foo::bar` of `&Foo::bar()`. */
  readonly bare: string;
  /** Spellings to look up: the whole word first (`save!`, `Plug.Conn` are names in their languages), then the last part. */
  readonly spellings: readonly string[];
  /** The parts before it, outermost first. */
  readonly qualifier: readonly string[];
  readonly kinds: readonly Kind[];
}

const JOINTS = /::|->|[.#$/\\]/;

/** Undefined when nothing in the text could be a name. */
export function parseNameQuery(text: string): NameQuery | undefined {
  const words = text.trim().split(/\s+/);
  const kinds = words.length > 1 ? parseKindFilter(words[0]!) : [];
  const word = (words.length > 1 ? words.slice(1).join(" ") : words[0]!).slice(0, MAX_NAME);
  const bare = word.replace(/^[@&*~$#]+/, "").replace(/(?:<.*|\(.*|;)$/s, "");
  const parts = bare.split(JOINTS).filter((part) => part !== "");
  const last = parts.pop();
  if (last === undefined) return undefined;
  const name = last.replace(/[!?=]+$/, "") || last;
  return { name, bare, spellings: [...new Set([word, bare, last, name])], qualifier: parts, kinds };
}

/** Names are cut here when they are extracted, too. */
const MAX_NAME = 200;

/** How much of the qualifier a qualified name carries, from its end: 1 all of it, 0 nothing. */
export function qualifierMatch(qualifiedName: string, question: Pick<NameQuery, "qualifier">): number {
  const { qualifier } = question;
  if (qualifier.length === 0) return 0;
  const owners = qualifiedName.toLowerCase().split(JOINTS).slice(0, -1);
  let found = 0;
  let from = owners.length;
  for (const part of qualifier.toReversed()) {
    const at = owners.lastIndexOf(part.toLowerCase(), from - 1);
    if (at < 0 || from === 0) break;
    found++;
    from = at;
  }
  return found / qualifier.length;
}
