/** Keeps decoded texts, those used last, up to a number of characters. */
export class TextCache {
  private readonly most: number;
  private readonly kept = new Map<string, string>();
  private size = 0;

  constructor(mostChars: number) {
    this.most = mostChars;
  }

  get(key: string): string | undefined {
    return this.kept.get(key);
  }

  /**
   * A text that does not fit any more is not kept: a search goes through all texts in order, and one that pushed out the
   * oldest would find nothing the next time. What was not used for long goes when `age` is called.
   */
  set(key: string, text: string): void {
    if (this.kept.has(key) || this.size + text.length > this.most) return;
    this.kept.set(key, text);
    this.size += text.length;
  }

  /** Makes room for the texts of another view by forgetting those that are not among these. */
  retain(keys: ReadonlySet<string>): void {
    for (const [key, text] of this.kept) {
      if (keys.has(key)) continue;
      this.kept.delete(key);
      this.size -= text.length;
    }
  }

  get isFull(): boolean {
    return this.size > this.most * 0.9;
  }
}
