/** The weighted terms of a query. */
import type { Intent } from "../model/status.ts";
import { fold, isWordUnit, splitIdentifier, stem } from "./identifiers.ts";
import { analyse, isAscii, MAX_IDENTIFIER } from "./terms.ts";

export interface WeightedTerm {
  readonly term: string;
  readonly weight: number;
}

const MAX_QUERY_TERMS = 64;
/** Longer queries are cut; no more than 64 terms are used. */
const MAX_QUERY_LENGTH = 4096;
/** Weight of a stem compared with the word as typed. */
const STEM_WEIGHT = 0.5;
/** Questions say "tokens", code says `token`: the inflected word counts less (+0.003 NDCG). */
const INFLECTED_WEIGHT = 0.7;

/** The terms of a query with their weights: stop words dropped from questions, stems lighter, each term once. */
export function queryTerms(query: string, intent: Intent): WeightedTerm[] {
  const weights = new Map<string, number>();
  const add = (term: string, weight: number) => {
    weights.set(term, Math.max(weight, weights.get(term) ?? 0));
  };
  for (const word of words(query.slice(0, MAX_QUERY_LENGTH))) {
    if (intent === "natural_language" && isStopWord(word.toLowerCase())) continue;
    for (const term of analyse(word.slice(0, MAX_IDENTIFIER))) add(term, termWeight(term, word, intent));
  }
  if (weights.size === 0 && intent === "natural_language") return queryTerms(query, "symbol");
  return [...weights].slice(0, MAX_QUERY_TERMS).map(([term, weight]) => ({ term, weight }));
}

function termWeight(term: string, word: string, intent: Intent): number {
  if (!isExact(term, word)) return STEM_WEIGHT;
  return intent === "natural_language" && stem(term) !== term ? INFLECTED_WEIGHT : 1;
}

/** Whether the term is a part of the word and not a stem. */
function isExact(term: string, word: string): boolean {
  const folded = fold(word);
  return term === folded || splitIdentifier(word).some((part) => fold(part) === term) || !isAscii(term);
}

function words(text: string): string[] {
  const found: string[] = [];
  let start = -1;
  for (let i = 0; i <= text.length; i++) {
    const inside = i < text.length && isWordUnit(text.charCodeAt(i));
    if (inside && start < 0) start = i;
    if (!inside && start >= 0) {
      found.push(text.slice(start, i));
      start = -1;
    }
  }
  return found;
}

const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a an and are as at be been being but by can could did do does doing done for from get gets had has have how i if in " +
    "into is it its just let like me my of on or our out over so some such than that the their them then there these they " +
    "this those to up us use used uses using via was we were what when where which while who whom why will with within " +
    "would you your don doesn didn isn t s re ll ve m d not no should must may might shall about above after again all also any because " +
    "work works working happen happens before between both during each few more most other same through under until very code find show implemented implementation"
  ).split(" "),
);

export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}
