/** One pool out of the retrievers' lists, with what the factors need to know of it as a whole. */
import { stem } from "../text/identifiers.ts";
import type { Candidate, Pool } from "./candidate.ts";
import { pathShare } from "./factors/path-class.ts";
import type { Mentions } from "./mentions.ts";
import type { Question } from "./parsed-query.ts";
import type { Retrieved } from "./retrieve.ts";
import { fileSimilarityOf, similarityOf } from "./similarity.ts";

export function fuse(question: Question, lists: Retrieved): Pool {
  const texts = lists.text.candidates;
  // A path that names files is answered by them; its words (`src`, `rs`) say nothing about text.
  const isPlace = lists.files.length > 0;
  const similarity = similarityOf(texts);
  return {
    question: isPlace ? { ...question, words: [] } : question,
    candidates: [...lists.symbols, ...lists.files, ...texts],
    coherence: coherenceOf(question, texts),
    leaders: isPlace ? new Set() : leadersOf(texts, lists.mentions, similarity),
    wordWeights: isPlace ? [] : wordWeights(question, lists.text.termGains),
    mentions: lists.mentions,
    similarity,
    fileSimilarity: fileSimilarityOf(question, lists.meaning.files),
    files: new Set(texts.map(({ file }) => file.path)),
  };
}

/** A test that repeats a word a hundred times must not make every other file look small: shares are of the judged sums. */
function coherenceOf(question: Question, texts: readonly Candidate[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { file, bm25 } of texts) sums.set(file.path, (sums.get(file.path) ?? 0) + bm25);
  let most = 0;
  sums.forEach((sum, path) => {
    most = Math.max(most, sum * pathShare(path, question.asked));
  });
  sums.forEach((sum, path) => {
    sums.set(path, most === 0 ? 0 : Math.min(1, sum / most));
  });
  return sums;
}

const SIMILARITY_STANDING = 0.3;

/** The chunk that defines what is asked about speaks for its file before one that repeats the words. */
function leadersOf(texts: readonly Candidate[], mentions: Mentions, similarity: Pool["similarity"]): Set<Candidate> {
  const standing = (it: Candidate) =>
    it.strength +
    (mentions.get(it.file.path)?.get(it.at)?.weight ?? 0) +
    SIMILARITY_STANDING * (similarity.get(it) ?? 0);
  const leaders = new Map<string, Candidate>();
  for (const it of texts) {
    const leader = leaders.get(it.file.path);
    if (leader === undefined || standing(it) > standing(leader)) leaders.set(it.file.path, it);
  }
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
