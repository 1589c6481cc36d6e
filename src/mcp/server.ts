/** The SDK's server with our tools in it; the same for stdio and HTTP, for both eras. */
import { ProtocolError, Server, type ServerContext } from "@modelcontextprotocol/server";
import type { Compass, Project } from "../compass/compass.ts";
import type { Job } from "../model/jobs.ts";
import type { ToolDefinition, ToolSettings } from "../tools/define.ts";
import { jsonSchema, type Profile, toolsOf } from "../tools/index.ts";
import { runTool, type ToolReply } from "../tools/run.ts";
import { CAPABILITIES, INSTRUCTIONS, identity } from "./identity.ts";
import type { Log } from "./log.ts";
import { INVALID_PARAMS, isObject } from "./message.ts";
import { jobReports, type Notify, type Progress, standardProgress } from "./progress.ts";
import { protocolError } from "./tool-errors.ts";

export interface ServerOptions {
  readonly compass: () => Promise<Compass>;
  readonly settings: () => Promise<ToolSettings>;
  readonly profile: Profile;
  readonly prewarm: boolean;
  readonly version: string;
  readonly log: Log;
  /** Clients served by this process now. */
  readonly connections?: () => number;
  /** What a session's choices are kept under; absent: the caller has no session. */
  readonly session?: string;
  /** The client asked for S3's job reports in a handshake that this server did not hear. */
  readonly jobReports?: boolean;
}

/** The list never changes while a process lives. */
const LISTING_TTL_MS = 3_600_000;

export function createServer(options: ServerOptions): Server {
  const tools = new Map(toolsOf(options.profile).map((tool) => [tool.name, tool]));
  const server = new Server(identity(options.version), {
    capabilities: CAPABILITIES,
    instructions: INSTRUCTIONS,
    cacheHints: { "tools/list": { ttlMs: LISTING_TTL_MS, cacheScope: "public" } },
  });
  server.setRequestHandler("tools/list", { params: anyParams }, async () => ({ tools: listing(tools.values()) }));
  server.setRequestHandler("tools/call", { params: anyParams }, async (params, context) => {
    const { name, arguments: given } = params as { name: string; arguments?: unknown };
    const tool = tools.get(name);
    if (tool === undefined) throw unknownTool(name);
    const reply = await call(tool, given, context, server, options);
    if (reply.isError && tool.failsAs === "protocol_error") throw protocolError(name, reply);
    return toResult(reply);
  });
  return server;
}

/** The wire and the tools check what they are given; a second opinion would only change the wording. */
const anyParams = {
  "~standard": {
    version: 1 as const,
    vendor: "codecompass",
    validate: (value: unknown) => ({ value: value as Record<string, unknown> }),
  },
};

const listings = new WeakMap<ToolDefinition, object>();

function listing(tools: Iterable<ToolDefinition>) {
  return [...tools].map((tool) => {
    const known = listings.get(tool) ?? describe(tool);
    listings.set(tool, known);
    return known as { name: string; inputSchema: { type: "object" } };
  });
}

function describe(tool: ToolDefinition) {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: jsonSchema(tool.input),
    outputSchema: jsonSchema(tool.output),
    annotations: {
      title: tool.title,
      readOnlyHint: tool.access === "read",
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    ...(tool.alwaysLoad === true && { _meta: { "anthropic/alwaysLoad": true } }),
  };
}

async function call(
  tool: ToolDefinition,
  given: unknown,
  context: ServerContext,
  server: Server,
  options: ServerOptions,
): Promise<ToolReply> {
  const { signal } = context.mcpReq;
  const sinks = progressOf(context, options.jobReports === true || wantsJobReports(server));
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
    if (!signal.aborted) options.log(`${tool.name}: ${describeBug(bug)}`);
  };
  const reply = await runTool(tool, given, opened, onBug);
  for (const sink of sinks) sink.close();
  // After the answer has left: warming up must not delay the question that needs it first.
  if (options.prewarm)
    setImmediate(
      () =>
        void options.compass().then(
          (compass) => compass.prewarm(),
          () => {},
        ),
    );
  return reply;
}

function wantsJobReports(server: Server): boolean {
  const experimental = server.getClientCapabilities()?.experimental;
  return isObject(experimental) && "progress" in experimental;
}

function progressOf(context: ServerContext, reports: boolean): Progress[] {
  const notify: Notify = (notification) => {
    context.mcpReq.notify(notification as never).catch(() => {});
  };
  const token = context.mcpReq._meta?.progressToken;
  return [...(token === undefined ? [] : [standardProgress(token, notify)]), ...(reports ? [jobReports(notify)] : [])];
}

/** A refusal has no structured content: clients check that against the tool's output schema, also where isError is set. */
function toResult({ text, body, isError }: ToolReply) {
  const content = [{ type: "text" as const, text }];
  return isError ? { content, isError: true } : { content, structuredContent: body };
}

function unknownTool(name: string): ProtocolError {
  return new ProtocolError(INVALID_PARAMS, `Unknown tool: ${name.slice(0, 100)}`, { code: "invalid_input" });
}

function describeBug(bug: unknown): string {
  return bug instanceof Error ? (bug.stack ?? bug.message) : String(bug);
}
