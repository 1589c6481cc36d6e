import { z } from "zod";
import type { Health, ProjectStatus, ViewStatus } from "../compass/compass.ts";
import { FRESHNESS, SCHEMA_STATUSES } from "../model/status.ts";
import { defineTool, type Fields } from "./define.ts";
import * as fields from "./input.ts";
import { activeJobFields, activeJobSchema, isoTime, recoveryFields, recoverySchema } from "./wire/job.ts";
import { metadataSchema } from "./wire/metadata.ts";

const READINESS = ["ready", "warming", "indexing", "error"] as const;
const HEALTH = ["healthy", "degraded"] as const;
const schemaVersions = () => ({ current_schema_version: z.int(), required_schema_version: z.int() });

export default defineTool({
  name: "health_check",
  title: "Check the server's health",
  description:
    "Use when answers look wrong or slow, before falling back to grep: whether server, store, full text and " +
    "grammars work, and the state of each project. Never waits for a job. Example: {}.",
  source: "server",
  access: "read",
  input: () => z.object({ workspace: fields.workspace }),
  output: () =>
    z.object({
      status: z.enum([...READINESS, ...HEALTH]),
      readiness: z.enum(READINESS),
      health: z.enum(HEALTH),
      version: z.string(),
      uptime_seconds: z.int(),
      memory_usage_mb: z.int(),
      active_connections: z.int(),
      tantivy_ok: z.boolean().describe("Whether the full-text index opens and answers."),
      sqlite_ok: z.boolean(),
      full_text: z.object({ engine: z.string(), ok: z.boolean() }),
      store: z
        .object({
          engine: z.string(),
          version: z.string(),
          address: z.string(),
          capabilities: z.array(z.string()),
          can_write: z.boolean().describe("Whether an index can be written now; reads work, or there is an error."),
        })
        .optional(),
      grammars: z.object({ available: z.array(z.string()), missing: z.array(z.string()) }),
      active_job: activeJobSchema(),
      interrupted_recovery_report: recoverySchema().nullable(),
      workspace_warmset: z.object({ enabled: z.boolean(), capacity: z.int(), members: z.array(z.string()) }),
      prewarm_status: z.enum(["pending", "running", "complete", "skipped", "failed"]),
      watcher: z.enum(["native", "polling", "off"]),
      startup_checks: z.object({
        index: z.object({ status: z.enum(SCHEMA_STATUSES), ...schemaVersions(), message: z.string().nullable() }),
      }),
      projects: z.array(
        z.object({
          project_id: z.string(),
          repo_root: z.string(),
          index_status: z.enum(["ready", "indexing", "stale", "error"]),
          schema_status: z.enum(SCHEMA_STATUSES),
          ...schemaVersions(),
          freshness_status: z.enum(FRESHNESS),
          last_indexed_at: z.string().nullable(),
          ref: z.string(),
          file_count: z.int(),
          symbol_count: z.int(),
          message: z.string().optional().describe("What is wrong with the project, and what to do about it."),
        }),
      ),
      metadata: metadataSchema(),
    }),
  errors: [],
  example: {},

  async run(_, { compass, project, settings, version, connections = 1 }) {
    const health = await compass.health(project);
    const [first] = health.projects;
    const words = { readiness: health.status, health: health.status === "error" ? "degraded" : "healthy" };
    return {
      viewStatus: first?.viewStatus ?? NO_PROJECT,
      body: {
        status: words[settings.statusWords ?? "readiness"],
        ...words,
        version,
        ...processFields(health, connections),
        ...jobFields(health),
        startup_checks: { index: startupCheck(first) },
        projects: health.projects.map(projectFields),
      },
    };
  },
});

const NO_PROJECT: ViewStatus = {
  ref: "live",
  freshness: "stale",
  indexing: "not_indexed",
  schema: "not_indexed",
  complete: true,
  warnings: [],
};

function processFields(health: Health, connections: number): Fields {
  return {
    uptime_seconds: Math.floor(health.uptimeMs / 1000),
    memory_usage_mb: Math.round(health.memoryBytes / 1_048_576),
    active_connections: connections,
    tantivy_ok: health.fullText.ok,
    sqlite_ok: health.storeOk,
    full_text: health.fullText,
    ...(health.store !== undefined && { store: storeFields(health.store) }),
    grammars: health.grammars,
    workspace_warmset: health.warmset,
    prewarm_status: health.prewarm,
    watcher: health.watcher,
  };
}

function storeFields({ canWrite, ...rest }: NonNullable<Health["store"]>): Fields {
  return { ...rest, can_write: canWrite };
}

function jobFields({ projects }: Health): Fields {
  const busy = projects.find((one) => one.activeJob !== undefined);
  const recovery = projects.find((one) => one.recovery !== undefined)?.recovery;
  return {
    active_job: busy === undefined ? null : activeJobFields(busy),
    interrupted_recovery_report: recovery === undefined ? null : recoveryFields(recovery),
  };
}

function startupCheck(status: ProjectStatus | undefined): Fields {
  return {
    status: status?.viewStatus.schema ?? "not_indexed",
    current_schema_version: status?.currentSchemaVersion ?? 0,
    required_schema_version: status?.requiredSchemaVersion ?? 0,
    message: status?.schemaMessage ?? null,
  };
}

function projectFields(status: ProjectStatus): Fields {
  const { viewStatus, project, lastIndexedAt } = status;
  return {
    project_id: project.id,
    repo_root: project.root,
    index_status: indexWord(status),
    schema_status: viewStatus.schema,
    current_schema_version: status.currentSchemaVersion,
    required_schema_version: status.requiredSchemaVersion,
    freshness_status: viewStatus.freshness,
    last_indexed_at: lastIndexedAt === undefined ? null : isoTime(lastIndexedAt),
    ref: viewStatus.ref,
    file_count: status.fileCount,
    symbol_count: status.symbolCount,
    ...problemFields(status),
  };
}

/** A store that cannot be written to, or not be read. */
function problemFields({ failure, schemaMessage }: ProjectStatus): Fields {
  const message = failure ?? schemaMessage;
  return message === undefined ? {} : { message };
}

/** S3's words: a project that was never indexed is out of date, not broken. */
function indexWord({ viewStatus, activeJob, failure }: ProjectStatus): "ready" | "indexing" | "stale" | "error" {
  if (activeJob !== undefined) return "indexing";
  if (viewStatus.indexing === "failed" || failure !== undefined) return "error";
  if (viewStatus.schema === "reindex_required" || viewStatus.schema === "corrupt_manifest") return "error";
  return viewStatus.freshness === "fresh" ? "ready" : "stale";
}
