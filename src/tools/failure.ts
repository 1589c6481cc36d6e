/** A refusal or a bug as the caller sees it: a code of the registry, what to do next, and never a stack or a log line. */
import type { ViewStatus } from "../compass/compass.ts";
import { CompassError } from "../model/errors.ts";
import { SCHEMA_STATUSES, type SchemaStatus } from "../model/status.ts";
import type { Fields } from "./define.ts";
import type { RenderedReply } from "./fit.ts";
import { compactJson } from "./json.ts";
import { metadataFields } from "./wire/metadata.ts";

/** A hostile argument must not come back as a megabyte of error. */
const LONGEST_TEXT = 500;

export function failureReply(error: unknown, raw: unknown): RenderedReply {
  const known = error instanceof CompassError ? error : toInternalError(error);
  const body = {
    error: { code: known.code, message: clip(known.message), data: clipAll(known.data) },
    metadata: metadataFields(statusFromError(known, raw), "partial", []),
  };
  return { body, text: compactJson(body) };
}

/** What nobody foresaw; whether the system refused something (`ENOENT`, `EIO`) is all that is told of it. */
function toInternalError(error: unknown): CompassError {
  const { code, path } = (error ?? {}) as { code?: unknown; path?: unknown };
  if (code === "ENOSPC" || code === "EDQUOT") {
    const directory = typeof path === "string" ? path.replace(/[\\/][^\\/]*$/, "") : "the data directory";
    return new CompassError("internal_error", { reason: `no space left in ${directory}`, cause: "disk_full" });
  }
  const cause = typeof code === "string" && /^E[A-Z]+$/.test(code) ? { cause: "file_system" } : {};
  return new CompassError("internal_error", { reason: "see the server's log", ...cause });
}

/** What is known of the index when a call failed: what the error itself says. */
function statusFromError({ code, data }: CompassError, raw: unknown): ViewStatus {
  const schema = SCHEMA_STATUSES.find((status) => status === data.schema_status);
  const missing = code === "project_not_found" || code.startsWith("workspace_") || code === "index_not_ready";
  const unreadable = code === "index_incompatible";
  const busy = code === "index_in_progress" || code === "sync_in_progress";
  const byCode: SchemaStatus = unreadable ? "reindex_required" : missing ? "not_indexed" : "compatible";
  return {
    ref: nonEmptyRef(data.ref) ?? nonEmptyRef(data.head_ref) ?? nonEmptyRef((raw as Fields | undefined)?.ref) ?? "live",
    freshness: busy ? "syncing" : "stale",
    indexing: busy ? "indexing" : missing ? "not_indexed" : unreadable ? "failed" : "ready",
    schema: schema ?? byCode,
    complete: false,
    warnings: [],
  };
}

function nonEmptyRef(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? clip(value) : undefined;
}

function clip(text: string): string {
  return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT)}…`.toWellFormed();
}

function clipAll(value: unknown): unknown {
  if (typeof value === "string") return clip(value);
  if (Array.isArray(value)) return value.slice(0, 50).map(clipAll);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, clipAll(one)]));
}
