/** The best of many likenesses, best first. */

export interface Nearest {
  /** Row numbers. */
  readonly rows: readonly number[];
  /** How many reach `least`. */
  readonly matched: number;
}

export interface NearestOptions {
  readonly limit: number;
  /** What is less alike does not count. */
  readonly least: number;
  /** Order of rows that are equally alike; negative: `a` first. */
  readonly tie: (a: number, b: number) => number;
}

export function nearest(likeness: Float64Array, { limit, least, tie }: NearestOptions): Nearest {
  const order = (a: number, b: number) => likeness[b]! - likeness[a]! || tie(a, b);
  let kept: number[] = [];
  let matched = 0;
  let bar = least;
  const most = 2 * Math.max(limit, 64);
  for (let row = 0; row < likeness.length; row++) {
    if (likeness[row]! < least) continue;
    matched++;
    if (likeness[row]! < bar || limit === 0) continue;
    kept.push(row);
    // Now and then only the best are kept, and their last one is the bar for what follows.
    if (kept.length >= most) {
      kept = kept.sort(order).slice(0, limit);
      bar = likeness[kept.at(-1)!]!;
    }
  }
  return { rows: kept.sort(order).slice(0, limit), matched };
}
