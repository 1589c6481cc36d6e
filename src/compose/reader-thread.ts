/** One reader thread as its pool sees it. */
import { Worker } from "node:worker_threads";
import { CompassError } from "../model/errors.ts";
import { afterAwake } from "../model/event-loop.ts";
import type { ReadAnswer, ViewAddress } from "../ports/readers.ts";
import { presentPrincipal } from "./asking.ts";
import { fromWire } from "./job-protocol.ts";
import { siblingModule } from "./parse-protocol.ts";
import { type FromReader, newStop, type ReaderData, setStop, type ToReader } from "./read-protocol.ts";

/** No question takes this long; a thread that is silent for so long hangs and is ended. */
const HANGS_MS = 60_000;
const CLOSE_MS = 500;
/** Left alone, V8 lets the garbage of a busy thread grow to 130 MB before it looks at it; live are about 100 MB in all. */
const YOUNG_MB = 32;

interface Asked {
  readonly resolve: (answer: ReadAnswer) => void;
  readonly reject: (error: unknown) => void;
}

export class ReaderThread {
  readonly #worker: Worker;
  readonly #asked = new Map<number, Asked>();
  readonly #onGone: () => void;
  readonly #horizon: () => number;
  #lastId = 0;
  #reserved = 0;
  #watchdog: NodeJS.Timeout | undefined;
  #reason = "the reader thread ended";

  /** `horizon`: how far whoever asks has seen a shared store. */
  constructor(onGone: () => void, data: ReaderData, horizon: () => number = () => 0) {
    this.#onGone = onGone;
    this.#horizon = horizon;
    const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MB };
    this.#worker = new Worker(siblingModule("reader-worker"), { workerData: data, resourceLimits });
    this.#worker.on("message", (message: FromReader) => this.#hear(message));
    this.#worker.on("error", (error) => {
      this.#reason = `the reader thread died: ${error instanceof Error ? error.message : String(error)}`;
    });
    this.#worker.on("exit", () => this.#gone());
    this.#worker.unref();
  }

  /** Questions that it has or will have at once. */
  get load(): number {
    return this.#asked.size + this.#reserved;
  }

  /** Keeps a place for a question; `ask` takes it. */
  reserve(): void {
    this.#reserved++;
  }

  async ask(at: ViewAddress, method: string, args: readonly unknown[], signal?: AbortSignal): Promise<ReadAnswer> {
    this.#reserved--;
    const id = ++this.#lastId;
    const stop = newStop();
    const cancel = () => setStop(stop);
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      return await new Promise((resolve, reject) => {
        this.#asked.set(id, { resolve, reject });
        this.#watch();
        const asked = { principal: presentPrincipal(), horizon: this.#horizon() };
        this.#post({ type: "ask", id, at, method, args, stop, ...asked });
      });
    } finally {
      signal?.removeEventListener("abort", cancel);
      this.#asked.delete(id);
      this.#watch();
    }
  }

  forget(storeLocation: string): void {
    this.#post({ type: "forget", storeLocation });
  }

  rest(): void {
    this.#post({ type: "rest" });
  }

  async close(): Promise<void> {
    const gone = new Promise((resolve) => this.#worker.once("exit", resolve));
    const timer = setTimeout(() => void this.#worker.terminate(), CLOSE_MS);
    this.#worker.ref();
    this.#post({ type: "close" });
    await gone;
    clearTimeout(timer);
  }

  #post(message: ToReader): void {
    this.#worker.postMessage(message);
  }

  #hear(message: FromReader): void {
    const asked = this.#asked.get(message.id);
    if (message.type === "done") asked?.resolve(message.answer);
    else if (message.type === "said") asked?.resolve(JSON.parse(message.json) as ReadAnswer);
    else asked?.reject(fromWire(message.error));
  }

  /** From each question or answer on, the next answer has to come in time. */
  #watch(): void {
    clearInterval(this.#watchdog);
    if (this.#asked.size === 0) {
      this.#worker.unref();
      return;
    }
    this.#worker.ref();
    this.#watchdog = afterAwake(HANGS_MS, () => {
      this.#reason = "a question took too long";
      void this.#worker.terminate();
    });
    this.#watchdog.unref();
  }

  #gone(): void {
    clearInterval(this.#watchdog);
    this.#onGone();
    for (const { reject } of this.#asked.values()) reject(new CompassError("internal_error", { reason: this.#reason }));
  }
}
