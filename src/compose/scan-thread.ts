/** One scan thread and the searches it works on. It starts with the first, and ends when it was idle for a while. */
import { Worker } from "node:worker_threads";
import { CompassError } from "../model/errors.ts";
import type { LoadTexts, ScanReply, ScanRequest } from "../ports/scanner.ts";
import { fromWire, toWire } from "./job-protocol.ts";
import { siblingModule } from "./parse-protocol.ts";
import type { FromScan, ToScan } from "./scan-protocol.ts";

interface Search {
  readonly load: LoadTexts;
  readonly resolve: (reply: ScanReply) => void;
  readonly reject: (error: unknown) => void;
}

/** The texts it keeps are worth their memory only while somebody searches. */
const IDLE_MS = 60_000;
/** A thread that does not hear a cancellation within this time is ended. */
const DEAF_MS = 2_000;

export class ScanThread {
  readonly #searches = new Map<number, Search>();
  readonly #cacheChars: number;
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #lastId = 0;

  constructor(cacheChars: number) {
    this.#cacheChars = cacheChars;
  }

  /** Searches that it works on now. */
  get load(): number {
    return this.#searches.size;
  }

  async scan(request: ScanRequest, load: LoadTexts, signal?: AbortSignal): Promise<ScanReply> {
    signal?.throwIfAborted();
    clearTimeout(this.#idle);
    this.#worker ??= this.#start();
    const worker = this.#worker;
    const id = ++this.#lastId;
    const cancel = () => this.#cancel(worker, id);
    signal?.addEventListener("abort", cancel, { once: true });
    worker.ref();
    try {
      return await new Promise<ScanReply>((resolve, reject) => {
        this.#searches.set(id, { load, resolve, reject });
        post(worker, { type: "scan", id, request });
      });
    } finally {
      signal?.removeEventListener("abort", cancel);
      this.#searches.delete(id);
      if (this.#searches.size === 0) this.#rest(worker);
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    await this.#worker?.terminate();
  }

  /** A process with nothing else to do may end while the thread waits. */
  #rest(worker: Worker): void {
    worker.unref();
    this.#idle = setTimeout(() => void worker.terminate(), IDLE_MS).unref();
  }

  #cancel(worker: Worker, id: number): void {
    post(worker, { type: "cancel", id });
    setTimeout(() => {
      if (this.#searches.has(id)) void worker.terminate();
    }, DEAF_MS).unref();
  }

  #start(): Worker {
    const worker = new Worker(siblingModule("scan-worker"), { workerData: { cacheChars: this.#cacheChars } });
    let reason = "the search thread ended";
    worker.on("message", (message: FromScan) => this.#hear(worker, message));
    worker.on("error", (error) => {
      reason = `the search thread died: ${error instanceof Error ? error.message : String(error)}`;
    });
    worker.on("exit", () => {
      if (this.#worker === worker) this.#worker = undefined;
      for (const search of this.#searches.values()) search.reject(new CompassError("internal_error", { reason }));
    });
    return worker;
  }

  #hear(worker: Worker, message: FromScan): void {
    const search = this.#searches.get(message.id);
    if (message.type === "done") search?.resolve(message.reply);
    else if (message.type === "failed") search?.reject(fromWire(message.error));
    else if (search !== undefined) void this.#supply(worker, search, message);
  }

  async #supply(worker: Worker, { load }: Search, { id, batch, texts }: Extract<FromScan, { type: "need" }>) {
    try {
      post(worker, { type: "texts", id, batch, texts: await load(texts) });
    } catch (error) {
      post(worker, { type: "unreadable", id, batch, error: toWire(error) });
    }
  }
}

function post(worker: Worker, message: ToScan): void {
  worker.postMessage(message);
}
