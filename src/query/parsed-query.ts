/** A query as the read path understands it: its intent, its terms, the names in it, what it asks for by kind of file. */
import { type Kind, parseKindFilter } from "../model/kinds.ts";
import type { SearchRequest } from "../model/search.ts";
import type { Intent } from "../model/status.ts";
import { queryTerms, type WeightedTerm } from "../text/query-terms.ts";
import { classify, unquoted } from "./classify.ts";
import { askedClasses, type PathClass } from "./path-class.ts";
import { contentWords, mentionedNames } from "./query-words.ts";
import { type NameQuestion, nameOf } from "./symbol-name-query.ts";

export interface Question {
  readonly intent: Intent;
  /** Trimmed, the quotes around the whole taken off. */
  readonly text: string;
  readonly terms: readonly WeightedTerm[];
  /** Stems of the words that carry meaning, each once. */
  readonly words: readonly string[];
  /** Of a symbol query, or of a path query that could be one (`Foo.bar`). */
  readonly name?: NameQuestion;
  /** Kinds of symbol that the query names (`class Foo`, "which struct …"). */
  readonly kinds: readonly Kind[];
  /** Names inside a sentence that may be defined somewhere. */
  readonly mentions: readonly string[];
  /** Classes of file that the query asks for; they do not sink. */
  readonly asked: ReadonlySet<PathClass>;
}

export function understand(ask: SearchRequest): Question {
  const intent = classify(ask.query);
  const text = plain(ask.query);
  const terms = queryTerms(text, intent);
  const words = contentWords(text, intent);
  const name = couldBeName(text, intent) ? nameOf(text) : undefined;
  return {
    intent,
    text,
    terms,
    words,
    ...(name !== undefined && { name }),
    kinds: name?.kinds ?? mentionedKinds(text, intent),
    mentions: intent === "natural_language" ? mentionedNames(text) : [],
    asked: askedClasses(text),
  };
}

/** `response.json` may be a method; `src/query` is a place. */
function couldBeName(text: string, intent: Intent): boolean {
  return intent === "symbol" || (intent === "path" && !/[/\\]/.test(text));
}

function plain(query: string): string {
  const text = query.trim();
  return unquoted(text) ?? text.replace(/^`(.+)`$/s, "$1");
}

/** "which struct holds …" asks for structs; only the first such word counts. */
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
