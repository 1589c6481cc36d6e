/** What symbols are found by when their ids are asked for: a hash of each of their two ids, in order, with its symbol. */
import { doubled } from "./bytes.ts";
import { hash64 } from "./hash64.ts";

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

/** Bits of a whole number that a double holds, beside the 32 of a hash's upper half. */
const SPARE_BITS = 21;

/**
 * Places of hashes in their ascending order. As numbers that hold the upper half and the place they are sorted without a
 * function that compares them; what they cannot tell apart is looked at again.
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
