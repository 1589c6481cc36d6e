/** The best `limit` of many numbered items: a binary heap whose root is the worst of the best. */

/** Negative when `a` is to be listed before `b`. */
export type Order = (a: number, b: number) => number;

export function best(items: Uint32Array, limit: number, order: Order): number[] {
  const heap: number[] = [];
  for (let i = 0; i < items.length; i++) {
    const item = items[i]!;
    if (heap.length < limit) push(heap, item, order);
    else if (limit > 0 && order(item, heap[0]!) < 0) replaceRoot(heap, item, order);
  }
  return heap.sort(order);
}

function push(heap: number[], item: number, order: Order): void {
  let at = heap.length;
  heap.push(item);
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (order(heap[parent]!, item) >= 0) break;
    heap[at] = heap[parent]!;
    at = parent;
  }
  heap[at] = item;
}

function replaceRoot(heap: number[], item: number, order: Order): void {
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && order(heap[child + 1]!, heap[child]!) > 0) child++;
    if (order(heap[child]!, item) <= 0) break;
    heap[at] = heap[child]!;
    at = child;
  }
  heap[at] = item;
}
