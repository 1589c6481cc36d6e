/** The best of many scored numbers: a heap of scores knows what the lowest of them must reach. */

/** Those with the `limit` highest scores, best first; equal scores are ordered by `tie`. */
export function best(
  items: Uint32Array,
  scores: Float64Array,
  limit: number,
  tie: (a: number, b: number) => number,
): number[] {
  if (limit <= 0) return [];
  const found = items.length <= limit ? Array.from(items) : reaching(items, scores, limit);
  found.sort((a, b) => scores[b]! - scores[a]! || tie(a, b));
  return found.length > limit ? found.slice(0, limit) : found;
}

/** Everything that scores at least as high as the lowest of the best; equal scores may make it more than `limit`. */
function reaching(items: Uint32Array, scores: Float64Array, limit: number): number[] {
  // A binary heap of the highest scores so far; its root is the lowest of them.
  const heap = new Float64Array(limit);
  for (let i = 0; i < limit; i++) heap[i] = scores[items[i]!]!;
  for (let at = (limit >> 1) - 1; at >= 0; at--) sink(heap, at, heap[at]!);
  // What is below the bar now stays below it.
  const found: number[] = Array.from(items.subarray(0, limit));
  for (let i = limit; i < items.length; i++) {
    const score = scores[items[i]!]!;
    if (score < heap[0]!) continue;
    found.push(items[i]!);
    if (score > heap[0]!) sink(heap, 0, score);
  }
  return found.filter((item) => scores[item]! >= heap[0]!);
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
