import { z } from "zod";
import { defineTool } from "./define.ts";
import * as fields from "./fields.ts";
import { jobEndFields, jobEndSchema, jobMode, jobStatus, progressToken } from "./wire/job.ts";
import { metadataSchema } from "./wire/metadata.ts";

export default defineTool({
  name: "index_repo",
  title: "Index the repository",
  description:
    "Use once before searching a repository that is not indexed yet; searching then needs no grep over all files. " +
    "Builds or updates the index of a workspace. " +
    "Returns the job at once unless wait_seconds is given; poll index_status, or pass wait_seconds with a " +
    "progress token. Unchanged files are not parsed again unless force is true. " +
    "Nothing is written into the repository.",
  source: "project",
  access: "write",
  input: () =>
    z.object({
      workspace: fields.workspace,
      force: fields.force.describe("Rebuild the index from scratch. Default: false."),
      ref: fields.ref,
      wait_seconds: fields.waitSeconds,
    }),
  output: () =>
    z.object({
      job_id: z.string(),
      progress_token: z.string(),
      status: jobStatus(),
      mode: jobMode(),
      file_count: z.int().nullable().describe("Files in the index; null until the job is published."),
      ...jobEndSchema(),
      metadata: metadataSchema(),
    }),
  errors: ["index_in_progress", "index_incompatible", "ref_not_indexed"],
  example: { wait_seconds: 30 },

  async run(input, { compass, project, signal, onProgress }) {
    const job = await compass.index(project, {
      ...(input.ref !== undefined && { ref: input.ref }),
      mode: "full",
      force: input.force,
      waitMs: input.wait_seconds * 1000,
      ...(onProgress !== undefined && { onProgress: (now) => onProgress(now, project) }),
      ...(signal !== undefined && { signal }),
    });
    const { viewStatus, fileCount } = await compass.status(project, input.ref);
    return {
      viewStatus,
      body: {
        job_id: job.id,
        progress_token: progressToken(job),
        status: job.status,
        mode: job.mode,
        file_count: job.status === "published" ? fileCount : null,
        ...jobEndFields(job),
      },
    };
  },
});
