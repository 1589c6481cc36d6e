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

/** Few are wanted of many: they are kept in order, and what is below the last of them costs one comparison. */
export function nearest(likeness: Float64Array, { limit, least, tie }: NearestOptions): Nearest {
  if (limit > FEW) return sorted(likeness, { limit, least, tie });
  const kept: number[] = [];
  let matched = 0;
  let bar = least;
  for (let row = 0; row < likeness.length; row++) {
    const height = likeness[row]!;
    if (height < least) continue;
    matched++;
    if (height < bar || limit === 0) continue;
    insert(kept, row, likeness, tie);
    if (kept.length > limit) kept.pop();
    if (kept.length === limit) bar = likeness[kept[limit - 1]!]!;
  }
  return { rows: kept, matched };
}

/** Above this, sorting once is quicker than keeping order. */
const FEW = 500;

function insert(kept: number[], row: number, likeness: Float64Array, tie: NearestOptions["tie"]): void {
  const height = likeness[row]!;
  let at = kept.length;
  for (; at > 0; at--) {
    const above = kept[at - 1]!;
    const higher = likeness[above]! - height;
    if (higher > 0 || (higher === 0 && tie(above, row) <= 0)) break;
  }
  kept.splice(at, 0, row);
}

function sorted(likeness: Float64Array, { limit, least, tie }: NearestOptions): Nearest {
  const all: number[] = [];
  for (let row = 0; row < likeness.length; row++) if (likeness[row]! >= least) all.push(row);
  all.sort((a, b) => likeness[b]! - likeness[a]! || tie(a, b));
  return { rows: all.slice(0, limit), matched: all.length };
}
