/** Look-up keys of symbols: names (folded name first, so that exact, folded and prefix look-ups are ranges) and id hashes. */
import { doubled } from "./bytes.ts";

/** Separates the folded and the exact spelling; sorts before every character of a name. */
const SEPARATOR = "\0";

export function nameKey(name: string): string {
  const folded = fold(name);
  // Most names fold to themselves; storing them once saves a third of the dictionary.
  return folded + SEPARATOR + (folded === name ? "" : name);
}

export function foldedKey(name: string): string {
  return fold(name) + SEPARATOR;
}

export function prefixKey(prefix: string): string {
  return fold(prefix);
}

export function nameOfKey(key: string): string {
  const cut = key.indexOf(SEPARATOR);
  return key.slice(cut + 1) || key.slice(0, cut);
}

function fold(name: string): string {
  return name.replaceAll(SEPARATOR, "").toLowerCase();
}

/**
 * 64 bits of a string as two unsigned halves: fast, well mixed, not cryptographic.
 *
 * Used to find a symbol by its id and to detect damaged rows, where forging is no concern.
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

export class IdCollector {
  #highs = new Uint32Array(1 << 10);
  #lows = new Uint32Array(1 << 10);
  #length = 0;

  get symbolCount(): number {
    return this.#length / 2;
  }

  add(symbolId: string, stableId: string): void {
    if (this.#length === this.#highs.length) {
      this.#highs = doubled(this.#highs);
      this.#lows = doubled(this.#lows);
    }
    this.#put(symbolId);
    this.#put(stableId);
  }

  sections() {
    const [highs, lows] = [this.#highs.subarray(0, this.#length), this.#lows.subarray(0, this.#length)];
    const order = sortOrder(highs, lows);
    return {
      idHigh: order.map((at) => highs[at]!),
      idLow: order.map((at) => lows[at]!),
      idSymbols: order.map((at) => at >>> 1),
    };
  }

  #put(id: string): void {
    const { high, low } = hash64(id);
    this.#highs[this.#length] = high;
    this.#lows[this.#length++] = low;
  }
}

/** Integer bits of a double that remain besides the 32 of a hash's upper half. */
const SPARE_BITS = 21;

/**
 * Positions of hashes in ascending order. Numbers that combine the upper half and the position are sorted without a compare
 * function; equal ones are sorted again by both halves.
 */
export function sortOrder(highs: Uint32Array, lows: Uint32Array): Uint32Array {
  const bits = Math.ceil(Math.log2(highs.length + 1));
  const places = 2 ** bits;
  const dropped = 2 ** Math.max(0, bits - SPARE_BITS);
  const keys = Float64Array.from(highs, (high, at) => Math.floor(high / dropped) * places + at).sort();
  const order = Uint32Array.from(keys, (key) => key % places);
  for (let from = 0, to = 1; to <= keys.length; to++) {
    if (to < keys.length && Math.floor(keys[to]! / places) === Math.floor(keys[from]! / places)) continue;
    if (to - from > 1) order.subarray(from, to).sort((a, b) => highs[a]! - highs[b]! || lows[a]! - lows[b]! || a - b);
    from = to;
  }
  return order;
}
