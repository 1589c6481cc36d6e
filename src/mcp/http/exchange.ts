/** HTTP requests and responses: bodies within limits, JSON and event-stream replies, refusals. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type ErrorReply, errorReply, INVALID_REQUEST, messageJson, PARSE_ERROR } from "../message.ts";

const MAX_BODY_BYTES = 4 * 1024 * 1024;
/** Limit of all bodies being read together. Requests usually have a few hundred bytes. */
const MAX_HELD_BYTES = 16 * MAX_BODY_BYTES;

type Body = { readonly text: string } | { readonly problem: "tooLarge" | "crowded" | "aborted" };

/** Whether the announced length alone is too much. */
export function isTooLarge({ headers }: IncomingMessage): boolean {
  return Number(headers["content-length"]) > MAX_BODY_BYTES;
}

/** `bodies`: what all that are being read hold together. */
export async function readBody(request: IncomingMessage, bodies: { held: number }): Promise<Body> {
  const parts: Buffer[] = [];
  let held = 0;
  const read = new Promise<Body>((resolve) => {
    const giveUp = (problem: "tooLarge" | "crowded" | "aborted") => {
      request.removeAllListeners("data");
      parts.length = 0;
      resolve({ problem });
    };
    request.on("data", (part: Buffer) => {
      held += part.length;
      bodies.held += part.length;
      if (held > MAX_BODY_BYTES) giveUp("tooLarge");
      else if (bodies.held > MAX_HELD_BYTES) giveUp("crowded");
      else parts.push(part);
    });
    request.on("end", () => resolve({ text: Buffer.concat(parts).toString("utf8") }));
    request.on("error", () => giveUp("aborted"));
    request.on("close", () => giveUp("aborted"));
  });
  return read.finally(() => {
    bodies.held -= held;
  });
}

/** `application/json`, whatever its parameters; a browser cannot send it to a stranger without asking first. */
export function isJson(request: IncomingMessage): boolean {
  const encoded = (request.headers["content-encoding"] ?? "identity") !== "identity";
  return !encoded && /^application\/json\s*(;|$)/i.test(request.headers["content-type"] ?? "");
}

const KEEP_ALIVE_MS = 15_000;

/** Some proxies hold a stream back until it is complete. */
export const STREAM_HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
} as const;

export class HttpReply {
  readonly #response: ServerResponse;
  readonly #streams: boolean;
  #beat: NodeJS.Timeout | undefined;

  /** `streams`: whether the client reads event streams; without, what comes before the answer is dropped. */
  constructor(response: ServerResponse, streams: boolean) {
    this.#response = response;
    this.#streams = streams;
  }

  /** Something that comes before the answer. */
  notify(message: object): void {
    if (!this.#streams || this.#response.writableEnded) return;
    if (!this.#response.headersSent) this.#open();
    this.#response.write(frame(message));
  }

  /** The answer, and the end. */
  end(message: object): void {
    clearInterval(this.#beat);
    if (this.#response.writableEnded) return;
    if (this.#response.headersSent) this.#response.end(frame(message));
    else sendJson(this.#response, 200, message);
  }

  #open(): void {
    this.#response.writeHead(200, STREAM_HEADERS);
    this.#beat = setInterval(() => this.#response.write(": keepalive\n\n"), KEEP_ALIVE_MS).unref();
    this.#response.on("close", () => clearInterval(this.#beat));
  }
}

export function sendJson(response: ServerResponse, status: number, body: object): void {
  sendText(response, status, messageJson(body), "application/json");
}

export function sendText(response: ServerResponse, status: number, text: string, type: string): void {
  const bytes = Buffer.from(text);
  response.writeHead(status, { "content-type": type, "content-length": bytes.length });
  response.end(bytes);
}

export function sendEmpty(response: ServerResponse, status: number): void {
  response.writeHead(status, { "content-length": 0 });
  response.end();
}

function frame(message: object): string {
  return `event: message\ndata: ${messageJson(message)}\n\n`;
}

const SERVER_ERROR = -32000;
const SESSION_ERROR = -32001;

interface HttpRefusal {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Closes the connection instead of reading the rest of the request. */
  readonly hangUp?: boolean;
}

const REFUSALS = {
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
  path: {
    status: 404,
    code: SERVER_ERROR,
    message: "Not found: POST /, GET /health and GET /metrics are served",
    hangUp: true,
  },
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
  notJson: { status: 400, code: PARSE_ERROR, message: "Parse error: the body is not a JSON object" },
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

/** Refuses a connection before its request was read; `isRefused` then reports it. */
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

/**
 * `node:http` without an import statement: an import loads every export of a built-in module, including Node's HTTP
 * client, which costs 6 MB and about 50 ms.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule("node:http");
