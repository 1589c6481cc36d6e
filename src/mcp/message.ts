/** JSON-RPC messages: validation of what arrives, and the JSON of what is sent. */
import { compactJson } from "../tools/json.ts";

export type RpcId = string | number;

export interface RpcRequest {
  readonly jsonrpc: "2.0";
  readonly id: RpcId;
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

export type RpcNotification = Omit<RpcRequest, "id">;

export interface ErrorReply {
  readonly jsonrpc: "2.0";
  readonly id: RpcId | null;
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export type Incoming =
  | { readonly kind: "request"; readonly message: RpcRequest }
  | { readonly kind: "notification"; readonly message: RpcNotification }
  | { readonly kind: "batch"; readonly members: readonly unknown[] }
  | { readonly kind: "invalid"; readonly reply: ErrorReply }
  /** A response to nothing, or a malformed notification: never answered. */
  | { readonly kind: "ignored" };

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;

/** Deeper values overflow the stack of recursive code; no tool takes more than two levels. */
const MAX_DEPTH = 100;

export function readLine(line: string): Incoming {
  if (line.trim() === "") return { kind: "ignored" };
  if (nestingDepth(line) > MAX_DEPTH) return invalid(null, INVALID_REQUEST, `Nested deeper than ${MAX_DEPTH} levels`);
  let value: unknown;
  try {
    value = parse(line.charCodeAt(0) === 0xfeff ? line.slice(1) : line);
  } catch {
    return invalid(null, PARSE_ERROR, "Parse error: not JSON");
  }
  return Array.isArray(value) ? { kind: "batch", members: value } : classify(value);
}

const INHERITED = new Set([...Object.getOwnPropertyNames(Object.prototype), "prototype"]);
/** A member with such a name, or one that may spell it in escapes. */
const SUSPECT = /\\u|"(?:__|constructor"|prototype"|toString"|toLocaleString"|valueOf"|hasOwn|isProto|propertyIs)/;

/** Members named like what every object inherits are dropped: no request has them, and code that copies them trips. */
function parse(text: string): unknown {
  if (!SUSPECT.test(text)) return JSON.parse(text);
  return JSON.parse(text, (key, value) => (INHERITED.has(key) ? undefined : value));
}

/** Keeps only the members that JSON-RPC defines. */
export function classify(value: unknown): Incoming {
  if (!isObject(value)) return invalid(null, INVALID_REQUEST, "Invalid request: not an object");
  const id = parseId(value.id);
  if (value.jsonrpc !== "2.0") return invalid(id ?? null, INVALID_REQUEST, 'Invalid request: jsonrpc must be "2.0"');
  if (!("method" in value) && ("result" in value || "error" in value)) return { kind: "ignored" };
  const { method } = value;
  if (typeof method !== "string") return invalid(id ?? null, INVALID_REQUEST, "Invalid request: no method");
  const params = value.params ?? undefined;
  if (!("id" in value)) {
    if (params !== undefined && !isObject(params)) return { kind: "ignored" };
    return { kind: "notification", message: { jsonrpc: "2.0", method, ...(params !== undefined && { params }) } };
  }
  if (id === undefined) return invalid(null, INVALID_REQUEST, "Invalid request: id must be a string or an integer");
  if (params !== undefined && !isObject(params)) {
    return invalid(id, INVALID_PARAMS, "Invalid params: params must be an object");
  }
  // The SDK would drop such a request without a word.
  if (!isMeta(params?._meta)) {
    return invalid(
      id,
      INVALID_PARAMS,
      "Invalid params: _meta must be an object, its progressToken a string or integer",
    );
  }
  return { kind: "request", message: { jsonrpc: "2.0", id, method, ...(params !== undefined && { params }) } };
}

export function errorReply(id: RpcId | null, code: number, message: string): ErrorReply {
  const word = code === INTERNAL_ERROR ? "internal_error" : "invalid_input";
  return { jsonrpc: "2.0", id, error: { code, message, data: { code: word } } };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isMeta(meta: unknown): boolean {
  if (meta === undefined) return true;
  return isObject(meta) && (meta.progressToken === undefined || parseId(meta.progressToken) !== undefined);
}

function invalid(id: RpcId | null, code: number, message: string): Incoming {
  return { kind: "invalid", reply: errorReply(id, code, message) };
}

function parseId(value: unknown): RpcId | undefined {
  return typeof value === "string" || Number.isSafeInteger(value) ? (value as RpcId) : undefined;
}

/** Greatest number of open brackets outside strings. */
function nestingDepth(line: string): number {
  let depth = 0;
  let deepest = 0;
  let quoted = false;
  for (let i = 0; i < line.length; i++) {
    const unit = line.charCodeAt(i);
    if (quoted) {
      if (unit === 0x5c) i++;
      else if (unit === 0x22) quoted = false;
    } else if (unit === 0x22) quoted = true;
    else if (unit === 0x5b || unit === 0x7b) deepest = Math.max(deepest, ++depth);
    else if (unit === 0x5d || unit === 0x7d) depth--;
  }
  return deepest;
}

export function tidyError(message: object): object {
  const { error } = message as Partial<ErrorReply>;
  if (error === undefined || (isObject(error.data) && typeof error.data.code === "string")) return message;
  const listing = error.message.indexOf("[\n");
  const invalid = listing !== -1 && error.code === INTERNAL_ERROR;
  const code = invalid ? INVALID_PARAMS : error.code;
  const text =
    listing === -1 ? error.message : error.message.slice(0, listing).replace(/[:\s]+$/, "") || "Invalid params";
  const word = code === INTERNAL_ERROR ? "internal_error" : "invalid_input";
  const data = isObject(error.data) ? error.data : {};
  return { ...message, error: { code, message: text.slice(0, 500), data: { ...data, code: word } } };
}

export class ToolResult {
  readonly content: readonly { readonly type: "text"; readonly text: string }[];
  readonly structuredContent: object;

  constructor(text: string, body: object) {
    this.content = [{ type: "text", text }];
    this.structuredContent = body;
  }
}

/** `compactJson` of the message, in half the time where a tool's answer is in it. */
export function messageJson(message: object): string {
  const { result, ...rest } = message as { readonly result?: unknown };
  if (!(result instanceof ToolResult) || Object.keys(message)[0] !== "result") return compactJson(message);
  const { text } = result.content[0]!;
  const content = `[{"type":"text","text":${JSON.stringify(text)}}]`;
  return `{"result":{"content":${content},"structuredContent":${text}},${compactJson(rest).slice(1)}`;
}
