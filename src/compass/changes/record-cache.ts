/** Records that were read for a comparison and are in no store: the same comparison is often asked again. */
import type { FileRecord, SkipReason } from "../../model/code.ts";

/** A record of a common file takes some tens of kilobytes. */
const MOST_SYMBOLS = 100_000;

export class RecordCache {
  readonly #held = new Map<string, FileRecord | SkipReason>();
  #symbols = 0;

  clear(): void {
    this.#held.clear();
    this.#symbols = 0;
  }

  get(key: string): FileRecord | SkipReason | undefined {
    return this.#held.get(key);
  }

  /** The oldest leave first. */
  set(key: string, record: FileRecord | SkipReason): void {
    if (this.#held.has(key)) return;
    this.#held.set(key, record);
    this.#symbols += weightOf(record);
    for (const [oldest, one] of this.#held) {
      if (this.#symbols <= MOST_SYMBOLS) return;
      this.#held.delete(oldest);
      this.#symbols -= weightOf(one);
    }
  }
}

function weightOf(record: FileRecord | SkipReason): number {
  return typeof record === "string" ? 1 : 1 + record.symbols.length;
}
