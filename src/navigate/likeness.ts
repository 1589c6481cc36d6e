/** How alike two pieces of code are, from 0 to 1: what part of their pairs of neighbouring tokens they share. */

const TOKEN = /[\p{L}\p{N}_$]+|[^\s\p{L}\p{N}_$]/gu;
/** Longer texts are compared by their beginning. */
const MOST_TOKENS = 4_000;

/** A text as the multiset of its pairs of tokens. */
export interface Shape {
  readonly size: number;
  readonly pairs: ReadonlyMap<string, number>;
}

/** `name` stands for itself wherever it occurs, so that a renamed function looks like what it was. */
export function shapeOf(text: string, name: string): Shape {
  const pairs = new Map<string, number>();
  let before = "";
  let size = 0;
  for (const [token] of text.matchAll(TOKEN)) {
    if (size >= MOST_TOKENS) break;
    const word = token === name ? "\0" : token;
    const pair = `${before} ${word}`;
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
    before = word;
    size++;
  }
  return { size, pairs };
}

export function likeness(a: Shape, b: Shape): number {
  if (a.size === 0 || b.size === 0) return 0;
  const [small, large] = a.pairs.size <= b.pairs.size ? [a, b] : [b, a];
  let shared = 0;
  for (const [pair, count] of small.pairs) shared += Math.min(count, large.pairs.get(pair) ?? 0);
  return (2 * shared) / (a.size + b.size);
}

/** What two texts of these sizes could reach at most. */
export function mostLikeness(a: Shape, b: Shape): number {
  return (2 * Math.min(a.size, b.size)) / Math.max(1, a.size + b.size);
}
