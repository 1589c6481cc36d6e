/** A thread or a process that runs jobs, as whoever wants them done sees it. */
import { fork } from "node:child_process";
import { getCompileCacheDir } from "node:module";
import { constants, setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { FromJobs, JobData, ToJobs } from "./job-protocol.ts";
import { siblingModule } from "./parse-protocol.ts";

export interface JobHost {
  post(message: ToJobs): void;
  /** The process does not end while its jobs run. */
  hold(): void;
  release(): void;
  /** At once; what was stored stays. */
  end(): void;
}

export interface JobEvents {
  readonly onMessage: (message: FromJobs) => void;
  readonly onGone: (reason: string) => void;
}

export type StartHost = (data: JobData, events: JobEvents) => JobHost;

/** What is made of a batch lives briefly; by default it may fill 100 MB before it is collected. */
const YOUNG_MB = 24;
/** Where memory is plenty: two million lines were collected 440 times, for 1.4 s. */
const YOUNG_MB_PLENTY = 72;
/** Beside a server that answers: what it has taken it keeps between jobs. */
const YOUNG_MB_BESIDE = 9;

/** Starts quickly and stays warm: for what changes now and then. */
export const jobThread: StartHost = (data, events) =>
  startThread(data, events, data.memory === "plenty" ? YOUNG_MB_PLENTY : YOUNG_MB);

export const jobThreadBeside: StartHost = (data, events) => startThread(data, events, YOUNG_MB_BESIDE);

function startThread(data: JobData, { onMessage, onGone }: JobEvents, maxYoungGenerationSizeMb: number): JobHost {
  const resourceLimits = { maxYoungGenerationSizeMb };
  const worker = new Worker(siblingModule("job-worker"), { resourceLimits, workerData: data });
  let reason = "the job thread ended";
  worker.on("message", onMessage);
  worker.on("error", (error) => {
    reason = `the job thread died: ${error instanceof Error ? error.message : String(error)}`;
  });
  worker.on("exit", () => onGone(reason));
  return {
    post: (message) => worker.postMessage(message),
    hold: () => worker.ref(),
    release: () => worker.unref(),
    end: () => void worker.terminate(),
  };
}

/**
 * For whole trees: the memory it takes, 400 MB for a million lines, goes back to the system with it. Whoever asks comes
 * first where cores are short: an answer takes milliseconds, a tree half a minute.
 */
export const jobProcess: StartHost = (data, { onMessage, onGone }) => {
  const child = fork(fileURLToPath(siblingModule("job-worker")), {
    serialization: "advanced",
    // Threads use the compiled code that is kept between runs without being told where it is.
    env: { ...process.env, NODE_COMPILE_CACHE: getCompileCacheDir() ?? process.env.NODE_COMPILE_CACHE },
    // Whatever is printed by mistake must not come between the messages on our standard output.
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  // Before it has started a thread: they take after the one that starts them.
  if (child.pid !== undefined) givesWay(child.pid);
  let reason: string | undefined;
  child.on("message", (message) => onMessage(message as FromJobs));
  child.on("error", (error) => {
    reason ??= `the job process failed: ${error.message}`;
  });
  child.on("close", (code, signal) => onGone(reason ?? `the job process ended with ${signal ?? code}`));
  // One that has gone is reported by `close`; there is nobody to tell twice.
  const post = (message: JobData | ToJobs) => void (child.connected && child.send(message, () => {}));
  post(data);
  return {
    post,
    hold: () => {
      child.ref();
      child.channel?.ref();
    },
    release: () => {
      child.unref();
      child.channel?.unref();
    },
    end: () => void child.kill("SIGKILL"),
  };
};

function givesWay(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has gone already, or the system does not allow it: then it works as fast as everybody.
  }
}
