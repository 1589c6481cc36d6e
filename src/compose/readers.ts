/** The `Readers` port by threads. They start when first wanted; one that dies or hangs is replaced. */
import { availableParallelism } from "node:os";
import { CompassError } from "../model/errors.ts";
import type { EmbeddingSettings } from "../ports/indexer.ts";
import type { ReadAnswer, Readers, ViewAddress } from "../ports/readers.ts";
import { ReaderThread } from "./reader-thread.ts";

export interface ReadersOptions {
  /** 0: one per core but one, at most `MOST_THREADS`. */
  readonly threads: number;
  /** Smaller views are answered on the caller's thread, where they take a few milliseconds. */
  readonly leastChunks: number;
  readonly embedding?: EmbeddingSettings;
  /** The connection string of a shared store; absent or empty: indexes on this machine. */
  readonly store?: string;
  /** Ask with the rights of each question's principal. */
  readonly guarded?: boolean;
  /** A replica of the shared store to read from; absent or empty: none. */
  readonly readStore?: string;
  /** How far the store has been seen by whoever asks. */
  readonly horizon?: () => number;
}

/** Each holds what it has read of a view: memory, not cores, is what runs out. */
const MOST_THREADS = 4;
/** One that is answered and one that waits where its thread can take it up at once. */
const ASKED_AT_ONCE = 2;

interface Waiting {
  readonly start: (thread: ReaderThread) => void;
  readonly fail: (error: unknown) => void;
}

export class ReaderPool implements Readers {
  readonly #options: ReadersOptions;
  readonly #threads: ReaderThread[] = [];
  readonly #waiting = new Set<Waiting>();
  readonly #wanted: number;
  #closed = false;

  constructor(options: ReadersOptions) {
    this.#options = options;
    const { threads } = options;
    // One core is left to the thread that speaks with the clients.
    this.#wanted = threads > 0 ? threads : Math.max(1, Math.min(availableParallelism() - 1, MOST_THREADS));
  }

  takes(chunkCount: number): boolean {
    return !this.#closed && chunkCount >= this.#options.leastChunks;
  }

  async ask(at: ViewAddress, method: string, args: readonly unknown[], signal?: AbortSignal): Promise<ReadAnswer> {
    signal?.throwIfAborted();
    const thread = await this.#free(signal);
    try {
      return await thread.ask(at, method, args, signal);
    } finally {
      this.#next();
    }
  }

  async warm(at: ViewAddress, chunkCount: number): Promise<boolean> {
    if (chunkCount < this.#options.leastChunks) return false;
    const question = { query: "the", limit: 1 };
    await Promise.all(
      this.#all().map((thread) => {
        thread.reserve();
        return thread.ask(at, "search", [question]);
      }),
    );
    return true;
  }

  forget(storeLocation: string): void {
    for (const thread of this.#threads) thread.forget(storeLocation);
  }

  rest(): void {
    for (const thread of this.#threads) thread.rest();
  }

  async close(): Promise<void> {
    this.#closed = true;
    const error = new CompassError("internal_error", { reason: "the readers are closed" });
    for (const { fail } of this.#waiting) fail(error);
    this.#waiting.clear();
    await Promise.all(this.#threads.splice(0).map((thread) => thread.close()));
  }

  #all(): readonly ReaderThread[] {
    while (this.#threads.length < this.#wanted && !this.#closed) {
      const thread = new ReaderThread(
        () => {
          const at = this.#threads.indexOf(thread);
          if (at !== -1) this.#threads.splice(at, 1);
        },
        {
          embedding: this.#options.embedding,
          store: this.#options.store ?? "",
          guarded: this.#options.guarded === true,
          readStore: this.#options.readStore ?? "",
        },
        this.#options.horizon,
      );
      this.#threads.push(thread);
    }
    return this.#threads;
  }

  /** The thread with the least to do, as soon as one has room. Who gives up meanwhile loses its place. */
  #free(signal: AbortSignal | undefined): Promise<ReaderThread> {
    return new Promise((resolve, reject) => {
      const waiting = { start: resolve, fail: reject };
      this.#waiting.add(waiting);
      signal?.addEventListener(
        "abort",
        () => {
          if (this.#waiting.delete(waiting)) reject(signal.reason);
        },
        { once: true },
      );
      this.#next();
    });
  }

  #next(): void {
    for (const waiting of this.#waiting) {
      const thread = this.#leastBusy();
      if (thread === undefined) return;
      this.#waiting.delete(waiting);
      // The question itself is asked in a later step; until then its place is kept.
      thread.reserve();
      waiting.start(thread);
    }
  }

  #leastBusy(): ReaderThread | undefined {
    let least: ReaderThread | undefined;
    for (const thread of this.#all()) if (least === undefined || thread.load < least.load) least = thread;
    return least !== undefined && least.load < ASKED_AT_ONCE ? least : undefined;
  }
}
