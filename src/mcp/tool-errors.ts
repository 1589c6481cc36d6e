/** Refusals of the tools that fail as JSON-RPC errors (S5's family): numbers and words of its table. */
import { ProtocolError } from "@modelcontextprotocol/server";
import type { ErrorCode } from "../model/errors.ts";
import type { ToolReply } from "../tools/run.ts";
import { INTERNAL_ERROR, INVALID_PARAMS } from "./message.ts";

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

export function protocolError(tool: string, reply: ToolReply): ProtocolError {
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

/** What the caller can mend is -32602; what the index or the system has to mend is not. */
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
