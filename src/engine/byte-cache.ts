import { count } from "../model/counters.ts";

/** Keeps what was used of late, up to a number of bytes. */
export class ByteCache<K, V> {
  private readonly most: number;
  private readonly kept = new Map<K, Kept<V>>();
  private size = 0;

  constructor(mostBytes: number) {
    this.most = mostBytes;
  }

  clear(): void {
    this.kept.clear();
    this.size = 0;
  }

  get(key: K): V | undefined {
    const hit = this.kept.get(key);
    count(hit === undefined ? "cacheMisses" : "cacheHits");
    if (hit === undefined) return undefined;
    // Not moved to the end each time: that is two more changes of the map for every read.
    hit.wasUsed = true;
    return hit.value;
  }

  set(key: K, value: V, size: number): void {
    if (size > this.most || this.kept.has(key)) return;
    this.kept.set(key, { value, size, wasUsed: false });
    this.size += size;
    // A map keeps the order of insertion. An entry that was used since it reached the front is queued again.
    for (const [oldest, it] of this.kept) {
      if (this.size <= this.most) return;
      this.kept.delete(oldest);
      if (it.wasUsed) {
        it.wasUsed = false;
        this.kept.set(oldest, it);
      } else this.size -= it.size;
    }
  }
}

interface Kept<V> {
  readonly value: V;
  readonly size: number;
  wasUsed: boolean;
}
