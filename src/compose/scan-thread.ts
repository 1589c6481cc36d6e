/** One scan thread and the searches it works on. It starts with the first, and ends when it was idle for a while. */
import { AsyncResource } from "node:async_hooks";
import { Worker } from "node:worker_threads";
import { CompassError } from "../model/errors.ts";
import type { LoadedText, LoadTexts, ScanReply, ScanRequest } from "../ports/scanner.ts";
import { fromWire, toWire } from "./job-protocol.ts";
import { siblingModule } from "./parse-protocol.ts";
import type { FromScan, ToScan } from "./scan-protocol.ts";

interface Search {
  readonly request: ScanRequest;
  readonly load: LoadTexts;
  readonly resolve: (reply: ScanReply) => void;
  readonly reject: (error: unknown) => void;
  /** Its thread ended under it; another one is tried once. */
  retried: boolean;
}

/** The texts it keeps are worth their memory only while somebody searches. */
const IDLE_MS = 60_000;
/** A thread that does not hear a cancellation within this time is ended. */
const DEAF_MS = 2_000;

export class ScanThread {
  readonly #searches = new Map<number, Search>();
  /** Searches that nobody waits for any more, until the thread lets go of them. */
  readonly #cancelled = new Map<number, NodeJS.Timeout>();
  readonly #cacheChars: number;
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #lastId = 0;
  #closed = false;

  constructor(cacheChars: number) {
    this.#cacheChars = cacheChars;
  }

  /** Searches that it works on now. */
  get load(): number {
    return this.#searches.size + this.#cancelled.size;
  }

  async scan(request: ScanRequest, load: LoadTexts, signal?: AbortSignal): Promise<ScanReply> {
    signal?.throwIfAborted();
    clearTimeout(this.#idle);
    const id = ++this.#lastId;
    // The worker's messages arrive in the async context of the request that started the worker. Texts must be loaded in
    // the context of the request that asked for them: it holds the principal whose rights apply.
    const loadInContext = AsyncResource.bind(load);
    const cancel = () => this.#cancel(id, signal?.reason);
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      return await new Promise<ScanReply>((resolve, reject) => {
        this.#searches.set(id, { request, load: loadInContext, resolve, reject, retried: false });
        this.#post({ type: "scan", id, request });
      });
    } finally {
      signal?.removeEventListener("abort", cancel);
      this.#searches.delete(id);
      if (this.#searches.size === 0) this.#rest();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idle);
    await this.#worker?.terminate();
  }

  /** A process with nothing else to do may end while the thread waits. */
  #rest(): void {
    this.#worker?.unref();
    this.#idle = setTimeout(() => void this.#worker?.terminate(), IDLE_MS).unref();
  }

  #cancel(id: number, reason: unknown): void {
    const worker = this.#worker;
    this.#post({ type: "cancel", id });
    this.#cancelled.set(id, setTimeout(() => void worker?.terminate(), DEAF_MS).unref());
    this.#searches.get(id)?.reject(reason);
  }

  #post(message: ToScan): void {
    this.#worker ??= this.#start();
    this.#worker.ref();
    this.#worker.postMessage(message);
  }

  #start(): Worker {
    const worker = new Worker(siblingModule("scan-worker"), { workerData: { cacheChars: this.#cacheChars } });
    let reason = "the search thread ended";
    worker.on("message", (message: FromScan) => this.#hear(message));
    worker.on("error", (error) => {
      reason = `the search thread died: ${error instanceof Error ? error.message : String(error)}`;
    });
    worker.on("exit", () => this.#ended(worker, reason));
    return worker;
  }

  /** One search that had to be ended must not take the others with it. */
  #ended(worker: Worker, reason: string): void {
    if (this.#worker === worker) this.#worker = undefined;
    for (const timer of this.#cancelled.values()) clearTimeout(timer);
    this.#cancelled.clear();
    for (const [id, search] of this.#searches) {
      if (search.retried || this.#closed) search.reject(new CompassError("internal_error", { reason }));
      else {
        search.retried = true;
        this.#post({ type: "scan", id, request: search.request });
      }
    }
  }

  #hear(message: FromScan): void {
    if (message.type !== "need") {
      clearTimeout(this.#cancelled.get(message.id));
      this.#cancelled.delete(message.id);
    }
    const search = this.#searches.get(message.id);
    if (message.type === "done") search?.resolve(message.reply);
    else if (message.type === "failed") search?.reject(fromWire(message.error));
    else if (search !== undefined) void this.#supply(search, message);
  }

  async #supply({ load }: Search, { id, batch, texts }: Extract<FromScan, { type: "need" }>): Promise<void> {
    const worker = this.#worker;
    const tell = (message: ToScan, moved: ArrayBuffer[] = []) => worker?.postMessage(message, moved);
    try {
      const loaded = await load(texts);
      tell({ type: "texts", id, batch, texts: loaded }, loaded.flatMap(ownBuffer));
    } catch (error) {
      tell({ type: "unreadable", id, batch, error: toWire(error) });
    }
  }
}

/** Bytes of a file are moved to the thread: nobody else holds them, and copying 64 MB would keep this thread busy. */
function ownBuffer(text: LoadedText): ArrayBuffer[] {
  if (typeof text !== "object" || text instanceof Uint8Array) return [];
  const { buffer, byteLength } = text.bytes;
  // A small `Buffer` shares its memory with others.
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}
