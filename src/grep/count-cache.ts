/** Remembers the counts of the last questions, so that their next pages need not look at every file again. */
import type { ScanReply } from "../ports/scanner.ts";

interface Known {
  readonly keys: readonly string[];
  readonly reply: ScanReply;
}

const MOST = 16;

export class GrepMemo {
  private readonly known = new Map<string, Known>();

  /** The answer to the same question about the same texts. */
  find(question: readonly unknown[], keys: readonly string[]): ScanReply | undefined {
    const found = this.known.get(JSON.stringify(question));
    if (found === undefined || found.keys.length !== keys.length) return undefined;
    return found.keys.every((key, i) => key === keys[i]) ? found.reply : undefined;
  }

  keep(question: readonly unknown[], keys: readonly string[], reply: ScanReply): void {
    const name = JSON.stringify(question);
    this.known.delete(name);
    this.known.set(name, { keys, reply });
    for (const oldest of this.known.keys()) {
      if (this.known.size <= MOST) return;
      this.known.delete(oldest);
    }
  }
}
