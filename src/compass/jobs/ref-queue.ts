/** Jobs that wait until the running job of another ref ends: one after the other, each ref once. */
import { CompassError } from "../../model/errors.ts";
import type { Job } from "../../model/jobs.ts";
import type { ResolvedRef } from "../refs/resolve-ref.ts";
import type { StartOptions } from "./index-request.ts";
import type { JobRun } from "./job-run.ts";

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
