/** The `Indexer` port by a job thread. It starts with the first run and stays warm; if it dies, the next run starts another. */
import { Worker } from "node:worker_threads";
import { CompassError } from "../model/errors.ts";
import type { IndexReport, JobProgress } from "../model/jobs.ts";
import type { Indexer, IndexRequest } from "../ports/indexer.ts";
import { type FromJobs, fromWire, type JobThreadData, type ToJobs } from "./job-protocol.ts";
import { siblingModule } from "./parse-protocol.ts";

/** `store`: the connection string of a shared store; empty for indexes on this machine. `jobs`: how many run at once. */
export function threadIndexer(store = "", jobs = 1): Indexer {
  return new ThreadIndexer({ store, jobs });
}

interface Run {
  readonly onProgress: (progress: JobProgress) => void;
  readonly resolve: (report: IndexReport) => void;
  readonly reject: (error: unknown) => void;
}

/** A thread that does not leave by itself within this time is ended; what it had stored stays. */
const CLOSE_MS = 2_000;
/** What is made of a batch lives briefly; by default it may fill 100 MB before it is collected. */
const YOUNG_MB = 24;

class ThreadIndexer implements Indexer {
  readonly #runs = new Map<number, Run>();
  #worker: Worker | undefined;
  #lastId = 0;
  readonly #data: JobThreadData;

  constructor(data: JobThreadData) {
    this.#data = data;
  }

  async run(request: IndexRequest, onProgress: Run["onProgress"], signal: AbortSignal): Promise<IndexReport> {
    signal.throwIfAborted();
    this.#worker ??= this.#start();
    const worker = this.#worker;
    const id = ++this.#lastId;
    const cancel = () => post(worker, { type: "cancel", id });
    signal.addEventListener("abort", cancel, { once: true });
    worker.ref();
    try {
      return await new Promise<IndexReport>((resolve, reject) => {
        this.#runs.set(id, { onProgress, resolve, reject });
        post(worker, { type: "run", id, request });
      });
    } finally {
      signal.removeEventListener("abort", cancel);
      this.#runs.delete(id);
      // A process with nothing else to do may end while the thread waits for work.
      if (this.#runs.size === 0) worker.unref();
    }
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    const gone = new Promise((resolve) => worker.once("exit", resolve));
    const timer = setTimeout(() => void worker.terminate(), CLOSE_MS);
    worker.ref();
    post(worker, { type: "close" });
    await gone;
    clearTimeout(timer);
  }

  #start(): Worker {
    const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MB };
    const worker = new Worker(siblingModule("job-worker"), { resourceLimits, workerData: this.#data });
    let reason = "the job thread ended";
    worker.on("message", (message: FromJobs) => this.#hear(message));
    worker.on("error", (error) => {
      reason = `the job thread died: ${error instanceof Error ? error.message : String(error)}`;
    });
    worker.on("exit", () => this.#fail(worker, reason));
    return worker;
  }

  #hear(message: FromJobs): void {
    const run = this.#runs.get(message.id);
    if (message.type === "progress") run?.onProgress(message.progress);
    else if (message.type === "done") run?.resolve(message.report);
    else run?.reject(fromWire(message.error));
  }

  #fail(worker: Worker, reason: string): void {
    if (this.#worker === worker) this.#worker = undefined;
    for (const run of this.#runs.values()) run.reject(new CompassError("internal_error", { reason }));
  }
}

function post(worker: Worker, message: ToJobs): void {
  worker.postMessage(message);
}
