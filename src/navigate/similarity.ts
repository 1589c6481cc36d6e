/** Similarity of two pieces of code from 0 to 1: the share of token bigrams that they have in common. */

const TOKEN = /[\p{L}\p{N}_$]+|[^\s\p{L}\p{N}_$]/gu;
/** Longer texts are compared by their beginning. */
const MOST_TOKENS = 4_000;

/** A text as the multiset of its pairs of tokens. */
export interface TokenShape {
  readonly size: number;
  readonly pairs: ReadonlyMap<string, number>;
}

/** `name` is replaced by a placeholder, so that a renamed function stays similar. */
export function tokenize(text: string, name: string): string[] {
  const tokens: string[] = [];
  for (const [token] of text.matchAll(TOKEN)) {
    if (tokens.length >= MOST_TOKENS) break;
    tokens.push(token === name ? "\0" : token);
  }
  return tokens;
}

export function tokenShape(tokens: readonly string[]): TokenShape {
  const pairs = new Map<string, number>();
  let before = "";
  for (const token of tokens) {
    const pair = `${before} ${token}`;
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
    before = token;
  }
  return { size: tokens.length, pairs };
}

export function similarity(a: TokenShape, b: TokenShape): number {
  if (a.size === 0 || b.size === 0) return 0;
  const [small, large] = a.pairs.size <= b.pairs.size ? [a, b] : [b, a];
  let shared = 0;
  for (const [pair, count] of small.pairs) shared += Math.min(count, large.pairs.get(pair) ?? 0);
  return (2 * shared) / (a.size + b.size);
}

const BUCKETS = 256;

export interface TextSignature {
  /** How many tokens there are. */
  readonly size: number;
  readonly counts: Uint16Array;
}

export function buildSignature(tokens: readonly string[]): TextSignature {
  const counts = new Uint16Array(BUCKETS);
  let before = 0;
  for (const token of tokens) {
    const hash = hashToken(token);
    const pair = Math.imul(before, 0x9e3779b1) ^ hash;
    counts[(pair ^ (pair >>> 15)) & (BUCKETS - 1)]!++;
    before = hash;
  }
  return { size: tokens.length, counts };
}

/** An upper bound of `similarity`. */
export function maxSimilarity(a: TextSignature, b: TextSignature): number {
  if (a.size === 0 || b.size === 0) return 0;
  let shared = 0;
  for (let at = 0; at < BUCKETS; at++) shared += Math.min(a.counts[at]!, b.counts[at]!);
  return (2 * shared) / (a.size + b.size);
}

function hashToken(token: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < token.length; at++) hash = Math.imul(hash ^ token.charCodeAt(at), 0x01000193);
  return hash;
}
