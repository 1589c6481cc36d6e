/** The `Indexer` port: jobs run in a thread or a process, which starts with the first one; one that died is replaced. */
import { availableParallelism, constants, getPriority, setPriority } from "node:os";
import type { Indexer } from "../ports/indexer.ts";
import type { JobApi, JobClient, JobData } from "./job-worker.ts";
import { WorkerClient } from "./worker-client.ts";
import {
  processTransport,
  type StartTransport,
  siblingModule,
  startThread,
  threadTransport,
} from "./worker-protocol.ts";

/** The results of a batch live briefly; by default V8 lets them fill 100 MB before it collects them. */
const YOUNG_MB = 24;
/** With plenty of memory: two million lines were collected 440 times, for 1.4 s. */
const YOUNG_MB_PLENTY = 72;
/** In a server, where the thread keeps its memory between jobs. */
const YOUNG_MB_IN_SERVER = 9;
/** A worker that does not end by itself within this time is terminated; what it has stored stays. */
const CLOSE_MS = 2_000;
/** A client that indexes one tree often indexes the next one right after it. */
const LINGER_MS = 3_000;
/** For each core, of what the machine or the container has left. */
const PLENTY_BYTES = 1_000_000_000;

/** `store`: the connection string of a shared store; empty for indexes on this machine. `jobs`: how many run at once. */
export function threadIndexer(store = "", jobs = 1): Indexer {
  const memory = store !== "" && hasPlenty() ? "plenty" : "little";
  return indexerBy(jobThread({ store, jobs, memory }, memory === "plenty" ? YOUNG_MB_PLENTY : YOUNG_MB));
}

/** For a server: whole trees are indexed by a process that ends soon after, everything else by a thread that stays. */
export function serverIndexer(store = "", jobs = 1, lingerMs = LINGER_MS): Indexer {
  const thread = indexerBy(jobThread({ store, jobs, memory: "little" }, YOUNG_MB_IN_SERVER));
  const child = indexerBy(jobProcess({ store, jobs, memory: "little" }), lingerMs);
  return {
    run: (request, ...rest) => (request.mode === "full" ? child : thread).run(request, ...rest),
    warm: (rehearsal) => thread.warm?.(rehearsal),
    close: async () => void (await Promise.all([thread.close(), child.close()])),
  };
}

/**
 * A command that fills a shared store has a machine for that. A parse worker takes some 100 MB more, and the ingest of a
 * million lines 5 % less of all cores.
 */
function hasPlenty(): boolean {
  return process.availableMemory() > PLENTY_BYTES * availableParallelism();
}

function indexerBy(start: StartTransport, idleMs?: number): Indexer {
  const client = new WorkerClient<JobApi, JobClient>(start, idleMs === undefined ? {} : { idleMs });
  return {
    run: async (request, progress, signal) => client.call("run", [request], { signal, callbacks: { progress } }),
    warm: (rehearsal) => {
      client.start();
      if (rehearsal !== undefined) client.notify("rehearse", rehearsal);
    },
    close: () => client.close(CLOSE_MS),
  };
}

/** Starts quickly and stays warm: for what changes now and then. */
function jobThread(data: JobData, maxYoungGenerationSizeMb: number): StartTransport {
  const options = { workerData: data, resourceLimits: { maxYoungGenerationSizeMb } };
  return threadTransport("job", () => startThread(siblingModule("job-worker"), options));
}

/**
 * For whole trees: the memory it takes, 400 MB for a million lines, goes back to the system with it. Answers take
 * milliseconds and a tree takes half a minute, so this process has a lower priority where cores are short. Not much lower:
 * beside ten busy processes on two cores it would get a tenth of this share, and answers would be no faster.
 */
function jobProcess(data: JobData): StartTransport {
  // Before it has started a thread: threads inherit the priority.
  return processTransport("job", siblingModule("job-worker"), data, (pid) => {
    try {
      setPriority(pid, Math.min(getPriority() + 5, constants.priority.PRIORITY_LOW));
    } catch {
      // It has ended already, or the system does not allow it.
    }
  });
}
