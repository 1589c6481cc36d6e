/**
 * 64 bits of a string as two unsigned halves: fast, well mixed, not cryptographic.
 *
 * It finds a symbol by its id and tells a damaged row from a whole one; nobody gains by forging it.
 */
export interface Hash64 {
  readonly high: number;
  readonly low: number;
}

export function hash64(text: string): Hash64 {
  let high = 0x9e3779b9;
  let low = 0x85ebca6b;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    high = Math.imul(high ^ unit, 0x9e3779b1);
    low = Math.imul(low ^ unit, 0x5f356495);
  }
  return { high: mix(high ^ (low >>> 16)), low: mix(low ^ (high >>> 15)) };
}

function mix(half: number): number {
  let h = half;
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d);
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b);
  return (h ^ (h >>> 16)) >>> 0;
}
