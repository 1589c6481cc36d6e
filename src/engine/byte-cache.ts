/** Keeps what was used last, up to a number of bytes. */
export class ByteCache<K, V> {
  private readonly most: number;
  private readonly kept = new Map<K, { readonly value: V; readonly size: number }>();
  private size = 0;

  constructor(mostBytes: number) {
    this.most = mostBytes;
  }

  get(key: K): V | undefined {
    const hit = this.kept.get(key);
    if (hit === undefined) return undefined;
    // A map remembers the order of insertion: the first is the one that was not used for longest.
    this.kept.delete(key);
    this.kept.set(key, hit);
    return hit.value;
  }

  set(key: K, value: V, size: number): void {
    if (size > this.most || this.kept.has(key)) return;
    this.kept.set(key, { value, size });
    this.size += size;
    for (const [oldest, { size: freed }] of this.kept) {
      if (this.size <= this.most) return;
      this.kept.delete(oldest);
      this.size -= freed;
    }
  }
}
