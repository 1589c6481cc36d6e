/** Chunks by BM25 over the question's terms. */
import type { SearchAsk } from "../../model/search.ts";
import type { ChunkCandidate, LexicalPage, Limits, Snapshot } from "../../ports/store.ts";
import { stem } from "../../text/stem.ts";
import type { Candidate } from "../candidate.ts";
import type { Question } from "../question.ts";

/**
 * Wide enough that a file which answers is in it behind tests and prose (between 200 and 400 the suite hardly sees a
 * difference). Never the caller's limit, so that any limit ranks the same pool.
 */
const POOL_SIZE = 300;

export interface TextList {
  readonly candidates: readonly Candidate[];
  /** By term of the question: its largest contribution to any candidate, before the term's weight. */
  readonly termGains: readonly number[];
  /** The largest share of the question's words that one of the best chunks holds, 0..1. */
  readonly covered: number;
  readonly matched: number;
  readonly completeness: LexicalPage["completeness"];
}

export async function retrieveText(
  question: Question,
  ask: SearchAsk,
  at: Snapshot,
  limits: Limits,
): Promise<TextList> {
  const { terms } = question;
  const scope = { ...(ask.languages && { languages: ask.languages }), ...(ask.under && { under: ask.under }) };
  const page = await at.lexical({ terms, limit: POOL_SIZE, ...scope }, limits);
  const best = page.candidates[0]?.score ?? 1;
  return {
    candidates: page.candidates.map((found) => candidateOf(found, best)),
    termGains: terms.map(
      ({ weight }, i) => page.candidates.reduce((most, it) => Math.max(most, it.parts[i] ?? 0), 0) / weight,
    ),
    covered: coveredBy(page.candidates.slice(0, LOOKED_AT), question),
    matched: page.matched,
    completeness: page.completeness,
  };
}

const LOOKED_AT = 20;

/** Terms of a word are its spellings, parts and stem; any of them will do. */
function coveredBy(best: readonly ChunkCandidate[], { words, terms }: Question): number {
  if (words.length === 0) return 0;
  const wordOf = terms.map(({ term }) => words.indexOf(stem(term)));
  const counts = best.map(({ parts }) => new Set(wordOf.filter((word, i) => word >= 0 && parts[i]! > 0)).size);
  return Math.max(0, ...counts) / words.length;
}

function candidateOf(found: ChunkCandidate, best: number): Candidate {
  return {
    type: "snippet",
    retriever: "text",
    file: found.file,
    at: found.chunk,
    strength: found.score / best,
    how: `text score ${found.score.toFixed(2)} of at most ${best.toFixed(2)}`,
    bm25: found.score,
  };
}
