/** One pool out of the retrievers' lists, with what the factors need to know of it as a whole. */
import { stem } from "../text/stem.ts";
import type { Candidate, Pool } from "./candidate.ts";
import { pathShare } from "./factors/path-class.ts";
import type { Question } from "./question.ts";
import type { Retrieved } from "./retrieve.ts";

export function fuse(question: Question, lists: Retrieved): Pool {
  const texts = lists.text.candidates;
  return {
    question,
    candidates: [...lists.symbols, ...lists.files, ...texts],
    coherence: coherenceOf(question, texts),
    leaders: leadersOf(texts),
    wordWeights: wordWeights(question, lists.text.termGains),
    mentions: lists.mentions,
    files: new Set(texts.map(({ file }) => file.path)),
  };
}

/** A test that repeats a word a hundred times must not make every other file look small: shares are of the judged sums. */
function coherenceOf(question: Question, texts: readonly Candidate[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { file, bm25 } of texts) sums.set(file.path, (sums.get(file.path) ?? 0) + bm25);
  let most = 0;
  for (const [path, sum] of sums) most = Math.max(most, sum * pathShare(path, question.asked));
  for (const [path, sum] of sums) sums.set(path, most === 0 ? 0 : Math.min(1, sum / most));
  return sums;
}

function leadersOf(texts: readonly Candidate[]): Set<Candidate> {
  const leaders = new Map<string, Candidate>();
  for (const it of texts) if (!leaders.has(it.file.path)) leaders.set(it.file.path, it);
  return new Set(leaders.values());
}

/** Words that no chunk holds still count a little, so that a path with only them is not a perfect match. */
const UNKNOWN_WORD = 0.01;

/** The largest gain of a word's terms stands for its inverse frequency, without asking the index again. */
function wordWeights({ words, terms }: Question, gains: readonly number[]): number[] {
  const byStem = new Map<string, number>();
  for (const [i, { term }] of terms.entries()) {
    const root = stem(term);
    byStem.set(root, Math.max(byStem.get(root) ?? 0, gains[i] ?? 0));
  }
  return words.map((word) => Math.max(UNKNOWN_WORD, byStem.get(word) ?? 0));
}
