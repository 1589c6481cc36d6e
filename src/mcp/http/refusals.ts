/** What is refused before any tool is asked: a status and a JSON-RPC error with a word of the registry. */
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type ErrorReply, errorReply, INVALID_REQUEST, PARSE_ERROR } from "../message.ts";
import { STATUS_CODES } from "./node-http.ts";
import { sendJson } from "./reply.ts";

const SERVER_ERROR = -32000;
const SESSION_ERROR = -32001;

interface HttpRefusal {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The rest of the request is not worth reading. */
  readonly hangUp?: boolean;
}

export const REFUSALS = {
  host: {
    status: 403,
    code: SERVER_ERROR,
    message: "Forbidden: the Host header names another server (a name of this one is given to it as --allowed-host)",
    hangUp: true,
  },
  origin: { status: 403, code: SERVER_ERROR, message: "Forbidden: the Origin is not allowed", hangUp: true },
  token: {
    status: 401,
    code: SERVER_ERROR,
    message: "Unauthorized: a valid bearer token is needed",
    headers: { "www-authenticate": "Bearer" },
    hangUp: true,
  },
  path: { status: 404, code: SERVER_ERROR, message: "Not found: POST / and GET /health are served", hangUp: true },
  method: { status: 405, code: SERVER_ERROR, message: "Method not allowed", hangUp: true },
  type: {
    status: 415,
    code: SERVER_ERROR,
    message: "Unsupported media type: the body must be application/json and not compressed",
    hangUp: true,
  },
  tooLarge: { status: 413, code: SERVER_ERROR, message: "A body is at most 4194304 bytes", hangUp: true },
  crowded: {
    status: 503,
    code: SERVER_ERROR,
    message: "Too many requests at once: try again",
    headers: { "retry-after": "1" },
    hangUp: true,
  },
  unavailable: {
    status: 503,
    code: SERVER_ERROR,
    message: "Service unavailable: whose the token is cannot be looked up now: try again",
    headers: { "retry-after": "5" },
    hangUp: true,
  },
  quota: {
    status: 429,
    code: SERVER_ERROR,
    message: "Too many requests of this token: try again in a second",
    headers: { "retry-after": "1" },
    hangUp: true,
  },
  empty: { status: 400, code: PARSE_ERROR, message: "Parse error: the body is empty" },
  version: { status: 400, code: INVALID_REQUEST, message: "Bad request: unsupported MCP-Protocol-Version" },
  session: { status: 404, code: SESSION_ERROR, message: "Session not found: initialize again" },
  batch: { status: 400, code: INVALID_REQUEST, message: "Invalid request: an empty batch, or one too large" },
  noBatch: {
    status: 400,
    code: INVALID_REQUEST,
    message: "Invalid request: batches are not part of this protocol revision",
  },
} as const satisfies Record<string, HttpRefusal>;

/** A client that still sends must be able to read the answer; after that it is hung up on. */
const LINGER_MS = 1_000;

export function refuse(response: ServerResponse, why: keyof typeof REFUSALS, more: Record<string, string> = {}): void {
  const { status, code, message, headers, hangUp }: HttpRefusal = REFUSALS[why];
  for (const [name, value] of Object.entries({ ...headers, ...more })) response.setHeader(name, value);
  if (hangUp) hangUpAfter(response);
  sendJson(response, status, errorReply(null, code, message));
}

/** Whoever has to go before its request was read. `isRefused` says that what it sends is not to be answered any more. */
export function refuseSocket(socket: Socket, why: keyof typeof REFUSALS): void {
  const { status, code, message, headers }: HttpRefusal = REFUSALS[why];
  const body = JSON.stringify(errorReply(null, code, message));
  const all = { "content-type": "application/json", ...headers, "content-length": body.length, connection: "close" };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

export function isRefused(socket: Socket): boolean {
  return socket.writableEnded;
}

/** An error that the message itself earned. */
export function refuseMessage(response: ServerResponse, reply: ErrorReply): void {
  sendJson(response, 400, reply);
}

/** Only on one that is still sending: a request that is over leaves a connection on which the next may already run. */
function hangUpAfter(response: ServerResponse): void {
  const { req } = response;
  const hangUp = () => {
    if (!req.complete) req.socket.destroy();
  };
  response.once("finish", () => setTimeout(hangUp, LINGER_MS).unref());
}
