/**
 * The way of every call: decode → workspace → view → run → metadata → fit → errors.
 * stdio, HTTP and the CLI call this one function; it holds the only try/catch around a tool.
 */
import type { Project, ReadOptions, ResolvedPath, ViewStatus } from "../compass/compass.ts";
import { CompassError } from "../model/errors.ts";
import { isLongTurn, nextTurn } from "../model/event-loop.ts";
import { lexical } from "../model/paths.ts";
import { type FreshnessPolicy, SCHEMA_STATUSES, type SchemaStatus } from "../model/status.ts";
import { namesSeveral } from "../model/workspace-selector.ts";
import type { CallContext, DraftAnswer, Fields, ToolDefinition } from "./define.ts";
import { fit, type RenderedReply } from "./fit.ts";
import { decode } from "./input.ts";
import { compactJson } from "./json.ts";
import { metadataFields, workspaceFields } from "./wire/metadata.ts";

export interface ToolReply extends RenderedReply {
  readonly isError: boolean;
}

/** Never rejects. `onBug` receives unexpected errors; the caller gets `internal_error`. */
export async function runTool(
  tool: ToolDefinition,
  raw: unknown,
  opened: CallContext | (() => Promise<CallContext>),
  onBug: (error: unknown) => void = () => {},
): Promise<ToolReply> {
  try {
    const { input, warnings } = decode(tool, raw);
    const context = typeof opened === "function" ? await opened() : opened;
    const { draft, viewStatus } = await produceAnswer(tool, input, context);
    const maxTokens = (input.max_tokens ?? input.pack) as number | undefined;
    const limits = { maxBytes: context.settings.maxResponseBytes, ...(maxTokens !== undefined && { maxTokens }) };
    const reply = await fit(draft, viewStatus, [...warnings, ...(draft.warnings ?? [])], limits);
    return { isError: false, ...reply };
  } catch (error) {
    if (!(error instanceof CompassError)) onBug(error);
    return { isError: true, ...failureReply(error, raw) };
  }
}

interface AnswerWithStatus {
  readonly draft: DraftAnswer;
  readonly viewStatus: ViewStatus;
}

async function produceAnswer(tool: ToolDefinition, input: Fields, context: CallContext): Promise<AnswerWithStatus> {
  const named = namedWorkspace(tool, input);
  if (named !== undefined && namesSeveral(named)) return readMany(tool, input, context, named);
  if (tool.source === "server" && named === undefined)
    return requireViewStatus(await tool.run(input, context as never));
  const place = await resolveProject(tool, input, context, named);
  const { project } = place;
  const meant = withSessionRef(tool, input, context, project);
  if (place.absent && meant.ref === undefined) throw missingPathError(input.path as string);
  if (tool.source !== "view") return requireViewStatus(await tool.run(meant, { ...context, project } as never));
  return readView(tool, meant, context, place);
}

/** A call that names no ref means the one that its session has switched to. */
function withSessionRef(
  tool: ToolDefinition,
  input: Fields,
  { compass, session }: CallContext,
  project: Project,
): Fields {
  if (input.ref !== undefined || session === undefined || !("ref" in tool.input.shape)) return input;
  const ref = compass.sessionRef(project, session);
  return ref === undefined ? input : { ...input, ref };
}

async function resolveProject(
  tool: ToolDefinition,
  input: Fields,
  { compass }: CallContext,
  named: string | undefined,
): Promise<ResolvedPath> {
  if (tool.takesPath === true && input.path !== undefined) return compass.resolvePath(input.path as string, named);
  return { project: await compass.project(named), under: "" };
}

function missingPathError(path: string): CompassError {
  return new CompassError("invalid_input", { parameter: "path", reason: `${path.slice(0, 200)} does not exist` });
}

function readView(
  tool: ToolDefinition,
  input: Fields,
  context: CallContext,
  { project, under }: ResolvedPath,
): Promise<AnswerWithStatus> {
  return context.compass.read(project, readOptions(input, context), async (reading) => {
    const draft = await tool.run(input, { ...context, project, reading, under } as never);
    // Renders one of many simultaneous answers per turn, so that pings and health checks do not wait for all of them.
    if (isLongTurn()) await nextTurn();
    return { draft, viewStatus: reading.status };
  });
}

function readOptions(input: Fields, { settings, signal }: CallContext): ReadOptions {
  return {
    policy: (input.freshness_policy as FreshnessPolicy | undefined) ?? settings.freshnessPolicy,
    ...(input.ref !== undefined && { ref: input.ref as string }),
    ...(signal !== undefined && { signal }),
  };
}

/** Reads several workspaces as one; `path` is relative to each of them. */
function readMany(tool: ToolDefinition, input: Fields, context: CallContext, words: string): Promise<AnswerWithStatus> {
  if (tool.multiWorkspace !== true) throw singleWorkspaceError(tool);
  return context.compass.readMany(words, readOptions(input, context), async (reading) => {
    const under = tool.takesPath === true && input.path !== undefined ? relativeScope(input.path as string) : "";
    const draft = await tool.run(input, { ...context, project: reading.project, reading, under } as never);
    const metadata = { ...draft.metadata, workspaces: workspaceFields(reading.report()) };
    return { draft: { ...draft, metadata }, viewStatus: reading.status };
  });
}

function singleWorkspaceError({ name }: ToolDefinition): CompassError {
  const reason = `${name} answers about one workspace, and this names several`;
  const suggestion = "Pass the workspace of a result of search_code, semantic_search, locate_symbol or regex_search.";
  return new CompassError("invalid_input", { parameter: "workspace", reason, suggestion });
}

function relativeScope(path: string): string {
  if (!/^(?:[\\/]|[A-Za-z]:[\\/])/.test(path)) return lexical(path).slice(1);
  const reason = "with several workspaces, path is relative: it is looked for in each of them";
  throw new CompassError("invalid_input", { parameter: "path", reason });
}

function namedWorkspace(tool: ToolDefinition, input: Fields): string | undefined {
  const keys = ["workspace", ...(tool.workspaceAliases ?? [])];
  return keys.map((key) => input[key]).find((value) => value !== undefined) as string | undefined;
}

function requireViewStatus(draft: DraftAnswer): AnswerWithStatus {
  if (draft.viewStatus === undefined) throw new Error("a tool that reads no view must give a viewStatus");
  // Status tools report everything they know, even for a project without an index.
  return { draft, viewStatus: { ...draft.viewStatus, complete: true } };
}

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

/** An unexpected error. The caller only learns whether the file system was the cause. */
function toInternalError(error: unknown): CompassError {
  const { code, path } = (error ?? {}) as { code?: unknown; path?: unknown };
  if (code === "ENOSPC" || code === "EDQUOT") {
    const directory = typeof path === "string" ? path.replace(/[\\/][^\\/]*$/, "") : "the data directory";
    return new CompassError("internal_error", { reason: `no space left in ${directory}`, cause: "disk_full" });
  }
  const cause = typeof code === "string" && /^E[A-Z]+$/.test(code) ? { cause: "file_system" } : {};
  return new CompassError("internal_error", { reason: "see the server's log", ...cause });
}

/** The index status as far as the error tells. */
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
