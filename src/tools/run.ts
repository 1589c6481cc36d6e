/**
 * The way of every call: decode → workspace → view → run → metadata → fit → errors.
 * stdio, HTTP and the CLI call this one function; it holds the only try/catch around a tool.
 */
import type { Project, ReadOptions, ResolvedPath, ViewStatus } from "../compass/compass.ts";
import { CompassError, causeOf } from "../model/errors.ts";
import { isLongTurn, nextTurn } from "../model/event-loop.ts";
import { isInside, lexical } from "../model/paths.ts";
import type { Format, FreshnessPolicy } from "../model/status.ts";
import { namesSeveral } from "../model/workspace-selector.ts";
import type { CallContext, DraftAnswer, Fields, ToolDefinition } from "./define.ts";
import { fit, type RenderedReply } from "./fit.ts";
import { decode, requestedFormat } from "./input.ts";
import { compactJson } from "./json.ts";
import { answerText, errorText } from "./text/answer.ts";
import { errorMetadata, workspaceFields } from "./wire/metadata.ts";

export interface ToolReply extends RenderedReply {
  readonly isError: boolean;
  readonly format: Format;
}

export interface RunToolOptions {
  /** Receives unexpected errors; the caller gets `internal_error`. */
  readonly onBug?: (error: unknown) => void;
  /** For calls that name none. Default: json. */
  readonly format?: Format;
  /** A person reads the answer: it has no budget unless the call names one. */
  readonly forTerminal?: boolean;
}

/** Never rejects. */
export async function runTool(
  tool: ToolDefinition,
  raw: unknown,
  opened: CallContext | (() => Promise<CallContext>),
  { onBug = () => {}, format: byDefault = "json", forTerminal = false }: RunToolOptions = {},
): Promise<ToolReply> {
  const format = requestedFormat(raw) ?? byDefault;
  const seen: { status?: ViewStatus } = {};
  try {
    const { input, warnings } = decode(tool, raw);
    const context = { ...(typeof opened === "function" ? await opened() : opened), format };
    const { draft, viewStatus } = await produceAnswer(tool, input, context, seen);
    const named = (input.max_tokens ?? input.pack) as number | undefined;
    const maxTokens = named ?? (forTerminal ? undefined : draft.maxTokens);
    const limits = { maxBytes: context.settings.maxResponseBytes, ...(maxTokens !== undefined && { maxTokens }) };
    const write = format === "json" ? compactJson : (body: Fields) => answerText(tool, body, maxTokens);
    const reply = await fit({ draft, viewStatus, warnings: [...warnings, ...(draft.warnings ?? [])] }, limits, write);
    return { isError: false, format, ...reply };
  } catch (error) {
    if (!(error instanceof CompassError)) onBug(error);
    const body = failureBody(error, seen.status);
    return { isError: true, format, body, text: format === "json" ? compactJson(body) : errorText(body) };
  }
}

interface AnswerWithStatus {
  readonly draft: DraftAnswer;
  readonly viewStatus: ViewStatus;
}

/** `seen` receives the status of the view, which an error reports too. */
async function produceAnswer(
  tool: ToolDefinition,
  input: Fields,
  context: CallContext,
  seen: { status?: ViewStatus },
): Promise<AnswerWithStatus> {
  const named = namedWorkspace(tool, input);
  if (named !== undefined && namesSeveral(named)) return readMany(tool, input, context, named, seen);
  if (tool.source === "server" && named === undefined)
    return requireViewStatus(await tool.run(input, context as never));
  const place = await resolveProject(tool, input, context, named);
  const { project } = place;
  const meant = await withRelativePaths(tool, withSessionRef(tool, input, context, project), context, project);
  if (place.absent && meant.ref === undefined) throw missingPathError(input.path as string);
  if (tool.source !== "view") return requireViewStatus(await tool.run(meant, { ...context, project } as never));
  return readView(tool, meant, context, place, seen);
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

/** Absolute paths inside the workspace mean the files there, in every parameter that names some. */
async function withRelativePaths(
  tool: ToolDefinition,
  input: Fields,
  { compass }: CallContext,
  project: Project,
): Promise<Fields> {
  const result: Record<string, unknown> = { ...input };
  for (const name of ["path", "result_path", "name", "symbol_name"]) {
    const given = input[name];
    if (typeof given !== "string" || !isAbsolute(given) || (name === "path" && tool.takesPath === true)) continue;
    if (name === "path" && tool.workspaceAliases?.includes(name)) continue;
    const [, path, rest] = name.endsWith("name") ? (ADDRESS.exec(given) ?? []) : ["", given, ""];
    if (path === undefined) continue;
    const whole = lexical(path.replaceAll("\\", "/"));
    if (isInside(whole, project.root)) {
      result[name] = `${whole.slice(lexical(project.root).length).replace(/^\//, "") || "."}${rest}`;
    } else if (project.published === undefined) {
      const place = await compass.resolvePath(path, project.root);
      if (place.project.id !== project.id) throw outsideError(name, path, project);
      result[name] = `${place.under || "."}${rest}`;
    }
  }
  return result;
}

/** `path:line` or `path#Name`. */
const ADDRESS = /^(.+?)(:\d+|#.+)$/;

function isAbsolute(path: string): boolean {
  return /^(?:[\\/]|[A-Za-z]:[\\/])/.test(path);
}

function outsideError(parameter: string, path: string, { root }: Project): CompassError {
  const reason = `${path.slice(0, 200)} lies outside the workspace`;
  return new CompassError("invalid_input", { parameter, reason, suggestion: `Pass a path inside ${root}.` });
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
  seen: { status?: ViewStatus },
): Promise<AnswerWithStatus> {
  return context.compass.read(project, readOptions(input, context), async (reading) => {
    seen.status = reading.status;
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
function readMany(
  tool: ToolDefinition,
  input: Fields,
  context: CallContext,
  words: string,
  seen: { status?: ViewStatus },
): Promise<AnswerWithStatus> {
  if (tool.multiWorkspace !== true) throw singleWorkspaceError(tool);
  return context.compass.readMany(words, readOptions(input, context), async (reading) => {
    seen.status = reading.status;
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
  if (!isAbsolute(path)) return lexical(path).slice(1);
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

/** `status`: of the view that was read, if one was. */
export function failureBody(error: unknown, status?: ViewStatus): Fields {
  const known = error instanceof CompassError ? error : toInternalError(error);
  return {
    error: { code: known.code, message: clip(known.message), data: clipAll(known.data) },
    metadata: errorMetadata(known, status),
  };
}

/** An unexpected error. The caller only learns whether the file system was the cause. */
function toInternalError(error: unknown): CompassError {
  const { cause } = causeOf(error);
  if (cause === "disk_full") {
    const { path } = error as { path?: unknown };
    const directory = typeof path === "string" ? path.replace(/[\\/][^\\/]*$/, "") : "the data directory";
    return new CompassError("internal_error", { reason: `no space left in ${directory}`, cause });
  }
  return new CompassError("internal_error", { reason: "see the server's log", ...causeOf(error) });
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
