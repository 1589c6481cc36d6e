/** The `Readers` port by a pool of reader threads. They start with the first request; one that dies or hangs is replaced. */
import { availableParallelism } from "node:os";
import type { ReadApi, ReadMethod } from "../compass/reading/read-methods.ts";
import { sharedCounters } from "../model/counters.ts";
import { CompassError } from "../model/errors.ts";
import type { EmbeddingSettings } from "../ports/indexer.ts";
import type { ReadAnswer, Readers, ViewAddress } from "../ports/readers.ts";
import type { ReadHorizon } from "../ports/store.ts";
import { presentPrincipal } from "./principal-context.ts";
import type { ReaderApi, ReaderData } from "./reader-worker.ts";
import { WorkerClient } from "./worker-client.ts";
import { siblingModule, startThread, threadTransport } from "./worker-protocol.ts";

export interface ReadersOptions {
  /** 0: one per core but one, at most `MAX_THREADS`. */
  readonly threads: number;
  /** Smaller views are answered on the caller's thread, where they take a few milliseconds. */
  readonly leastChunks: number;
  readonly embedding?: EmbeddingSettings;
  /** The connection string of a shared store; absent or empty: indexes on this machine. */
  readonly store?: string;
  /** Every request is read with the rights of its principal. */
  readonly guarded?: boolean;
  /** A replica of the shared store to read from; absent or empty: none. */
  readonly readStore?: string;
  /** The position of the shared store that the caller has seen. */
  readonly horizon?: ReadHorizon;
}

/** Each holds what it has read of a view: memory, not cores, is what runs out. */
const MAX_THREADS = 4;
/** One that is answered and one that the thread can take up at once. */
const CALLS_PER_THREAD = 2;
/** No request takes this long; a thread that is silent for so long hangs and is terminated. */
const HANG_TIMEOUT_MS = 60_000;
const CLOSE_MS = 500;
/** Left alone, V8 lets the garbage of a busy thread grow to 130 MB; about 100 MB are live in all. */
const YOUNG_MB = 32;

type ReadResult<M extends ReadMethod> = ReadAnswer<Awaited<ReturnType<ReadApi[M]>>>;

interface WaitingCall {
  /** Of the store that it reads. */
  readonly location: string;
  readonly start: (thread: ReaderThread) => void;
  readonly fail: (error: unknown) => void;
}

class ReaderThread {
  readonly client: WorkerClient<ReaderApi>;
  /** Calls that it has or will have at once. */
  load = 0;

  constructor(data: ReaderData) {
    const options = { workerData: data, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB } };
    const start = () => startThread(siblingModule("reader-worker"), options);
    this.client = new WorkerClient(threadTransport("reader", start), {
      hangTimeoutMs: HANG_TIMEOUT_MS,
      sharedCancel: true,
    });
  }
}

export class ReaderPool implements Readers<ReadApi> {
  readonly #options: ReadersOptions;
  readonly #threads: readonly ReaderThread[];
  readonly #waiting = new Set<WaitingCall>();
  /** By store: what one thread has loaded, another would have to load again. */
  readonly #lastReader = new Map<string, ReaderThread>();
  #closed = false;

  constructor(options: ReadersOptions) {
    this.#options = options;
    const { threads, embedding, store = "", guarded = false, readStore = "" } = options;
    // One core is left to the thread that serves the clients.
    const count = threads > 0 ? threads : Math.max(1, Math.min(availableParallelism() - 1, MAX_THREADS));
    const data = { embedding, store, guarded, readStore, counters: sharedCounters() };
    this.#threads = Array.from({ length: count }, () => new ReaderThread(data));
  }

  takes(chunkCount: number): boolean {
    return !this.#closed && chunkCount >= this.#options.leastChunks;
  }

  async read<M extends ReadMethod>(
    at: ViewAddress,
    method: M,
    args: Parameters<ReadApi[M]>,
    signal?: AbortSignal,
  ): Promise<ReadResult<M>> {
    signal?.throwIfAborted();
    if (this.#closed) throw closedError();
    const thread = await this.#reserve(at.storeLocation, signal);
    try {
      return await this.#readIn(thread, at, method, args, signal);
    } finally {
      this.#next();
    }
  }

  async warm(at: ViewAddress, chunkCount: number): Promise<boolean> {
    if (chunkCount < this.#options.leastChunks) return false;
    const reads = this.#threads.map((thread) => {
      thread.load++;
      return this.#readIn(thread, at, "search", [{ query: "the", limit: 1 }]);
    });
    await Promise.all(reads);
    return true;
  }

  forget(storeLocation: string): void {
    this.#lastReader.delete(storeLocation);
    for (const { client } of this.#threads) client.notify("forget", storeLocation);
  }

  rest(): void {
    for (const { client } of this.#threads) client.notify("rest");
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const { fail } of this.#waiting) fail(closedError());
    this.#waiting.clear();
    await Promise.all(this.#threads.map(({ client }) => client.close(CLOSE_MS)));
  }

  /** The place of the call is reserved already. */
  async #readIn<M extends ReadMethod>(
    thread: ReaderThread,
    at: ViewAddress,
    method: M,
    args: Parameters<ReadApi[M]>,
    signal?: AbortSignal,
  ): Promise<ReadResult<M>> {
    try {
      const request = { at, method, args, principal: presentPrincipal(), horizon: this.#options.horizon?.at ?? 0 };
      const { stateId, ...result } = await thread.client.call("read", [request], { signal });
      const answer = "json" in result ? JSON.parse(result.json) : result.answer;
      return { stateId, answer };
    } finally {
      thread.load--;
    }
  }

  /**
   * The thread that read the store last, or else the one with the fewest calls, as soon as one has room. A caller that
   * gives up loses its place.
   */
  #reserve(location: string, signal: AbortSignal | undefined): Promise<ReaderThread> {
    return new Promise((resolve, reject) => {
      const waiting = { location, start: resolve, fail: reject };
      this.#waiting.add(waiting);
      const giveUp = () => {
        if (this.#waiting.delete(waiting)) reject(signal?.reason);
      };
      signal?.addEventListener("abort", giveUp, { once: true });
      this.#next();
    });
  }

  #next(): void {
    for (const waiting of this.#waiting) {
      const last = this.#lastReader.get(waiting.location);
      const thread = last !== undefined && last.load < CALLS_PER_THREAD ? last : this.#leastBusy();
      if (thread === undefined) return;
      this.#waiting.delete(waiting);
      this.#lastReader.set(waiting.location, thread);
      // The call is made in a later step; its place is reserved until then.
      thread.load++;
      waiting.start(thread);
    }
  }

  #leastBusy(): ReaderThread | undefined {
    let least: ReaderThread | undefined;
    for (const thread of this.#threads) if (least === undefined || thread.load < least.load) least = thread;
    return least !== undefined && least.load < CALLS_PER_THREAD ? least : undefined;
  }
}

function closedError(): CompassError {
  return new CompassError("internal_error", { reason: "the readers are closed" });
}
