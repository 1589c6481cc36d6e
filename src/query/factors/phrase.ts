/** A message is looked for by its words in their order: the chunk that holds the longest piece of it is where it is made. */
import type { Candidate, Factor, Judgement, Pool } from "../candidate.ts";

const WEIGHT = 0.6;
/** Pieces of one word prove nothing beyond what BM25 saw. */
const LEAST_WORDS = 2;

export default { name: "phrase", judge } satisfies Factor;

function judge({ type, text }: Candidate, { question }: Pool): Judgement {
  if (type !== "snippet" || text === undefined || question.intent !== "error")
    return { value: 0, reason: "not asked for" };
  const words = wordsOf(question.text);
  const longest = longestRun(words, ` ${wordsOf(text).join(" ")} `);
  if (longest < LEAST_WORDS) return { value: 0, reason: "no two words of the message stand together" };
  return {
    value: (WEIGHT * longest) / words.length,
    reason: `${longest} of ${words.length} words of the message in a row`,
  };
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
