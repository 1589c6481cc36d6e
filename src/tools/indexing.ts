/** The tools that run the write path: index_repo, sync_repo and reindex. */
import { z } from "zod";
import type { IndexOptions } from "../compass/compass.ts";
import type { Job } from "../model/jobs.ts";
import { defineTool, type Fields, type ToolContexts } from "./define.ts";
import * as fields from "./input.ts";
import { jobEndFields, jobEndSchema, jobMode, jobStatus, progressToken } from "./wire/job.ts";
import { metadataSchema } from "./wire/metadata.ts";

export const indexRepo = defineTool({
  name: "index_repo",
  title: "Index the repository",
  description:
    "Use once before searching a repository that is not indexed yet, so that no grep over all files is needed. " +
    "Returns the job at once, or after wait_seconds; poll index_status. force parses unchanged files again. " +
    'Nothing is written into the repository. Example: {"wait_seconds": 30}.',
  source: "project",
  access: "write",
  input: () =>
    z.object({
      workspace: fields.workspace,
      force: fields.force.describe("Rebuild the index from scratch."),
      ref: fields.ref,
      wait_seconds: fields.waitSeconds,
    }),
  output: () =>
    z.object({
      ...jobSchema(),
      file_count: z.int().nullable().describe("Files in the index; null until the job is published."),
      ...jobEndSchema(),
      metadata: metadataSchema(),
    }),
  errors: ["index_in_progress", "index_incompatible", "ref_not_indexed"],
  example: { wait_seconds: 30 },

  async run(input, context) {
    const { compass, project } = context;
    const job = await runJob(context, {
      ...(input.ref !== undefined && { ref: input.ref }),
      mode: "full",
      force: input.force,
      waitMs: input.wait_seconds * 1000,
    });
    const { viewStatus, fileCount } = await compass.status(project, input.ref);
    return {
      viewStatus,
      body: {
        ...jobFields(job),
        file_count: job.status === "published" ? fileCount : null,
        ...jobEndFields(job),
      },
    };
  },
});

export const syncRepo = defineTool({
  name: "sync_repo",
  title: "Update the index",
  description:
    "Use when an answer says that the index is stale, instead of falling back to grep: indexes the files that " +
    'changed. Returns the job at once, or after wait_seconds. Example: {"wait_seconds": 30}.',
  source: "project",
  access: "write",
  input: () =>
    z.object({
      workspace: fields.workspace,
      force: fields.force.describe("Compare and parse every file again. Default: false (incremental)."),
      ref: fields.ref,
      wait_seconds: fields.waitSeconds,
    }),
  output: () =>
    z.object({
      ...jobSchema(),
      changed_files: z.int().nullable().describe("Files added, changed or removed; null until the job is published."),
      ...jobEndSchema(),
      metadata: metadataSchema(),
    }),
  errors: ["sync_in_progress", "index_in_progress", "index_incompatible", "ref_not_indexed"],
  example: { wait_seconds: 30 },

  async run(input, context) {
    const { compass, project } = context;
    const job = await runJob(context, {
      ...(input.ref !== undefined && { ref: input.ref }),
      mode: input.force ? "full" : "incremental",
      force: input.force,
      waitMs: input.wait_seconds * 1000,
    });
    const { viewStatus } = await compass.status(project, input.ref);
    return {
      viewStatus,
      body: {
        ...jobFields(job),
        changed_files: job.status === "published" ? (job.changedFiles ?? 0) : null,
        ...jobEndFields(job),
      },
    };
  },
});

export const reindex = defineTool({
  name: "reindex",
  title: "Rebuild the semantic index",
  description:
    "Use after changing the embedding model, or when results look older than what grep finds: updates the " +
    "index, computes missing vectors and waits until it is done. force reads every file again. Example: {}.",
  source: "project",
  access: "write",
  takesPath: true,
  usesModel: true,
  failsAs: "protocol_error",
  input: () =>
    z.object({
      path: fields.path
        .optional()
        .describe("Any directory or file of the workspace. Default: the workspace the server was started for."),
      force: fields.force.describe("Read every file again, including unchanged ones."),
      workspace: fields.workspace,
    }),
  output: () =>
    z.object({
      success: z.boolean().describe("False if the job failed or is still running after ten minutes."),
      total_chunks: z.int(),
      total_files: z.int(),
      duration_ms: z.int(),
      index_size_bytes: z.int(),
      job_id: z.string(),
      status: jobStatus(),
      error: z.string().optional(),
      metadata: metadataSchema(),
    }),
  errors: ["index_in_progress", "index_incompatible"],
  example: { path: ".", force: false },

  async run(input, context) {
    const { compass, project } = context;
    const waitMs = fields.MAX_WAIT_SECONDS * 1000;
    const job = await runJob(context, { mode: "full", force: input.force, waitMs });
    const { viewStatus, chunkCount, fileCount, indexSizeBytes } = await compass.status(project);
    return {
      viewStatus,
      body: {
        success: job.status === "published",
        total_chunks: chunkCount,
        total_files: fileCount,
        duration_ms: job.finishedAt === undefined ? 0 : Math.round(job.finishedAt - job.startedAt),
        index_size_bytes: indexSizeBytes,
        job_id: job.id,
        status: job.status,
        ...(job.errorMessage !== undefined && { error: job.errorMessage }),
      },
    };
  },
});

type JobOptions = Pick<IndexOptions, "ref" | "mode" | "force" | "waitMs">;

function runJob({ compass, project, signal, onProgress }: ToolContexts["project"], options: JobOptions): Promise<Job> {
  return compass.index(project, {
    ...options,
    ...(onProgress !== undefined && { onProgress: (job) => onProgress(job, project) }),
    ...(signal !== undefined && { signal }),
  });
}

const jobSchema = () => ({
  job_id: z.string(),
  progress_token: z.string(),
  status: jobStatus(),
  mode: jobMode(),
});

function jobFields(job: Job): Fields {
  return { job_id: job.id, progress_token: progressToken(job), status: job.status, mode: job.mode };
}
