/** The `Scanner` port: what is small is looked through at once, everything else in threads of its own. */
import { availableParallelism } from "node:os";
import { TextScanner } from "../adapters/scan/scanner.ts";
import type { LoadTexts, Scanner, ScanReply, ScanRequest } from "../ports/scanner.ts";
import { ScanThread } from "./scan-thread.ts";

/** A handful of texts is looked through sooner than a thread is asked, and far sooner than one is started. */
const FEW_TEXTS = 40;
/** Keeps the caller's thread free: a slice ends at the next text. */
const SLICE_MS = 5;
/** About 10 ms; a pattern that wants more is a thread's. */
const LITTLE_WORK = 500_000;
/** Characters of text that all threads together keep: a repository of a million lines. */
const CACHE_CHARS = 96 << 20;
const HERE_CHARS = 2 << 20;

export function threadScanner(): Scanner {
  return new ThreadScanner();
}

class ThreadScanner implements Scanner {
  readonly #here = new TextScanner({ cacheChars: HERE_CHARS, sliceMs: SLICE_MS, mostWork: LITTLE_WORK });
  readonly #threads: readonly ScanThread[];

  constructor() {
    const count = Math.max(1, Math.min(4, availableParallelism() >> 1));
    this.#threads = Array.from({ length: count }, () => new ScanThread(CACHE_CHARS / count));
  }

  async scan(request: ScanRequest, load: LoadTexts, signal?: AbortSignal): Promise<ScanReply> {
    if (request.keys.length <= FEW_TEXTS) {
      const reply = await this.#here.scan(request, load, signal);
      if (reply.complete) return reply;
    }
    const thread = this.#threads.reduce((least, one) => (one.load < least.load ? one : least));
    return thread.scan(request, load, signal);
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }
}
