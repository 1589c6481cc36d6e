import { z } from "zod";
import { defineTool } from "./define.ts";
import * as fields from "./fields.ts";
import { jobEndFields, jobEndSchema, jobMode, jobStatus, progressToken } from "./wire/job.ts";
import { metadataSchema } from "./wire/metadata.ts";

export default defineTool({
  name: "sync_repo",
  title: "Update the index",
  description:
    "Use after files changed and an answer said it is stale, instead of falling back to grep. " +
    "Indexes the files that changed; unchanged files cost nothing. Returns the job at once unless wait_seconds is " +
    "given; changed_files is set when the job is published. If another ref is being indexed, the job is queued.",
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
      job_id: z.string(),
      progress_token: z.string(),
      status: jobStatus(),
      mode: jobMode(),
      changed_files: z.int().nullable().describe("Files added, changed or removed; null until the job is published."),
      ...jobEndSchema(),
      metadata: metadataSchema(),
    }),
  errors: ["sync_in_progress", "index_in_progress", "index_incompatible", "ref_not_indexed"],
  example: { wait_seconds: 30 },

  async run(input, { compass, project, signal, onProgress }) {
    const job = await compass.index(project, {
      ...(input.ref !== undefined && { ref: input.ref }),
      mode: input.force ? "full" : "incremental",
      force: input.force,
      waitMs: input.wait_seconds * 1000,
      ...(onProgress !== undefined && { onProgress: (now) => onProgress(now, project) }),
      ...(signal !== undefined && { signal }),
    });
    const { viewStatus } = await compass.status(project, input.ref);
    return {
      viewStatus,
      body: {
        job_id: job.id,
        progress_token: progressToken(job),
        status: job.status,
        mode: job.mode,
        changed_files: job.status === "published" ? (job.changedFiles ?? 0) : null,
        ...jobEndFields(job),
      },
    };
  },
});
