/**
 * A first look at how alike two pieces of code can be at most: their pairs of neighbouring tokens, counted by a hash.
 * Of the thousands of pairs of functions that a comparison meets, nearly all are told apart by it.
 */

const BUCKETS = 256;

export interface Sketch {
  /** How many tokens there are. */
  readonly size: number;
  readonly counts: Uint16Array;
}

export function sketchOf(tokens: readonly string[]): Sketch {
  const counts = new Uint16Array(BUCKETS);
  let before = 0;
  for (const token of tokens) {
    const hash = hashOf(token);
    const pair = Math.imul(before, 0x9e3779b1) ^ hash;
    counts[(pair ^ (pair >>> 15)) & (BUCKETS - 1)]!++;
    before = hash;
  }
  return { size: tokens.length, counts };
}

/** No `likeness` of the two is above it. */
export function mostLikeness(a: Sketch, b: Sketch): number {
  if (a.size === 0 || b.size === 0) return 0;
  let shared = 0;
  for (let at = 0; at < BUCKETS; at++) shared += Math.min(a.counts[at]!, b.counts[at]!);
  return (2 * shared) / (a.size + b.size);
}

function hashOf(token: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < token.length; at++) hash = Math.imul(hash ^ token.charCodeAt(at), 0x01000193);
  return hash;
}
