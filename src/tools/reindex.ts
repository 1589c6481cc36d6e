import { z } from "zod";
import { defineTool } from "./define.ts";
import * as fields from "./fields.ts";
import { jobStatus } from "./wire/job.ts";
import { metadataSchema } from "./wire/metadata.ts";

export default defineTool({
  name: "reindex",
  title: "Rebuild the semantic index",
  description:
    "Use after changing the embedding model, or when search results look older than what grep finds: updates the " +
    "index of the workspace and computes missing vectors of the configured model. With force, every file is read " +
    "again. Waits until it is done. Searching does not need it: the first search indexes the workspace, and later " +
    "edits are followed.",
  source: "project",
  access: "write",
  takesPath: true,
  failsAs: "protocol_error",
  input: () =>
    z.object({
      path: fields.path
        .optional()
        .describe("Any directory or file of the workspace. Default: the workspace the server was started for."),
      force: fields.force.describe("Read every file again, including unchanged ones. Default: false."),
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

  async run(input, { compass, project, signal, onProgress }) {
    const job = await compass.index(project, {
      mode: "full",
      force: input.force,
      waitMs: fields.MAX_WAIT_SECONDS * 1000,
      ...(onProgress !== undefined && { onProgress: (now) => onProgress(now, project) }),
      ...(signal !== undefined && { signal }),
    });
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
