/** The first position in [0, length) for which `isBefore` is false; it must be true for all positions before. */
export function partitionPoint(length: number, isBefore: (position: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Of values that ascend, the place of the first that is not below the given one; their count where all are. */
export function lowerBound<T extends number | string>(ascending: ArrayLike<T>, value: T): number {
  return partitionPoint(ascending.length, (at) => ascending[at]! < value);
}
