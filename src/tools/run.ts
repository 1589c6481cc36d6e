/**
 * The way of every call: decode → workspace → view → run → metadata → fit → errors.
 * stdio, HTTP and the CLI call this one function; it holds the only try/catch around a tool.
 */
import type { Place, Project, Standing } from "../compass/compass.ts";
import { CompassError } from "../model/errors.ts";
import type { FreshnessPolicy } from "../model/status.ts";
import { decode } from "./decode.ts";
import type { CallContext, Draft, Fields, ToolDefinition } from "./define.ts";
import { failure } from "./failure.ts";
import { fit, type Reply } from "./fit.ts";

export interface ToolReply extends Reply {
  readonly isError: boolean;
}

/** Never rejects; also a core that cannot be opened is an answer. `onBug` hears of what is not a refusal; the caller gets `internal_error`. */
export async function runTool(
  tool: ToolDefinition,
  raw: unknown,
  opened: CallContext | (() => Promise<CallContext>),
  onBug: (error: unknown) => void = () => {},
): Promise<ToolReply> {
  try {
    const { input, warnings } = decode(tool, raw);
    const context = typeof opened === "function" ? await opened() : opened;
    const { draft, standing } = await answer(tool, input, context);
    const maxTokens = (input.max_tokens ?? input.pack) as number | undefined;
    const limits = { maxBytes: context.settings.maxResponseBytes, ...(maxTokens !== undefined && { maxTokens }) };
    return { isError: false, ...fit(draft, standing, [...warnings, ...(draft.warnings ?? [])], limits) };
  } catch (error) {
    if (!(error instanceof CompassError)) onBug(error);
    return { isError: true, ...failure(error, raw) };
  }
}

interface Answer {
  readonly draft: Draft;
  readonly standing: Standing;
}

async function answer(tool: ToolDefinition, input: Fields, context: CallContext): Promise<Answer> {
  const named = workspaceOf(tool, input);
  if (tool.source === "server" && named === undefined) return standingOf(await tool.run(input, context as never));
  const place = await placeOf(tool, input, context, named);
  const { project } = place;
  const meant = withSessionRef(tool, input, context, project);
  if (place.absent && meant.ref === undefined) throw absent(input.path as string);
  if (tool.source !== "view") return standingOf(await tool.run(meant, { ...context, project } as never));
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

async function placeOf(
  tool: ToolDefinition,
  input: Fields,
  { compass }: CallContext,
  named: string | undefined,
): Promise<Place> {
  if (tool.placed === true && input.path !== undefined) return compass.place(input.path as string, named);
  return { project: await compass.project(named), under: "" };
}

function absent(path: string): CompassError {
  return new CompassError("invalid_input", { parameter: "path", reason: `${path.slice(0, 200)} does not exist` });
}

function readView(
  tool: ToolDefinition,
  input: Fields,
  context: CallContext,
  { project, under }: Place,
): Promise<Answer> {
  const options = {
    policy: (input.freshness_policy as FreshnessPolicy | undefined) ?? context.settings.freshnessPolicy,
    ...(input.ref !== undefined && { ref: input.ref as string }),
    ...(context.signal !== undefined && { signal: context.signal }),
  };
  return context.compass.read(project, options, async (reading) => {
    const draft = await tool.run(input, { ...context, project, reading, under } as never);
    return { draft, standing: reading.standing };
  });
}

function workspaceOf(tool: ToolDefinition, input: Fields): string | undefined {
  const keys = ["workspace", ...(tool.workspaceAliases ?? [])];
  return keys.map((key) => input[key]).find((value) => value !== undefined) as string | undefined;
}

function standingOf(draft: Draft): Answer {
  if (draft.standing === undefined) throw new Error("a tool that reads no view must give its standing");
  // Status tools tell everything they know, also of a project that has no index yet.
  return { draft, standing: { ...draft.standing, complete: true } };
}
