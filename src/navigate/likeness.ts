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
export function tokensOf(text: string, name: string): string[] {
  const tokens: string[] = [];
  for (const [token] of text.matchAll(TOKEN)) {
    if (tokens.length >= MOST_TOKENS) break;
    tokens.push(token === name ? "\0" : token);
  }
  return tokens;
}

export function shapeOf(tokens: readonly string[]): Shape {
  const pairs = new Map<string, number>();
  let before = "";
  for (const token of tokens) {
    const pair = `${before} ${token}`;
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
    before = token;
  }
  return { size: tokens.length, pairs };
}

export function likeness(a: Shape, b: Shape): number {
  if (a.size === 0 || b.size === 0) return 0;
  const [small, large] = a.pairs.size <= b.pairs.size ? [a, b] : [b, a];
  let shared = 0;
  for (const [pair, count] of small.pairs) shared += Math.min(count, large.pairs.get(pair) ?? 0);
  return (2 * shared) / (a.size + b.size);
}
