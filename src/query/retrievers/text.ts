/** Chunks by BM25 over the query's terms. */
import { bitCount } from "../../model/bit-count.ts";
import type { SearchRequest } from "../../model/search.ts";
import type { ChunkCandidate, LexicalPage } from "../../ports/candidates.ts";
import type { Limits, Snapshot } from "../../ports/snapshot.ts";
import { stem } from "../../text/identifiers.ts";
import { compileScope, type RankingCandidate } from "../candidate.ts";
import { pathShare } from "../factors/file.ts";
import type { ParsedQuery } from "../parsed-query.ts";

/**
 * Chunks of source; tests, prose and others count by the share that their path leaves them, so that they do not crowd
 * source out (whole checkouts: +0.003). More than 300 chunks of source lose (roots: -0.003 with 500). A name is answered
 * by its definitions, and text only follows them (no difference down to 150). Never the caller's limit, so that any limit
 * ranks the same pool.
 */
const POOL_SIZE = 300;
const MAX_POOL = 600;
/** Of tests, prose and other files that rank lower: further ones never reached a page and took a third of the time. */
const MAX_ASIDE = 75;
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
  const share = ({ file }: Located) => pathShare(file.path, question.requestedClasses);
  const pool = intent === "symbol" ? { limit: POOL_BEHIND_NAMES } : { limit: MAX_POOL, choose: poolBy(share) };
  const { candidates: found, ...page } = await at.lexical({ terms, ...pool, ...compileScope(ask) }, limits);
  // A test that repeats the words does not make everything else look like a weak match.
  const best = found.reduce((most, it) => Math.max(most, it.score * share(it)), 0);
  const wordShare = wordShares(question);
  const candidates = found.map((it) => textCandidate(it, best, wordShare(it)));
  return {
    candidates,
    termGains: terms.map(({ weight }, i) => found.reduce((most, it) => Math.max(most, it.parts[i] ?? 0), 0) / weight),
    covered: Math.max(0, ...candidates.slice(0, LOOKED_AT).map((it) => it.wordShare ?? 0)),
    matched: page.matched,
    completeness: page.completeness,
  };
}

interface Located {
  readonly file: { readonly path: string };
}

function poolBy(share: (it: Located) => number): <C extends Located>(candidates: readonly C[]) => readonly C[] {
  return (candidates) => {
    let size = 0;
    let aside = 0;
    return candidates.filter((it) => {
      if (size >= POOL_SIZE) return false;
      const counts = share(it);
      size += counts;
      return counts >= 1 || aside++ < MAX_ASIDE;
    });
  };
}

const LOOKED_AT = 20;

/** Terms of a word are its spellings, parts and stem; any of them will do. */
function wordShares({ words, terms }: ParsedQuery): (found: ChunkCandidate) => number {
  // A bit for each of the words, of which there are at most 32.
  const bits = terms.map(({ term }) => words.indexOf(stem(term))).map((word) => (word < 0 ? 0 : 1 << word));
  return ({ parts }) => {
    if (words.length === 0) return 0;
    let held = 0;
    for (let i = 0; i < bits.length; i++) if (parts[i]! > 0) held |= bits[i]!;
    return bitCount(held) / words.length;
  };
}

function textCandidate(found: ChunkCandidate, best: number, wordShare: number): RankingCandidate {
  return {
    type: "snippet",
    retriever: "text",
    file: found.file,
    at: found.chunk,
    strength: Math.min(1, found.score / best),
    bm25: found.score,
    wordShare,
  };
}
