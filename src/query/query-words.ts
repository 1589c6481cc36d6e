/** The words of a query that paths and names are compared with. */
import type { Intent } from "../model/status.ts";
import { splitIdentifier, stem } from "../text/identifiers.ts";
import { isStopWord } from "../text/query-terms.ts";

const MAX_WORDS = 32;
const MAX_MENTIONS = 24;
/** A longer query is pasted text; its first words suffice. */
const MAX_READ = 2000;

/** Stems of the parts of all identifiers in the text, stop words of sentences left out, each once. */
export function contentWords(text: string, intent: Intent): string[] {
  const found = new Set<string>();
  for (const word of text.slice(0, MAX_READ).split(NOT_WORD)) {
    if (intent === "natural_language" && isStopWord(word.toLowerCase())) continue;
    for (const part of splitIdentifier(word)) if (part.length > 1) found.add(stem(part.toLowerCase()));
  }
  return [...found].slice(0, MAX_WORDS);
}

const NOT_WORD = /[^\p{L}\p{M}\p{N}_]+/u;

/** Stems of the words that a part of a path is made of, each once. */
export function pathWords(part: string): readonly string[] {
  const known = remembered.get(part);
  if (known !== undefined) return known;
  const words = part.split(NOT_WORD).flatMap((word) => splitIdentifier(word).map((piece) => stem(piece.toLowerCase())));
  const once = [...new Set(words)];
  if (remembered.size >= REMEMBERED) remembered.clear();
  remembered.set(part, once);
  return once;
}

const REMEMBERED = 50_000;
const remembered = new Map<string, readonly string[]>();

/** Equal, or one begins the other and both have more than three letters: `auth` and `authentic`. */
export function alike(a: string, b: string): boolean {
  if (a === b) return true;
  return a.length > 3 && b.length > 3 && (a.startsWith(b) || b.startsWith(a));
}

/**
 * Names that a sentence may mention: words shaped like identifiers, every content word, and neighbours joined in the
 * three ways that languages join them ("connection pool" → ConnectionPool, connection_pool; look-ups fold case).
 */
export function mentionedNames(text: string): string[] {
  const words = text
    .slice(0, MAX_READ)
    .split(NOT_WORD)
    .filter((word) => word.length > 1);
  const found = new Set<string>();
  for (const word of words) if (!isStopWord(word.toLowerCase()) && word.length > 2) found.add(word);
  for (const [i, word] of words.entries()) {
    const next = words[i + 1];
    if (next === undefined || isStopWord(word.toLowerCase()) || isStopWord(next.toLowerCase())) continue;
    found.add(word + next).add(`${word}_${next}`);
  }
  return [...found].slice(0, MAX_MENTIONS);
}
