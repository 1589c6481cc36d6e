/** The one job that a project may run in this process, its progress, and the jobs that wait for it. */
import { CompassError, errorMessage } from "../../model/errors.ts";
import type { IndexReport, Job, JobProgress } from "../../model/jobs.ts";
import type { Indexer, IndexRequest } from "../../ports/indexer.ts";
import type { ResolvedRef } from "../refs/resolve-ref.ts";
import type { StartOptions } from "./index-request.ts";

export interface JobRun {
  /** As of now. */
  job(): Job;
  /** Resolves when the writer's lease is held, or rejects with the refusal. */
  readonly started: Promise<void>;
  readonly finished: Promise<Job>;
  readonly report: Promise<IndexReport>;
  onProgress(listener: (job: Job) => void): void;
  cancel(): void;
}

/** Cancels the run when the caller aborts. The listener is removed after the run: a signal may outlive many of them. */
export async function raceWithAbort<T>(signal: AbortSignal | undefined, run: JobRun, work: Promise<T>): Promise<T> {
  const cancel = () => run.cancel();
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    return await work;
  } finally {
    signal?.removeEventListener("abort", cancel);
  }
}

const NOTHING_YET: JobProgress = {
  stage: "scanning",
  filesScanned: 0,
  filesTotal: 0,
  filesIndexed: 0,
  symbolsExtracted: 0,
};

/** A job that has to wait for another. */
export function queuedJob({ jobId: id, name, ref, mode }: IndexRequest, startedAt: number): Job {
  return { id, ref: name ?? ref, mode, status: "queued", progress: NOTHING_YET, startedAt };
}

export function runJob(request: IndexRequest, indexer: Indexer, now: () => number): JobRun {
  let job: Job = { ...queuedJob(request, now()), status: "running" };
  const listeners: ((job: Job) => void)[] = [];
  const controller = new AbortController();
  const started = Promise.withResolvers<void>();
  const tell = (next: Job): Job => {
    job = next;
    started.resolve();
    for (const listener of listeners) listener(next);
    return next;
  };
  const report = indexer.run(request, (progress) => tell({ ...job, progress }), controller.signal);
  const finished = report.then(
    (done) => tell(publishedJob(job, done, now())),
    (error: unknown) => {
      // Before the first progress the lease was refused: reject `started` for the caller.
      started.reject(error);
      return tell(failedJob(job, error, now()));
    },
  );
  // Callers that need the outcome await one of these; a background sync needs none.
  started.promise.catch(() => {});
  report.catch(() => {});
  return {
    job: () => job,
    started: started.promise,
    finished,
    report,
    onProgress: (listener) => listeners.push(listener),
    cancel: () => controller.abort(),
  };
}

function publishedJob(job: Job, report: IndexReport, finishedAt: number): Job {
  const { changedFiles, removedFiles, rebuilt } = report;
  const done = { status: "published", changedFiles: changedFiles + removedFiles, finishedAt } as const;
  return { ...job, ...done, ...(rebuilt !== undefined && { rebuilt }) };
}

function failedJob(job: Job, error: unknown, finishedAt: number): Job {
  const code = error instanceof CompassError ? error.code : "internal_error";
  const cancelled = error instanceof Error && error.name === "AbortError";
  const status = cancelled ? "cancelled" : "failed";
  return { ...job, status, error: code, errorMessage: errorMessage(error), ...errorSuggestion(error), finishedAt };
}

function errorSuggestion(error: unknown): Pick<Job, "errorSuggestion"> {
  const { suggestion: given, cause, remediation } = error instanceof CompassError ? error.data : {};
  // Of a failure with a known cause the registry says more than of its code alone.
  const suggestion = given ?? (cause === undefined ? undefined : remediation);
  return typeof suggestion === "string" ? { errorSuggestion: suggestion } : {};
}

interface QueuedJob {
  readonly view: string;
  readonly job: Job;
  readonly options: StartOptions;
}

export class RefQueue {
  readonly #jobs = new Map<string, Job>();

  get jobs(): readonly Job[] {
    return [...this.#jobs.values()];
  }

  requireAbsent({ view, ref }: ResolvedRef): void {
    const job = this.#jobs.get(view);
    if (job !== undefined) throw new CompassError("sync_in_progress", { ref, job_id: job.id });
  }

  /** Waits for a job to end; throws `index_in_progress` when the deadline comes first. */
  async after(run: JobRun, { view, job, options }: QueuedJob): Promise<void> {
    const { onQueued, deadline, signal } = options;
    if (onQueued === undefined) return waitForEnd(run, deadline);
    this.#jobs.set(view, job);
    onQueued(job);
    try {
      await Promise.race([run.finished, aborted(signal)]);
    } finally {
      this.#jobs.delete(view);
    }
  }
}

async function waitForEnd(run: JobRun, deadline: Promise<unknown> | undefined): Promise<void> {
  const isOver = deadline && (await Promise.race([run.finished.then(() => false), deadline.then(() => true)]));
  if (isOver) throw new CompassError("index_in_progress", { ref: run.job().ref, job_id: run.job().id });
  await run.finished;
}

function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
