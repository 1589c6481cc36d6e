/** The `Indexer` port by a host of jobs. It starts with the first run and stays warm; if it dies, the next run starts another. */
import { availableParallelism } from "node:os";
import { CompassError } from "../model/errors.ts";
import type { IndexReport, JobProgress } from "../model/jobs.ts";
import type { Indexer, IndexRequest, Rehearsal } from "../ports/indexer.ts";
import { type JobHost, jobProcess, jobThread, jobThreadBeside, type StartHost } from "./job-hosts.ts";
import { type FromJobs, fromWire, type JobData } from "./job-protocol.ts";

/** `store`: the connection string of a shared store; empty for indexes on this machine. `jobs`: how many run at once. */
export function threadIndexer(store = "", jobs = 1): Indexer {
  return new HostedIndexer(jobThread, { store, jobs, memory: store !== "" && hasPlenty() ? "plenty" : "little" });
}

/** For what lives long: whole trees are indexed by a process that leaves soon after, the rest by a thread that stays. */
export function serverIndexer(store = "", jobs = 1, lingerMs = LINGER_MS): Indexer {
  const thread = new HostedIndexer(jobThreadBeside, { store, jobs, memory: "brief" });
  const apart = new HostedIndexer(jobProcess, { store, jobs, memory: "little" }, lingerMs);
  return {
    run: (request, ...rest) => (request.mode === "full" ? apart : thread).run(request, ...rest),
    warm: (rehearsal) => thread.warm(rehearsal),
    close: async () => void (await Promise.all([thread.close(), apart.close()])),
  };
}

/** For each core, of what the machine or the container has left. */
const PLENTY_BYTES = 1_000_000_000;

/**
 * A command that fills a shared store has a machine for that. A worker takes some 100 MB more, and the ingest of a million
 * lines 5 % less of all cores.
 */
function hasPlenty(): boolean {
  return process.availableMemory() > PLENTY_BYTES * availableParallelism();
}

interface Run {
  readonly onProgress: (progress: JobProgress) => void;
  readonly resolve: (report: IndexReport) => void;
  readonly reject: (error: unknown) => void;
}

/** A host that does not leave by itself within this time is ended; what it had stored stays. */
const CLOSE_MS = 2_000;
/** Who indexes one tree often indexes the next one right after it. */
const LINGER_MS = 3_000;

/** A host, and the moment it has gone. */
interface Open {
  readonly host: JobHost;
  readonly gone: Promise<void>;
}

class HostedIndexer implements Indexer {
  readonly #runs = new Map<number, Run>();
  readonly #start: StartHost;
  readonly #data: JobData;
  readonly #lingerMs: number | undefined;
  #open: Open | undefined;
  #lastId = 0;
  #linger: NodeJS.Timeout | undefined;

  /** `lingerMs`: how long a host without jobs is kept; absent: until the end. */
  constructor(start: StartHost, data: JobData, lingerMs?: number) {
    this.#start = start;
    this.#data = data;
    this.#lingerMs = lingerMs;
  }

  async run(request: IndexRequest, onProgress: Run["onProgress"], signal: AbortSignal): Promise<IndexReport> {
    signal.throwIfAborted();
    clearTimeout(this.#linger);
    this.#open ??= this.#opened();
    const { host } = this.#open;
    const id = ++this.#lastId;
    const cancel = () => host.post({ type: "cancel", id });
    signal.addEventListener("abort", cancel, { once: true });
    host.hold();
    try {
      return await new Promise<IndexReport>((resolve, reject) => {
        this.#runs.set(id, { onProgress, resolve, reject });
        host.post({ type: "run", id, request });
      });
    } finally {
      signal.removeEventListener("abort", cancel);
      this.#runs.delete(id);
      if (this.#runs.size === 0) this.#rest(host);
    }
  }

  warm(rehearsal?: Rehearsal): void {
    if (this.#open === undefined) {
      this.#open = this.#opened();
      this.#open.host.release();
    }
    if (rehearsal !== undefined) this.#open.host.post({ type: "rehearse", rehearsal });
  }

  async close(): Promise<void> {
    clearTimeout(this.#linger);
    if (this.#open === undefined) return;
    const { host, gone } = this.#open;
    const timer = setTimeout(() => host.end(), CLOSE_MS);
    host.hold();
    host.post({ type: "close" });
    await gone;
    clearTimeout(timer);
  }

  /** A process with nothing else to do may end while the host waits for work. */
  #rest(host: JobHost): void {
    host.release();
    if (this.#lingerMs === undefined) return;
    this.#linger = setTimeout(() => {
      if (this.#open?.host === host) this.#open = undefined;
      host.post({ type: "close" });
    }, this.#lingerMs).unref();
  }

  #opened(): Open {
    const gone = Promise.withResolvers<void>();
    const onGone = (reason: string) => {
      gone.resolve();
      if (this.#open?.host === host) this.#fail(reason);
    };
    const host = this.#start(this.#data, { onMessage: (message) => this.#hear(message), onGone });
    return { host, gone: gone.promise };
  }

  #hear(message: FromJobs): void {
    const run = this.#runs.get(message.id);
    if (message.type === "progress") run?.onProgress(message.progress);
    else if (message.type === "done") run?.resolve(message.report);
    else run?.reject(fromWire(message.error));
  }

  #fail(reason: string): void {
    this.#open = undefined;
    for (const run of this.#runs.values()) run.reject(new CompassError("internal_error", { reason }));
  }
}
