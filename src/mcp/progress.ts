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

/** Clients time out on silent calls, so a long stage repeats its message at least this often. */
const BEAT_MS = 4_000;
/** What a beat adds: the protocol wants each number above the one before. A thousand of them are one percent. */
const BEAT_STEP = 0.001;

/** Strictly increasing, as the protocol requires. */
export function standardProgress(token: string | number, notify: Notify): Progress {
  let last = -SMALLEST_STEP;
  let open = true;
  let beat: NodeJS.Timeout | undefined;
  const say = (progress: number, message: string) => {
    last = progress;
    notify({ method: "notifications/progress", params: { progressToken: token, progress, total: TOTAL, message } });
  };
  return {
    onProgress(job) {
      const progress = job.status === "published" ? TOTAL : completionPct(job.progress);
      if (!open || progress < Math.floor(last) + SMALLEST_STEP) return;
      const message = job.status === "running" ? progressMessage(job.progress) : endMessage(job);
      say(progress, message);
      clearInterval(beat);
      if (job.status === "running") beat = setInterval(() => say(last + BEAT_STEP, message), BEAT_MS).unref();
    },
    close() {
      open = false;
      clearInterval(beat);
    },
  };
}

/** S3's reports for `index-job-<id>`; they continue after the response, until the job ends. */
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
  const title = `Indexing project: ${projectName(project)}`;
  return { kind: "report", title, message: progressMessage(job.progress), percentage };
}

function end(job: Job, project: Project) {
  const word = job.status === "published" ? "complete" : "failed";
  return { kind: "end", title: `Indexing ${word}: ${projectName(project)}`, message: endMessage(job) };
}

function endMessage(job: Job): string {
  if (job.status !== "published") return `Error: ${job.errorMessage ?? job.error ?? job.status}`;
  const seconds = ((job.finishedAt ?? job.startedAt) - job.startedAt) / 1000;
  const { filesIndexed, symbolsExtracted } = job.progress;
  return `Indexed ${filesIndexed} files, ${symbolsExtracted} symbols in ${seconds.toFixed(1)}s`;
}

function projectName(project: Project): string {
  return project.root.slice(project.root.lastIndexOf("/") + 1);
}
