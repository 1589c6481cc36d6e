/** MCP tool calls, made through the SDK or, for plain calls, without it. */
import type { Compass, Project } from "../compass/compass.ts";
import { errorStack } from "../model/errors.ts";
import { isLongTurn, nextTurn } from "../model/event-loop.ts";
import type { Job } from "../model/jobs.ts";
import type { ToolDefinition, ToolSettings } from "../tools/define.ts";
import { type Callers, findTool } from "../tools/index.ts";
import { runTool, type ToolReply } from "../tools/run.ts";
import type { Surface } from "./handshake.ts";
import type { ToolOutcome } from "./http/metrics.ts";
import { isObject, type RpcRequest, ToolResult } from "./message.ts";
import type { Log } from "./process.ts";
import { jobReports, type Notify, standardProgress } from "./progress.ts";

export interface ServerOptions {
  readonly compass: () => Promise<Compass>;
  readonly settings: () => Promise<ToolSettings>;
  readonly surface: Surface;
  /** Absent: callers may also index. */
  readonly callers?: Callers;
  readonly prewarm: boolean;
  readonly version: string;
  readonly log: Log;
  /** Clients served by this process now. */
  readonly connections?: () => number;
  readonly onAnswer?: (tool: string, outcome: ToolOutcome, ms: number) => void;
  /** Key of the session; absent: the caller has none. */
  readonly session?: string;
  /** The client requested S3's job reports in an earlier handshake. */
  readonly jobReports?: boolean;
}

/** The client of a call, and how to notify it before the answer. */
export interface Caller {
  readonly signal: AbortSignal;
  readonly notify: Notify;
  readonly progressToken?: string | number | undefined;
  readonly jobReports: boolean;
}

export async function callTool(
  tool: ToolDefinition,
  given: unknown,
  caller: Caller,
  options: ServerOptions,
): Promise<ToolReply> {
  // Start each of many simultaneous calls in its own turn of the event loop.
  if (isLongTurn()) await nextTurn();
  const { signal } = caller;
  const started = performance.now();
  const sinks = progressSinks(caller);
  const onProgress = (job: Job, project: Project) => {
    for (const sink of sinks) sink.onProgress(job, project);
  };
  const opened = async () => ({
    compass: await options.compass(),
    settings: await options.settings(),
    version: options.version,
    signal,
    ...(sinks.length > 0 && { onProgress }),
    ...(options.session !== undefined && { session: options.session }),
    ...(options.connections !== undefined && { connections: options.connections() }),
  });
  const onBug = (bug: unknown) => {
    if (!signal.aborted) options.log(`${tool.name}: ${errorStack(bug)}`);
  };
  const reply = await runTool(tool, given, opened, { onBug, format: options.surface.format });
  const trouble = storeFailure(reply);
  if (trouble !== undefined && !signal.aborted) options.log(`${tool.name}: ${trouble}`);
  for (const sink of sinks) sink.close();
  options.onAnswer?.(tool.name, outcomeOf(reply), performance.now() - started);
  if (options.prewarm) prewarmSoon(options);
  return reply;
}

function outcomeOf({ isError, body }: ToolReply): ToolOutcome {
  const metadata = body.metadata as { readonly result_completeness?: string } | undefined;
  return isError ? "error" : metadata?.result_completeness === "partial" ? "partial" : "complete";
}

/** The caller cannot fix store failures, so they are logged for the operator. */
function storeFailure({ body }: ToolReply): string | undefined {
  const error = body.error as { readonly message: string; readonly data?: { readonly cause?: unknown } } | undefined;
  return error?.data?.cause === "store" ? error.message : undefined;
}

/** After the answer was sent, so that warming up does not delay it. */
function prewarmSoon({ compass }: ServerOptions): void {
  setImmediate(
    () =>
      void compass().then(
        (opened) => opened.prewarm(),
        () => {},
      ),
  );
}

/** S3's reports are an experimental capability of the client. */
export function asksForJobReports(capabilities: unknown): boolean {
  const experimental = isObject(capabilities) ? capabilities.experimental : undefined;
  return isObject(experimental) && "progress" in experimental;
}

function progressSinks({ progressToken: token, notify, jobReports: reports }: Caller) {
  return [...(token === undefined ? [] : [standardProgress(token, notify)]), ...(reports ? [jobReports(notify)] : [])];
}

/** A refusal has no structured content: clients check that against the tool's output schema, also where isError is set. */
export function toResult({ text, body, isError, format }: ToolReply) {
  if (!isError && format === "json") return new ToolResult(text, body);
  return { content: [{ type: "text" as const, text }], ...(isError && { isError: true }) };
}

/** The S5 family refuses with protocol errors, which only programs read. */
export function failsAsProtocolError({ failsAs }: ToolDefinition, { isError, format }: ToolReply): boolean {
  return isError && format === "json" && failsAs === "protocol_error";
}

export interface DirectOptions extends ServerOptions {
  readonly send: (message: object) => void;
  /** The handshake that opened this connection. */
  readonly handshake: RpcRequest;
}

/** Answers the call, or undefined where the SDK has to. Nothing is sent for a call that was cancelled. */
export type DirectHandler = (request: RpcRequest, signal: AbortSignal) => Promise<void> | undefined;

export function directCalls(options: DirectOptions): DirectHandler {
  const jobReports = asksForJobReports(options.handshake.params?.capabilities);
  const notify: Notify = ({ method, params }) => options.send({ method, params, jsonrpc: "2.0" });
  return (request, signal) => {
    const call = parsePlainCall(request);
    const tool = call && findTool(call.name, options.callers);
    // A refusal that is a protocol error is worded by the SDK.
    if (tool === undefined || tool.failsAs === "protocol_error") return undefined;
    const { progressToken, given } = call!;
    return callTool(tool, given, { signal, notify, progressToken, jobReports }, options).then((reply) => {
      if (!signal.aborted) options.send({ result: toResult(reply), jsonrpc: "2.0", id: request.id });
    });
  };
}

interface PlainCall {
  readonly name: string;
  readonly given: unknown;
  readonly progressToken?: string | number | undefined;
}

const KNOWN_PARAMS = new Set(["name", "arguments", "_meta"]);
const NEW_ERA = "io.modelcontextprotocol/";

function parsePlainCall({ params = {} }: RpcRequest): PlainCall | undefined {
  const { name, arguments: given, _meta: meta = {} } = params;
  if (typeof name !== "string" || !(given === undefined || isObject(given)) || !isObject(meta)) return undefined;
  if (!Object.keys(params).every((key) => KNOWN_PARAMS.has(key))) return undefined;
  if (Object.keys(meta).some((key) => key.startsWith(NEW_ERA))) return undefined;
  return { name, given, progressToken: meta.progressToken as PlainCall["progressToken"] };
}
