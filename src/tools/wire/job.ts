/** Jobs and projects as S1, S2 and S3 spell them. */
import { z } from "zod";
import type { ProjectStatus, RecoveryReport } from "../../compass/compass.ts";
import type { Job } from "../../model/jobs.ts";
import { completionPct } from "../../model/jobs.ts";
import type { Fields } from "../define.ts";

const JOB_STATUSES = ["queued", "running", "published", "failed", "interrupted", "cancelled"] as const;
export const jobStatus = () => z.enum(JOB_STATUSES);
export const jobMode = () => z.enum(["full", "incremental"]);

export const activeJobSchema = () =>
  z
    .object({
      job_id: z.string(),
      project_id: z.string(),
      progress_token: z.string(),
      ref: z.string(),
      mode: jobMode(),
      status: jobStatus(),
      changed_files: z.int().nullable(),
      files_scanned: z.int(),
      files_indexed: z.int(),
      symbols_extracted: z.int(),
      estimated_completion_pct: z.int(),
      started_at: z.string(),
    })
    .nullable();

export const recoverySchema = () =>
  z.object({
    detected: z.boolean(),
    interrupted_jobs: z.int(),
    last_interrupted_at: z.string(),
    recommended_action: z.string(),
  });

export const recentJobSchema = () =>
  z.object({
    job_id: z.string(),
    ref: z.string(),
    mode: jobMode(),
    status: jobStatus(),
    changed_files: z.int().nullable(),
    duration_ms: z.int().nullable(),
    created_at: z.string(),
    error: z.string().optional(),
  });

/** Fields of a job that failed or rebuilt the index. */
export const jobEndSchema = () => ({
  error: z.string().optional(),
  error_message: z.string().optional(),
  suggestion: z.string().optional().describe("What to do about the error."),
  rebuilt: z.string().optional().describe("How the index was damaged; a new one was built."),
});

export function jobEndFields({ error, errorMessage, errorSuggestion, rebuilt }: Job): Fields {
  return {
    ...(error !== undefined && { error }),
    ...(error !== undefined && errorMessage !== undefined && { error_message: errorMessage }),
    ...(errorSuggestion !== undefined && { suggestion: errorSuggestion }),
    ...(rebuilt !== undefined && { rebuilt }),
  };
}

export function progressToken(job: Job): string {
  return `index-job-${job.id}`;
}

export function isoTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, "Z");
}

export function activeJobFields(status: ProjectStatus): Fields | null {
  const job = status.activeJob;
  if (job === undefined) return null;
  return {
    job_id: job.id,
    project_id: status.project.id,
    progress_token: progressToken(job),
    ref: job.ref,
    mode: job.mode,
    status: job.status,
    changed_files: job.changedFiles ?? null,
    files_scanned: job.progress.filesScanned,
    files_indexed: job.progress.filesIndexed,
    symbols_extracted: job.progress.symbolsExtracted,
    estimated_completion_pct: completionPct(job.progress),
    started_at: isoTime(job.startedAt),
  };
}

export function recentJobFields(job: Job): Fields {
  return {
    job_id: job.id,
    ref: job.ref,
    mode: job.mode,
    status: job.status,
    changed_files: job.changedFiles ?? null,
    duration_ms: job.finishedAt === undefined ? null : Math.round(job.finishedAt - job.startedAt),
    created_at: isoTime(job.startedAt),
    ...(job.error !== undefined && { error: job.error }),
  };
}

export function recoveryFields(report: RecoveryReport): Fields {
  return {
    detected: report.detected,
    interrupted_jobs: report.interruptedJobs,
    last_interrupted_at: isoTime(report.lastInterruptedAt),
    recommended_action: "run sync_repo or index_repo for the affected workspace",
  };
}
