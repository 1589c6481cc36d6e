/** One parse worker seen from the pool: requests in, results or the position of its crash out. */
import type { Worker } from "node:worker_threads";
import { compileCore } from "../adapters/treesitter/runtime.ts";
import { estimateWork } from "../ingest/batches.ts";
import { errorMessage } from "../model/errors.ts";
import type { ReadRequest, ReadResults } from "../ports/parsers.ts";
import {
  type ParseApi,
  ParsePosition,
  type ParserClient,
  type ParserData,
  type ParserFaults,
} from "./parse-position.ts";
import { optimiseAdder, withLargerHeap } from "./v8-flags.ts";
import { WorkerClient } from "./worker-client.ts";
import { siblingModule, startThread, threadTransport } from "./worker-protocol.ts";

export type ThreadAnswer = ReadResults | Crash | BrokenWorker;

/** A worker that cannot even start: no input is to blame, and trying again would not help. */
export interface BrokenWorker {
  readonly broken: string;
}

/** Position of the file at which the worker died; `elsewhere`: it was busy with another request. */
export interface Crash {
  readonly crash: number | "elsewhere" | "unknown";
}

/** A worker that spends this much CPU time on one file hangs: parsing has a budget of two seconds. */
const HANG_CPU_MS = 10_000;
const CHECKS_PER_HANG = 10;
const IDLE_MS = 30_000;
/** Files of a request and what is made of them take tens of MB; more is a runaway. */
const HEAP_MB = 256;
/**
 * Short-lived objects of a worker before they are collected; V8 would let them fill 100 MB. `plenty` is for machines that
 * do nothing else.
 */
const YOUNG_MB = { little: 24, plenty: 72 } as const;

let lastId = 0;

export interface ThreadOptions extends ParserFaults {
  readonly hangCpuMs?: number;
  readonly memory?: keyof typeof YOUNG_MB;
  /** There is much to read. */
  readonly isLong?: boolean;
}

export class ParseThread {
  readonly #client: WorkerClient<ParseApi, ParserClient>;
  readonly #position = new ParsePosition();
  readonly #open = new Map<number, ReadRequest>();
  readonly #hangCpuMs: number;
  #worker: Worker | undefined;
  #openAtExit = 0;
  #watch: NodeJS.Timeout | undefined;

  /** The worker starts at once. */
  constructor(onExit: () => void, options: ThreadOptions = {}) {
    const { hangCpuMs = HANG_CPU_MS, memory = "little", isLong = false, ...faults } = options;
    this.#hangCpuMs = hangCpuMs;
    const start = () => {
      const startOne = () => startWorker({ position: this.#position.buffer, ...faults }, memory);
      this.#worker = isLong ? withLargerHeap(startOne) : startOne();
      return this.#worker;
    };
    this.#client = new WorkerClient(threadTransport("parse", start), {
      idleMs: IDLE_MS,
      onExit: () => {
        this.#openAtExit = this.#open.size;
        clearInterval(this.#watch);
        onExit();
      },
    });
    this.#client.start();
  }

  /** Requests under way. */
  get load(): number {
    return this.#open.size;
  }

  /** How much work these are, compared with others. */
  get work(): number {
    return estimateWork([...this.#open.values()].flatMap(({ tasks }) => tasks));
  }

  async read(request: ReadRequest): Promise<ThreadAnswer> {
    const id = ++lastId;
    // Neither a function nor a signal crosses to a thread.
    const { known, signal: _, ...batch } = request;
    // When the store has failed, the pipeline meets the same error itself.
    const callbacks = { known: (keys: Parameters<typeof known>[0]) => known(keys).catch(() => new Set<string>()) };
    this.#open.set(id, request);
    this.#watch ??= this.#watchCpu();
    try {
      return await this.#client.call("read", [id, batch], { callbacks });
    } catch (error) {
      // An error leaves the parser in an unknown state, so the worker ends as it does after a crash.
      await this.close();
      return this.#failureOf(id, error);
    } finally {
      this.#open.delete(id);
      if (this.#open.size === 0) {
        clearInterval(this.#watch);
        this.#watch = undefined;
      }
    }
  }

  close(): Promise<void> {
    return this.#client.terminate();
  }

  /** Ends a worker that works without getting anywhere. One that is stopped or starved does not work, and is left alone. */
  #watchCpu(): NodeJS.Timeout {
    let last = { steps: -1, checks: 0, cpuMs: 0 };
    const check = async () => {
      const cpuMs = await cpuMsOf(this.#worker!);
      const { request, steps } = this.#position.get();
      if (request === 0 || steps !== last.steps) last = { steps, checks: 0, cpuMs };
      else if (++last.checks >= CHECKS_PER_HANG && cpuMs - last.cpuMs > this.#hangCpuMs) void this.close();
    };
    // A worker that has just ended has no CPU time.
    return setInterval(() => void check().catch(() => {}), this.#hangCpuMs / CHECKS_PER_HANG).unref();
  }

  #failureOf(id: number, error: unknown): Crash | BrokenWorker {
    const { request, task, steps } = this.#position.get();
    if (steps === 0) return { broken: errorMessage(error) };
    if (id === request && task >= 0) return { crash: task };
    return { crash: id === request || this.#openAtExit === 1 ? "unknown" : "elsewhere" };
  }
}

/** Before Node 24.6 only the CPU time of the whole process is known, which is at least as much. */
async function cpuMsOf(worker: Worker): Promise<number> {
  const isKnown = typeof worker.cpuUsage === "function";
  const { user, system } = isKnown ? await worker.cpuUsage() : process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * tree-sitter's compiled code. V8 throws code away with its last user, and a worker that comes later would compile it when
 * optimising is switched off for the process (`v8-flags.ts`): 7.5 s instead of 6.6 for 1,148 files.
 */
const kept: { core?: object } = {};

function startWorker(workerData: ParserData, memory: keyof typeof YOUNG_MB): Worker {
  optimiseAdder();
  kept.core ??= compileCore();
  const resourceLimits = { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: YOUNG_MB[memory] };
  return startThread(siblingModule("parse-worker"), { workerData, resourceLimits });
}
