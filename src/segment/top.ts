/** The best of many scored numbers: a heap of scores finds the lowest that is still among them, one pass takes them. */

/** Those with the `limit` highest scores, best first; equal scores are ordered by `tie`. */
export function best(
  items: Uint32Array,
  scores: Float64Array,
  limit: number,
  tie: (a: number, b: number) => number,
): number[] {
  if (limit <= 0) return [];
  const bar = items.length <= limit ? Number.NEGATIVE_INFINITY : lowestOfBest(items, scores, limit);
  const above: number[] = [];
  const level: number[] = [];
  for (let i = 0; i < items.length; i++) {
    const item = items[i]!;
    const score = scores[item]!;
    if (score > bar) above.push(item);
    else if (score === bar) level.push(item);
  }
  const room = Math.min(limit, items.length) - above.length;
  if (level.length > room) level.sort(tie).length = room;
  return [...above, ...level].sort((a, b) => scores[b]! - scores[a]! || tie(a, b));
}

/** A binary heap of the `limit` highest scores; its root is the lowest of them. */
function lowestOfBest(items: Uint32Array, scores: Float64Array, limit: number): number {
  const heap = new Float64Array(limit);
  for (let i = 0; i < limit; i++) heap[i] = scores[items[i]!]!;
  for (let at = (limit >> 1) - 1; at >= 0; at--) sink(heap, at, heap[at]!);
  for (let i = limit; i < items.length; i++) {
    const score = scores[items[i]!]!;
    if (score > heap[0]!) sink(heap, 0, score);
  }
  return heap[0]!;
}

function sink(heap: Float64Array, from: number, score: number): void {
  let at = from;
  for (let child = 2 * at + 1; child < heap.length; child = 2 * at + 1) {
    if (child + 1 < heap.length && heap[child + 1]! < heap[child]!) child++;
    if (heap[child]! >= score) break;
    heap[at] = heap[child]!;
    at = child;
  }
  heap[at] = score;
}
