/** A message is looked for by its words in their order: the chunk that holds the longest piece of it is where it is made. */
import type { Candidate, Factor, Pool } from "../candidate.ts";

const WEIGHT = 0.6;
/** Pieces of one word prove nothing beyond what BM25 saw. */
const LEAST_WORDS = 2;

export default { name: "phrase", value, reason } satisfies Factor;

function value(candidate: Candidate, pool: Pool): number {
  const found = longestIn(candidate, pool);
  return found === undefined || found.longest < LEAST_WORDS ? 0 : (WEIGHT * found.longest) / found.words;
}

function reason(candidate: Candidate, pool: Pool): string {
  const found = longestIn(candidate, pool);
  if (found === undefined) return "not asked for";
  if (found.longest < LEAST_WORDS) return "no two words of the message stand together";
  return `${found.longest} of ${found.words} words of the message in a row`;
}

function longestIn({ type, text }: Candidate, { question }: Pool): { longest: number; words: number } | undefined {
  if (type !== "snippet" || text === undefined || question.intent !== "error") return undefined;
  const words = wordsOf(question.text);
  return { longest: longestRun(words, ` ${wordsOf(text).join(" ")} `), words: words.length };
}

const MAX_WORDS = 24;

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function longestRun(all: readonly string[], text: string): number {
  const words = all.slice(0, MAX_WORDS);
  let longest = 0;
  for (let from = 0; from + longest < words.length; from++) {
    let to = from + longest + 1;
    while (to <= words.length && text.includes(` ${words.slice(from, to).join(" ")} `)) longest = to++ - from;
  }
  return longest;
}
