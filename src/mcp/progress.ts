/** Job progress as MCP notifications: standard ones for a caller's token, S3's shape for clients that ask for it. */
import type { Project } from "../compass/compass.ts";
import { completionPct, type Job, progressMessage } from "../model/jobs.ts";

export interface ProgressNotification {
  readonly method: "notifications/progress";
  readonly params: Readonly<Record<string, unknown>>;
}

export type Notify = (notification: ProgressNotification) => void;

export interface Progress {
  onProgress(job: Job, project: Project): void;
  /** Nothing is sent for the caller's token after its response. */
  close(): void;
}

const TOTAL = 100;
/** Steps below one percent are held back, so that a million files are a hundred notifications. */
const SMALLEST_STEP = 1;

/** Strictly increasing, as the protocol asks. */
export function standardProgress(token: string | number, notify: Notify): Progress {
  let last = -SMALLEST_STEP;
  let open = true;
  return {
    onProgress(job) {
      const progress = job.status === "published" ? TOTAL : completionPct(job.progress);
      if (!open || progress < last + SMALLEST_STEP) return;
      last = progress;
      const message = job.status === "running" ? progressMessage(job.progress) : endMessage(job);
      notify({
        method: "notifications/progress",
        params: { progressToken: token, progress, total: TOTAL, message },
      });
    },
    close() {
      open = false;
    },
  };
}

/** S3's reports for `index-job-<id>`; they go on after the response, until the job ends. */
export function jobReports(notify: Notify): Progress {
  let last = -1;
  return {
    onProgress(job, project) {
      const percentage = completionPct(job.progress);
      if (job.status === "running" && percentage <= last) return;
      last = percentage;
      const value = job.status === "running" ? report(job, project, percentage) : end(job, project);
      notify({ method: "notifications/progress", params: { progressToken: `index-job-${job.id}`, value } });
    },
    close() {},
  };
}

function report(job: Job, project: Project, percentage: number) {
  const title = `Indexing project: ${nameOf(project)}`;
  return { kind: "report", title, message: progressMessage(job.progress), percentage };
}

function end(job: Job, project: Project) {
  const word = job.status === "published" ? "complete" : "failed";
  return { kind: "end", title: `Indexing ${word}: ${nameOf(project)}`, message: endMessage(job) };
}

function endMessage(job: Job): string {
  if (job.status !== "published") return `Error: ${job.error ?? job.status}`;
  const seconds = ((job.finishedAt ?? job.startedAt) - job.startedAt) / 1000;
  const { filesIndexed, symbolsExtracted } = job.progress;
  return `Indexed ${filesIndexed} files, ${symbolsExtracted} symbols in ${seconds.toFixed(1)}s`;
}

function nameOf(project: Project): string {
  return project.root.slice(project.root.lastIndexOf("/") + 1);
}
