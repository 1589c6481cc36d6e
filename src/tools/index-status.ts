import { z } from "zod";
import type { ProjectStatus } from "../compass/compass.ts";
import { INDEXING_STATUSES, SCHEMA_STATUSES } from "../model/status.ts";
import { defineTool, type Fields } from "./define.ts";
import * as fields from "./input.ts";
import {
  activeJobFields,
  activeJobSchema,
  isoTime,
  recentJobFields,
  recentJobSchema,
  recoveryFields,
  recoverySchema,
} from "./wire/job.ts";
import { metadataSchema } from "./wire/metadata.ts";

export default defineTool({
  name: "index_status",
  title: "Show the status of the index",
  description:
    "Use to see whether answers can be trusted before falling back to grep: counts, languages, skipped files, " +
    "and the running job with its progress. Example: {}.",
  source: "project",
  access: "read",
  workspaceAliases: ["path"],
  input: () =>
    z.object({
      workspace: fields.workspace,
      path: fields.path.optional().describe("Alias of workspace."),
      ref: fields.ref,
    }),
  output: () =>
    z.object({
      project_id: z.string(),
      repo_root: z.string(),
      index_status: z.enum(INDEXING_STATUSES),
      schema_status: z.enum(SCHEMA_STATUSES),
      current_schema_version: z.int(),
      required_schema_version: z.int(),
      last_indexed_at: z.string().nullable(),
      last_indexed_commit: z.string().optional(),
      ref: z.string(),
      file_count: z.int(),
      symbol_count: z.int(),
      active_job: activeJobSchema(),
      recent_jobs: z.array(recentJobSchema()),
      interrupted_recovery_report: recoverySchema().optional(),
      indexed: z.boolean(),
      total_files: z.int(),
      total_chunks: z.int(),
      index_size_bytes: z.int(),
      last_updated: z.string().nullable(),
      model: z.string(),
      languages: z.array(z.string()),
      excluded_files: z.int(),
      indexing_time_seconds: z.number().nullable(),
      problems: z.array(z.object({ path: z.string(), problem: z.string() })).optional(),
      metadata: metadataSchema(),
    }),
  errors: ["ref_not_indexed"],
  example: {},

  async run(input, { compass, project }) {
    const status = await compass.status(project, input.ref);
    return {
      viewStatus: status.viewStatus,
      body: { ...projectFields(status), ...familyFields(status, compass.embeddingModel) },
    };
  },
});

/** S1 and S3. */
function projectFields(status: ProjectStatus): Fields {
  const { viewStatus, project, recovery } = status;
  return {
    project_id: project.id,
    repo_root: project.root,
    index_status: status.activeJob === undefined ? viewStatus.indexing : "indexing",
    schema_status: viewStatus.schema,
    current_schema_version: status.currentSchemaVersion,
    required_schema_version: status.requiredSchemaVersion,
    last_indexed_at: status.lastIndexedAt === undefined ? null : isoTime(status.lastIndexedAt),
    ...(status.lastIndexedCommit !== undefined && { last_indexed_commit: status.lastIndexedCommit }),
    ref: viewStatus.ref,
    file_count: status.fileCount,
    symbol_count: status.symbolCount,
    active_job: activeJobFields(status),
    recent_jobs: status.recentJobs.map(recentJobFields),
    ...(recovery !== undefined && { interrupted_recovery_report: recoveryFields(recovery) }),
  };
}

/** The same facts under the names of S5. */
function familyFields(status: ProjectStatus, model: string): Fields {
  const { indexingTimeMs, lastIndexedAt, problems } = status;
  return {
    indexed: lastIndexedAt !== undefined,
    total_files: status.fileCount,
    total_chunks: status.chunkCount,
    index_size_bytes: status.indexSizeBytes,
    last_updated: lastIndexedAt === undefined ? null : isoTime(lastIndexedAt),
    model,
    languages: [...status.languages].sort(),
    excluded_files: status.viewStatus.coverage?.filesSkipped ?? 0,
    indexing_time_seconds: indexingTimeMs === undefined ? null : Math.round(indexingTimeMs) / 1000,
    ...(problems.length > 0 && { problems }),
  };
}
