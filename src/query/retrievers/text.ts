/** Chunks by BM25 over the query's terms. */
import type { SearchRequest } from "../../model/search.ts";
import type { ChunkCandidate, LexicalPage } from "../../ports/candidates.ts";
import type { Limits } from "../../ports/limits.ts";
import type { Snapshot } from "../../ports/snapshot.ts";
import { stem } from "../../text/identifiers.ts";
import { compileScope, type RankingCandidate } from "../candidate.ts";
import type { ParsedQuery } from "../parsed-query.ts";

/**
 * Wide enough that a file which answers is in it behind tests and prose (the suite: -0.003 with 200). A name is answered
 * by its definitions, and text only follows them (no difference down to 150). Never the caller's limit, so that any limit
 * ranks the same pool.
 */
const POOL_SIZE = 300;
const POOL_BEHIND_NAMES = 150;

export interface TextList {
  readonly candidates: readonly RankingCandidate[];
  /** By term of the query: its largest contribution to any candidate, before the term's weight. */
  readonly termGains: readonly number[];
  /** The largest share of the query's words in one of the best chunks, 0..1. */
  readonly covered: number;
  readonly matched: number;
  readonly completeness: LexicalPage["completeness"];
}

export async function retrieveText(
  question: ParsedQuery,
  ask: SearchRequest,
  at: Snapshot,
  limits: Limits,
): Promise<TextList> {
  const { terms, intent } = question;
  const limit = intent === "symbol" ? POOL_BEHIND_NAMES : POOL_SIZE;
  const page = await at.lexical({ terms, limit, ...compileScope(ask) }, limits);
  const best = page.candidates[0]?.score ?? 1;
  const wordShare = wordShares(question);
  const candidates = page.candidates.map((found) => textCandidate(found, best, wordShare(found)));
  return {
    candidates,
    termGains: terms.map(
      ({ weight }, i) => page.candidates.reduce((most, it) => Math.max(most, it.parts[i] ?? 0), 0) / weight,
    ),
    covered: Math.max(0, ...candidates.slice(0, LOOKED_AT).map((it) => it.wordShare ?? 0)),
    matched: page.matched,
    completeness: page.completeness,
  };
}

const LOOKED_AT = 20;

/** Terms of a word are its spellings, parts and stem; any of them will do. */
function wordShares({ words, terms }: ParsedQuery): (found: ChunkCandidate) => number {
  const wordOfTerm = terms.map(({ term }) => words.indexOf(stem(term)));
  return ({ parts }) => {
    if (words.length === 0) return 0;
    return new Set(wordOfTerm.filter((word, i) => word >= 0 && parts[i]! > 0)).size / words.length;
  };
}

function textCandidate(found: ChunkCandidate, best: number, wordShare: number): RankingCandidate {
  return {
    type: "snippet",
    retriever: "text",
    file: found.file,
    at: found.chunk,
    strength: found.score / best,
    bm25: found.score,
    wordShare,
  };
}
