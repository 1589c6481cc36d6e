/** Factors that compare the query with a candidate's text. */
import type { Intent } from "../../model/status.ts";
import type { Factor, Pool, RankingCandidate, Retriever } from "../candidate.ts";
import type { QueryMention } from "../mentions.ts";
import type { TemplateMatch } from "../pasted/template.ts";

/** How far each retriever is trusted, by intent. Text below 0.65 keeps references behind definitions of the same name; semantic matches are scored by semantic_similarity only. */
const BM25_TRUST: Readonly<Record<Intent, Readonly<Record<Retriever, number>>>> = {
  symbol: { symbol: 1, text: 0.6, path: 0.5, meaning: 0, pasted: 0 },
  path: { path: 1, symbol: 0.6, text: 0.35, meaning: 0, pasted: 0 },
  error: { text: 1, symbol: 0.5, path: 0.5, meaning: 0, pasted: 0 },
  natural_language: { text: 1, symbol: 0.5, path: 0.5, meaning: 0, pasted: 0 },
};

/** The retriever's own judgement, 0..1: BM25 relative to the best chunk, or how well a name or a path fits. */
export const bm25: Factor = {
  name: "bm25",
  cap: 1,
  value: ({ retriever, strength }, { question }) => BM25_TRUST[question.intent][retriever] * strength,
  reason: (it) => it.how ?? textScore(it),
};

function textScore({ bm25, strength }: RankingCandidate): string {
  return `text score ${bm25.toFixed(2)}; the best chunk has ${(bm25 / strength).toFixed(2)}`;
}

const EXACT_MATCH_CAP = 0.2;
const EXACT_MATCH_OTHER_CASE = 0.5;

/** The query is the name, the path or, word for word, part of the text. */
export const exactMatch: Factor = {
  name: "exact_match",
  cap: EXACT_MATCH_CAP,
  value(candidate, pool) {
    return EXACT_MATCH_CAP * exactMatchShare(candidate, pool);
  },
  reason(candidate, pool) {
    const share = exactMatchShare(candidate, pool);
    return EXACT_MATCH_REASONS[share === 1 ? "exact" : share > 0 ? "folded" : "none"];
  },
};

const EXACT_MATCH_REASONS = {
  exact: "the query is exactly its name, path or words",
  folded: "the query is its name, path or words in another case",
  none: "the query is not exactly its name, path or words",
};

function exactMatchShare({ type, opened, file, text }: RankingCandidate, { question }: Pool): number {
  if (type === "symbol") return compare([opened?.symbol?.name ?? ""], question.name?.spellings ?? []);
  if (type === "file") return compare([file.path, file.path.slice(file.path.lastIndexOf("/") + 1)], [question.text]);
  if (text === undefined || question.text.length < 3) return 0;
  if (text.includes(question.text)) return 1;
  return text.toLowerCase().includes(question.text.toLowerCase()) ? EXACT_MATCH_OTHER_CASE : 0;
}

function compare(names: readonly string[], requested: readonly string[]): number {
  if (names.some((name) => requested.includes(name))) return 1;
  const folded = requested.map((word) => word.toLowerCase());
  return names.some((name) => folded.includes(name.toLowerCase())) ? EXACT_MATCH_OTHER_CASE : 0;
}

const PHRASE_WEIGHT = 0.6;
/** Pieces of one word prove nothing beyond what BM25 saw. */
const LEAST_WORDS = 2;

/** The longest run of an error message's words in the chunk: the chunk with most of it probably creates the message. */
export const phrase: Factor = {
  name: "phrase",
  value(candidate, pool) {
    const found = longestIn(candidate, pool);
    return found === undefined || found.longest < LEAST_WORDS ? 0 : (PHRASE_WEIGHT * found.longest) / found.words;
  },
  reason(candidate, pool) {
    const found = longestIn(candidate, pool);
    if (found === undefined) return "not asked for";
    if (found.longest < LEAST_WORDS) return "no two words of the message stand together";
    return `${found.longest} of ${found.words} words of the message in sequence`;
  },
};

function longestIn(
  { type, text }: RankingCandidate,
  { question }: Pool,
): { longest: number; words: number } | undefined {
  if (type !== "snippet" || text === undefined || question.intent !== "error") return undefined;
  const words = phraseWords(question.text);
  return { longest: longestRun(words, ` ${phraseWords(text).join(" ")} `), words: words.length };
}

const MAX_WORDS = 24;

function phraseWords(text: string): string[] {
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

const TEMPLATE_WEIGHT = 1.5;

/** The chunk contains the literal that the message is made of. */
export const messageTemplate: Factor = {
  name: "message_template",
  cap: TEMPLATE_WEIGHT,
  value: (candidate, pool) => TEMPLATE_WEIGHT * (findTemplate(candidate, pool)?.share ?? 0),
  reason: (candidate, pool) => {
    const found = findTemplate(candidate, pool);
    return found === undefined ? "contains no literal of the message" : `contains "${found.literal}"`;
  },
};

function findTemplate({ type, file, at }: RankingCandidate, { templates }: Pool): TemplateMatch | undefined {
  return type === "snippet" ? templates.get(file.path)?.get(at) : undefined;
}

const MENTION_WEIGHT = 0.6;

/** The chunk defines something that the sentence mentions by name. */
export const mention: Factor = {
  name: "mention",
  value(candidate, pool) {
    return MENTION_WEIGHT * (findMention(candidate, pool)?.weight ?? 0);
  },
  reason(candidate, pool) {
    const found = findMention(candidate, pool);
    return found === undefined
      ? "defines nothing that the query mentions"
      : `defines ${found.name}, which the query mentions`;
  },
};

function findMention({ type, file, at }: RankingCandidate, { mentions }: Pool): QueryMention | undefined {
  return type === "snippet" ? mentions.get(file.path)?.get(at) : undefined;
}

const SEMANTIC_SIMILARITY_CAP = 0.2;

/** The model's similarity of chunk and query. */
export const semanticSimilarity: Factor = {
  name: "semantic_similarity",
  cap: SEMANTIC_SIMILARITY_CAP,
  value(candidate, { similarity }) {
    return SEMANTIC_SIMILARITY_CAP * (similarity.get(candidate) ?? 0);
  },
  reason(candidate, { similarity }) {
    if (candidate.cosine === undefined) return "not compared by meaning";
    const share = Math.round(100 * (similarity.get(candidate) ?? 0));
    return `cosine ${candidate.cosine.toFixed(3)}: ${share} % of the range from a typical chunk to the best`;
  },
};
