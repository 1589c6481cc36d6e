/**
 * A light suffix stemmer for English words in code, meant to stand *beside* the exact word, never instead of it
 * (replacing the word costs about 0.01 NDCG on the benchmark). It maps inflections onto one stem, which need not be a word:
 * route, router, routing → rout; validate, validated, validation, validator → valid.
 */

const MIN_STEM = 3;

/** The stem of a lower-case word; the word itself when nothing can be taken off. */
export function stem(word: string): string {
  if (word.length < 4) return word;
  const singular = dropPlural(word);
  return dropSilentE(dropSuffix(singular));
}

function dropPlural(word: string): string {
  if (!word.endsWith("s") || word.endsWith("ss") || word.endsWith("us") || word.endsWith("is")) return word;
  if (word.endsWith("ies")) return word.length > 4 ? `${word.slice(0, -3)}y` : word;
  if (/(?:ss|x|z|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return word.slice(0, -1);
}

/** Longest first; the first that leaves a stem with a vowel is taken off. */
const SUFFIXES: readonly (readonly [suffix: string, least: number])[] = [
  ["ation", MIN_STEM],
  ["ator", MIN_STEM],
  ["ment", 4],
  ["able", MIN_STEM],
  ["ible", MIN_STEM],
  ["ate", MIN_STEM],
  ["ing", MIN_STEM],
  ["ion", MIN_STEM],
  ["ed", MIN_STEM],
  ["er", MIN_STEM],
  ["or", 4],
  ["ly", MIN_STEM],
];

function dropSuffix(word: string): string {
  for (const [suffix, least] of SUFFIXES) {
    if (word.length - suffix.length < least || !word.endsWith(suffix)) continue;
    const rest = word.slice(0, -suffix.length);
    if (suffix === "ion" && !/[stx]$/.test(rest)) continue;
    if (suffix === "or" && !/[tsc]$/.test(rest)) continue;
    if (/[aeiouy]/.test(rest)) return undouble(dropParticipleAt(rest, suffix));
  }
  return word;
}

/** validat(ed) → valid, as validate, validation and validator become. */
function dropParticipleAt(rest: string, suffix: string): string {
  const isParticiple = suffix === "ed" || suffix === "ing";
  return isParticiple && rest.endsWith("at") && rest.length - 2 >= MIN_STEM ? rest.slice(0, -2) : rest;
}

/** mapped → mapp → map; but call, pass, buzz keep both letters. */
function undouble(word: string): string {
  const last = word.at(-1)!;
  const twin = word.length > 3 && last === word.at(-2) && !"lszaeiou".includes(last);
  return twin ? word.slice(0, -1) : word;
}

function dropSilentE(word: string): string {
  return word.length > MIN_STEM && word.endsWith("e") ? word.slice(0, -1) : word;
}
