/**
 * The pool of parse workers. A worker that dies or falls silent is replaced: the file it was at is tried once more by
 * itself, then without the parser. Workers start when there is work for them or will be, and leave when there was none for a while.
 */
import { availableParallelism } from "node:os";
import { CompassError } from "../model/errors.ts";
import type { IndexSettings } from "../ports/indexer.ts";
import type { Parsers, ReadRequest, ReadResults, ReadTask } from "../ports/parsers.ts";
import { type Crash, ParseThread, type ThreadOptions } from "./parse-thread.ts";
import { withPlainCode } from "./v8-flags.ts";

/** Fewer files are read by one worker before another has started: to start it takes 100 ms of CPU time. */
const FILES_PER_WORKER = 32;
/** V8 flags gain something from about here on; until then they cost more (`v8-flags.ts`). */
const LONG_BYTES = 250_000;
/** One that is read and one that is fetched meanwhile. */
const REQUESTS_PER_WORKER = 2;

interface WaitingRequest {
  readonly request: ReadRequest;
  readonly resolve: (results: ReadResults) => void;
  readonly reject: (error: unknown) => void;
}

export class ParserPool implements Parsers {
  readonly #threads = new Set<ParseThread>();
  readonly #waiting: WaitingRequest[] = [];
  readonly #options: ThreadOptions;
  /** Of all requests so far. */
  #bytes = 0;
  #closed = false;

  constructor(options: ThreadOptions = {}) {
    this.#options = options;
  }

  get isRoomy(): boolean {
    return this.#options.memory === "plenty";
  }

  capacity(settings: IndexSettings): number {
    return workersOf(settings) * REQUESTS_PER_WORKER;
  }

  warm(settings: IndexSettings, files: number): void {
    const needed = Math.min(workersOf(settings), Math.ceil(files / FILES_PER_WORKER));
    while (this.#threads.size < needed) this.#start(files > FILES_PER_WORKER);
  }

  read(request: ReadRequest): Promise<ReadResults> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(closed());
      request.signal.addEventListener("abort", () => reject(request.signal.reason), { once: true });
      for (const { size } of request.tasks) this.#bytes += size;
      this.#waiting.push({ request, resolve, reject });
      this.#assign();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(closed());
    await Promise.all([...this.#threads].map((thread) => thread.close()));
  }

  #assign(): void {
    while (this.#waiting.length > 0 && !this.#closed) {
      const thread = this.#freeThread(this.#waiting[0]!.request);
      if (thread === undefined) return;
      void this.#serve(thread, this.#waiting.shift()!);
    }
  }

  /**
   * An idle worker, else a new one, else, of those that can fetch ahead, the one with the least to do: behind a long
   * request the next may wait for as long as all others together take. The remaining requests wait for the first free worker.
   */
  #freeThread({ settings, isAll }: ReadRequest): ParseThread | undefined {
    const byWork = [...this.#threads].sort((a, b) => a.work - b.work);
    const idle = byWork.find(({ load }) => load === 0);
    if (idle !== undefined) return idle;
    if (byWork.length < workersOf(settings)) return this.#start();
    if (isAll === true && this.#waiting.length <= byWork.length) return undefined;
    return byWork.find(({ load }) => load < REQUESTS_PER_WORKER);
  }

  get #isLong(): boolean {
    return this.#bytes >= LONG_BYTES;
  }

  #start(isLong = this.#isLong): ParseThread {
    const thread = new ParseThread(() => this.#threads.delete(thread), { ...this.#options, isLong });
    this.#threads.add(thread);
    return thread;
  }

  async #serve(thread: ParseThread, { request, resolve, reject }: WaitingRequest): Promise<void> {
    try {
      request.signal.throwIfAborted();
      const answer = await (this.#isLong ? withPlainCode(() => thread.read(request)) : thread.read(request));
      if ("crash" in answer) this.#again(request, answer).then(resolve, reject);
      else if ("broken" in answer)
        reject(new CompassError("internal_error", { reason: `parse worker: ${answer.broken}` }));
      else resolve(answer);
    } catch (error) {
      reject(error);
    } finally {
      this.#assign();
    }
  }

  /** After a crash: the same once more for those who only shared the thread; the culprit apart from its neighbours. */
  async #again(request: ReadRequest, { crash }: Crash): Promise<ReadResults> {
    if (crash === "elsewhere") return this.read(request);
    const { tasks } = request;
    if (tasks.length === 1) return this.#withoutParser(request, tasks[0]!);
    const at = crash === "unknown" ? Math.floor(tasks.length / 2) : crash;
    const parts = [tasks.slice(0, at), tasks.slice(at, at + 1), tasks.slice(at + 1)].filter((part) => part.length > 0);
    const results = await Promise.all(parts.map((part) => this.read({ ...request, tasks: part })));
    return {
      outcomes: results.flatMap((it) => it.outcomes),
      batches: results.flatMap((it) => it.batches),
      ...(request.purpose === "records" && { records: results.flatMap((it) => it.records ?? []) }),
    };
  }

  async #withoutParser(request: ReadRequest, task: ReadTask): Promise<ReadResults> {
    if (task.mode === undefined) return this.read({ ...request, tasks: [{ ...task, mode: "text" }] });
    return { outcomes: [{ path: task.path, skip: "unreadable" }], batches: [] };
  }
}

function closed(): CompassError {
  return new CompassError("internal_error", { reason: "the parse workers are closed" });
}

function workersOf({ workers }: IndexSettings): number {
  return workers > 0 ? workers : availableParallelism();
}
