/** One parse worker seen from the pool: requests in, answers or the place of its crash out. */
import { setFlagsFromString } from "node:v8";
import { Worker } from "node:worker_threads";
import { estimateWork } from "../ingest/batches.ts";
import type { ReadRequest, ReadResults } from "../ports/parsers.ts";
import { optimiseAdder } from "./optimised-wasm.ts";
import {
  type FromParser,
  type ParserData,
  type ParserFaults,
  siblingModule,
  type ToParser,
  Whereabouts,
} from "./parse-protocol.ts";
import { keepCode } from "./wasm-code-cache.ts";

export type Answer = ReadResults | Crash | Broken;

/** A worker that cannot even start: no input is to blame, and trying again would not help. */
export interface Broken {
  readonly broken: string;
}

/** Position of the file at which the worker died; `elsewhere`: it was busy with another request. */
export interface Crash {
  readonly crash: number | "elsewhere" | "unknown";
}

/** A worker that spends this much CPU time on one file hangs: parsing has a budget of two seconds. */
const SILENCE_MS = 10_000;
const LOOKS = 10;
const IDLE_MS = 30_000;
/** Files of a request and what is made of them take tens of MB; more is a runaway. */
const HEAP_MB = 256;
/**
 * How much of a worker's garbage may lie before it is collected, in MB. Left to itself V8 lets short-lived objects fill 100,
 * and begins with the others at 10: with 48 or 64, collecting took two thirds of the time that it took then. More than
 * `little` would cost the peak of an index; `plenty` is for machines that do nothing else. Whoever is started for what is
 * read in a few seconds is done before there is more than `brief`: a branch of 80,000 lines took 6 % less CPU.
 */
const GARBAGE = {
  little: { young: 24, old: 56 },
  brief: { young: 24, old: 128 },
  plenty: { young: 72, old: 160 },
} as const;

interface Open {
  readonly request: ReadRequest;
  readonly answer: (answer: Answer) => void;
}

let lastId = 0;

export interface ThreadOptions extends ParserFaults {
  readonly silenceMs?: number;
  readonly memory?: keyof typeof GARBAGE;
}

export class ParseThread {
  readonly #worker: Worker;
  readonly #whereabouts = new Whereabouts();
  readonly #open = new Map<number, Open>();
  readonly #onGone: () => void;
  readonly #silenceMs: number;
  #gone = false;
  #error: string | undefined;
  #idle: NodeJS.Timeout | undefined;
  #watch: NodeJS.Timeout | undefined;

  constructor(onGone: () => void, { silenceMs = SILENCE_MS, memory = "little", ...faults }: ThreadOptions = {}) {
    this.#onGone = onGone;
    this.#silenceMs = silenceMs;
    const data: ParserData = { whereabouts: this.#whereabouts.buffer, ...faults };
    this.#worker = startWorker(data, memory);
    this.#worker.on("message", (message: FromParser) => this.#hear(message));
    // `exit` follows; without a listener the error would end the process.
    this.#worker.on("error", (error) => {
      this.#error = error instanceof Error ? error.message : String(error);
    });
    this.#worker.on("exit", () => this.#end());
    this.#rest();
  }

  /** Requests under way. */
  get load(): number {
    return this.#open.size;
  }

  /** What these take, beside others. */
  get work(): number {
    return estimateWork([...this.#open.values()].flatMap(({ request }) => request.tasks));
  }

  read(request: ReadRequest): Promise<Answer> {
    clearTimeout(this.#idle);
    this.#worker.ref();
    this.#watch ??= this.#watchSilence();
    const id = ++lastId;
    return new Promise((answer) => {
      this.#open.set(id, { request, answer });
      // Neither a function nor a signal crosses to a thread; everything else does.
      const { known: _, signal: __, ...asked } = request;
      this.#post({ type: "read", id, request: asked });
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #post(message: ToParser): void {
    this.#worker.postMessage(message);
  }

  #hear(message: FromParser): void {
    const open = this.#open.get(message.id);
    if (open === undefined) return;
    if (message.type === "done") this.#finish(message.id, message.results);
    else
      open.request.known(message.keys).then(
        (keys) => this.#post({ type: "known", id: message.id, keys }),
        // The store has failed; the pipeline meets the same error itself, and this worker waits no longer.
        () => this.#post({ type: "known", id: message.id, keys: new Set() }),
      );
  }

  #finish(id: number, answer: Answer): void {
    this.#open.get(id)?.answer(answer);
    this.#open.delete(id);
    if (this.#open.size > 0 || this.#gone) return;
    clearInterval(this.#watch);
    this.#watch = undefined;
    this.#rest();
  }

  /** A process with nothing else to do may end meanwhile. */
  #rest(): void {
    this.#worker.unref();
    this.#idle = setTimeout(() => void this.#worker.terminate(), IDLE_MS).unref();
  }

  /** Ends a worker that works without getting anywhere. One that is stopped or starved does not work, and is left alone. */
  #watchSilence(): NodeJS.Timeout {
    let last = { steps: -1, looks: 0, cpuMs: 0 };
    const look = async () => {
      const cpuMs = await cpuMsOf(this.#worker);
      const { request, steps } = this.#whereabouts.get();
      if (request === 0 || steps !== last.steps) last = { steps, looks: 0, cpuMs };
      else if (++last.looks >= LOOKS && cpuMs - last.cpuMs > this.#silenceMs) void this.#worker.terminate();
    };
    // It cannot be asked any more when it has just ended.
    return setInterval(() => void look().catch(() => {}), this.#silenceMs / LOOKS).unref();
  }

  #end(): void {
    this.#gone = true;
    clearTimeout(this.#idle);
    clearInterval(this.#watch);
    this.#onGone();
    const { request, task, steps } = this.#whereabouts.get();
    const alone = this.#open.size === 1;
    for (const id of [...this.#open.keys()]) {
      if (steps === 0) this.#finish(id, { broken: this.#error ?? "it ended before its first file" });
      else if (id === request && task >= 0) this.#finish(id, { crash: task });
      else this.#finish(id, { crash: id === request || alone ? "unknown" : "elsewhere" });
    }
  }
}

/** Before Node 24.6 only the CPU time of the whole process is known, which is at least as much. */
async function cpuMsOf(worker: Worker): Promise<number> {
  const isKnown = typeof worker.cpuUsage === "function";
  const { user, system } = isKnown ? await worker.cpuUsage() : process.cpuUsage();
  return (user + system) / 1000;
}

/** Where collecting begins is no limit that a worker can be given: it is a flag, read while a thread starts. */
function startWorker(workerData: ParserData, memory: keyof typeof GARBAGE): Worker {
  const { young, old } = GARBAGE[memory];
  optimiseAdder();
  keepCode(memory);
  setFlagsFromString(`--initial-old-space-size=${old}`);
  const worker = new Worker(siblingModule("parse-worker"), {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: young },
  });
  const reset = () => setFlagsFromString("--initial-old-space-size=0");
  return worker.once("online", reset).once("exit", reset);
}
