/** The SDK's server with our tools in it; the same for stdio and HTTP, for both eras. */
import { ProtocolError, Server, type ServerContext } from "@modelcontextprotocol/server";
import type { ErrorCode } from "../model/errors.ts";
import type { ToolDefinition } from "../tools/define.ts";
import { findTool, jsonSchema, listedInput, listTools } from "../tools/index.ts";
import type { ToolReply } from "../tools/run.ts";
import { CAPABILITIES, INSTRUCTIONS, identity, type Surface } from "./handshake.ts";
import { INTERNAL_ERROR, INVALID_PARAMS } from "./message.ts";
import type { Notify } from "./progress.ts";
import {
  asksForJobReports,
  type Caller,
  callTool,
  failsAsProtocolError,
  type ServerOptions,
  toResult,
} from "./tool-call.ts";

export type { ServerOptions };

/** The list never changes while a process lives. */
const LISTING_TTL_MS = 3_600_000;

export function createServer(options: ServerOptions): Server {
  const server = new Server(identity(options.version), {
    capabilities: CAPABILITIES,
    instructions: INSTRUCTIONS,
    cacheHints: { "tools/list": { ttlMs: LISTING_TTL_MS, cacheScope: "public" } },
  });
  server.setRequestHandler("tools/list", { params: anyParams }, async () => ({ tools: listing(options) }));
  server.setRequestHandler("tools/call", { params: anyParams }, async (params, context) => {
    const { name, arguments: given } = params as { name: string; arguments?: unknown };
    const tool = findTool(name, options.callers);
    if (tool === undefined) throw unknownTool(name);
    const wantsReports = options.jobReports === true || asksForJobReports(server.getClientCapabilities());
    const reply = await callTool(tool, given, toCaller(context, wantsReports), options);
    if (failsAsProtocolError(tool, reply)) throw protocolError(name, reply);
    return { ...toResult(reply) };
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

/** An unknown word in the configuration is no reason to list nothing. */
function listed({ surface, callers, log }: ServerOptions): readonly ToolDefinition[] {
  try {
    return listTools(surface.tools, callers);
  } catch (error) {
    log((error as Error).message);
    return listTools("all", callers);
  }
}

/** Text answers have no schema to announce. */
function listing(options: ServerOptions) {
  const { surface, callers = "writers" } = options;
  const key = JSON.stringify([surface, callers]);
  const known = listings.get(key) ?? listed(options).map((tool) => describe(tool, surface));
  listings.set(key, known);
  return known;
}

/** Clients list the tools again and again, in every session. */
const listings = new Map<string, ReturnType<typeof describe>[]>();

function describe(tool: ToolDefinition, { tools, format }: Surface) {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: listedInput(tool, tools) as { type: "object" },
    ...(format === "json" && { outputSchema: jsonSchema(tool.output) as { type: "object" } }),
    annotations: {
      readOnlyHint: tool.access === "read",
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    ...(tool.alwaysLoad === true && { _meta: { "anthropic/alwaysLoad": true } }),
  };
}

function toCaller(context: ServerContext, reports: boolean): Caller {
  const notify: Notify = (notification) => {
    context.mcpReq.notify(notification as never).catch(() => {});
  };
  const { signal, _meta } = context.mcpReq;
  return { signal, notify, progressToken: _meta?.progressToken, jobReports: reports };
}

function unknownTool(name: string): ProtocolError {
  return new ProtocolError(INVALID_PARAMS, `Unknown tool: ${name.slice(0, 100)}`, { code: "invalid_input" });
}

const SERVER_ERROR = -32000;
const TOOL_ERROR = -32001;

const WORDS: Readonly<Record<number, string>> = {
  [INVALID_PARAMS]: "Invalid params",
  [INTERNAL_ERROR]: "Internal error",
  [SERVER_ERROR]: "Server error",
  [TOOL_ERROR]: "Tool error",
};

interface ToolRefusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
}

function protocolError(tool: string, reply: ToolReply): ProtocolError {
  const { code, message, data } = reply.body.error as ToolRefusal;
  const number = jsonRpcCode(code, data);
  const { parameter, reason = message, ...rest } = data;
  return new ProtocolError(number, WORDS[number]!, {
    tool,
    ...(parameter !== undefined && { parameter }),
    reason,
    code,
    ...rest,
  });
}

/** -32602 if the caller can fix it; other codes for failures of the index or the system. */
function jsonRpcCode(code: ErrorCode, data: ToolRefusal["data"]): number {
  if (code === "internal_error")
    return /^(file_system|disk_full)$/.test(String(data.cause)) ? SERVER_ERROR : INTERNAL_ERROR;
  if (code === "index_incompatible") return INTERNAL_ERROR;
  if (BUSY.has(code)) return SERVER_ERROR;
  return data.syntax === "regex" ? TOOL_ERROR : INVALID_PARAMS;
}

const BUSY: ReadonlySet<ErrorCode> = new Set([
  "index_in_progress",
  "sync_in_progress",
  "index_not_ready",
  "index_stale",
  "overlay_not_ready",
]);
