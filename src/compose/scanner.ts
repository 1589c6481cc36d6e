/** The `Scanner` port: the calling thread scans a few small texts at once, threads scan everything else. */
import { availableParallelism } from "node:os";
import { TextScanner } from "../adapters/scan/scanner.ts";
import type { LoadedText, LoadTexts, Scanner, ScanReply, ScanRequest } from "../ports/scanner.ts";
import type { ScanApi, ScanClient, ScanData } from "./scan-worker.ts";
import { WorkerClient, WorkerExit } from "./worker-client.ts";
import { siblingModule, startThread, Transfer, threadTransport } from "./worker-protocol.ts";

/** So few texts are scanned sooner than a thread answers, unless they are long. */
const FEW_TEXTS = 40;
/** Fewer texts go to one thread. With 200 a pattern over many repositories, 64 texts and then 128, took 8 % longer. */
const WORTH_SPLITTING = 60;
const MOST_THREADS = 4;
/** Keeps the caller's thread free: a slice ends at the next text. */
const SLICE_MS = 5;
/** About 10 ms; a pattern that needs more goes to a thread. */
const LITTLE_WORK = 500_000;
/** Characters of text that all threads together keep: a repository of a million lines. */
const CACHE_CHARS = 96 << 20;
/** What the caller's thread opens for one search, and what it keeps. */
const HERE_CHARS = 2 << 20;
/** Of a first search, whose code V8 has not compiled yet: 1.1 M characters kept the thread for 29 ms. */
const HERE_LONGEST = 256 << 10;
/** The texts that a thread keeps are worth their memory only while there are searches. */
const IDLE_MS = 60_000;
/** A thread that does not confirm a cancellation within this time is terminated. */
const CANCEL_MS = 2_000;

export function threadScanner(): Scanner {
  return new ThreadScanner();
}

class ThreadScanner implements Scanner {
  readonly #here = new TextScanner({
    cacheChars: HERE_CHARS,
    sliceMs: SLICE_MS,
    mostWork: LITTLE_WORK,
    mostChars: HERE_CHARS,
    longestText: HERE_LONGEST,
  });
  readonly #threads: readonly ScanThread[];

  constructor() {
    const count = Math.min(MOST_THREADS, availableParallelism());
    this.#threads = Array.from({ length: count }, () => new ScanThread({ cacheChars: CACHE_CHARS / count }));
  }

  async scan(request: ScanRequest, load: LoadTexts, signal?: AbortSignal): Promise<ScanReply> {
    const isSmall = request.keys.length <= FEW_TEXTS && (request.largestText ?? 0) <= HERE_LONGEST;
    if (isSmall) {
      const reply = await this.#here.scan(request, load, signal);
      if (reply.complete) return reply;
    }
    if (request.keys.length >= WORTH_SPLITTING) return this.#split(request, load, signal);
    const thread = this.#threads.reduce((least, one) => (one.load < least.load ? one : least));
    return thread.scan(request, load, signal);
  }

  /** Each thread gets a share of the texts, always the same ones, so that it finds them in its cache. */
  async #split(request: ScanRequest, load: LoadTexts, signal?: AbortSignal): Promise<ScanReply> {
    const shares = sharesOf(request.keys, this.#threads.length);
    // The lines of the page are among the first so many of every share.
    const limit = request.offset + request.limit;
    const replies = await Promise.all(
      shares.map((texts, at) => {
        const keys = texts.map((text) => request.keys[text]!);
        const loadShare: LoadTexts = (wanted) => load(wanted.map((one) => texts[one]!));
        return this.#threads[at]!.scan({ ...request, keys, offset: 0, limit }, loadShare, signal);
      }),
    );
    return joined(request, shares, replies);
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }
}

class ScanThread {
  readonly #client: WorkerClient<ScanApi, ScanClient>;
  #closed = false;

  constructor(data: ScanData) {
    const start = () => startThread(siblingModule("scan-worker"), { workerData: data });
    this.#client = new WorkerClient(threadTransport("search", start), { idleMs: IDLE_MS, cancelMs: CANCEL_MS });
  }

  get load(): number {
    return this.#client.pending;
  }

  async scan(request: ScanRequest, load: LoadTexts, signal?: AbortSignal): Promise<ScanReply> {
    const callbacks = {
      load: async (texts: readonly number[]) => {
        const loaded = await load(texts);
        return new Transfer(loaded, loaded.flatMap(ownBuffer));
      },
    };
    const scan = () => this.#client.call("scan", [request], { signal, callbacks });
    try {
      return await scan();
    } catch (error) {
      // A thread that had to be terminated for one search must not fail the others.
      if (!(error instanceof WorkerExit) || this.#closed) throw error;
      return scan();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#client.terminate();
  }
}

/** Bytes of a file are moved to the thread: the caller does not need them, and copying 64 MB would block it. */
function ownBuffer(text: LoadedText): ArrayBuffer[] {
  if (typeof text !== "object" || text instanceof Uint8Array) return [];
  const { buffer, byteLength } = text.bytes;
  // A small `Buffer` shares its memory with others.
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}

function sharesOf(keys: readonly string[], threads: number): number[][] {
  const shares = Array.from({ length: threads }, (): number[] => []);
  for (const [text, key] of keys.entries()) shares[hash(key) % threads]!.push(text);
  return shares;
}

function hash(key: string): number {
  let sum = 0;
  for (let i = 0; i < key.length; i++) sum = (Math.imul(sum, 31) + key.charCodeAt(i)) >>> 0;
  return sum;
}

function joined(
  { keys, offset, limit }: ScanRequest,
  shares: readonly number[][],
  replies: readonly ScanReply[],
): ScanReply {
  const counts = new Uint32Array(keys.length);
  const places = replies.flatMap((reply, at) => {
    for (const [i, text] of shares[at]!.entries()) counts[text] = reply.counts[i]!;
    return reply.places.map(({ text, line }) => ({ text: shares[at]![text]!, line }));
  });
  places.sort((a, b) => a.text - b.text || a.line - b.line);
  return { counts, places: places.slice(offset, offset + limit), complete: replies.every((reply) => reply.complete) };
}
