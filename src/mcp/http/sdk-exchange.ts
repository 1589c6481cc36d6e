/** One POST of the older era, answered by a server of the SDK that lives as long as the exchange. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { JSONRPCMessage, McpHttpHandler, Server, Transport } from "@modelcontextprotocol/server";
import { compactJson, visible } from "../../tools/json.ts";
import { type RpcId, type RpcRequest, tidyError } from "../message.ts";
import { type HttpReply, STREAM_HEADERS, sendText } from "./exchange.ts";

interface LegacyExchange {
  readonly server: Server;
  readonly reply: HttpReply;
  /** Aborted when the client disconnects or cancels the request. */
  readonly signal: AbortSignal;
}

/** What came in one body. */
export interface RequestBatch {
  readonly requests: readonly RpcRequest[];
  /** Answers to members of a batch that are no messages; undefined: it is no batch. */
  readonly refused?: readonly object[];
}

/** Ends when every request is answered or the signal is aborted. */
export async function serveLegacy(
  { requests, refused }: RequestBatch,
  { server, reply, signal }: LegacyExchange,
): Promise<void> {
  const waiting = new Set<RpcId>(requests.map(({ id }) => id));
  const replies: object[] = [...(refused ?? [])];
  const done = Promise.withResolvers<void>();
  const transport: Transport = {
    start: async () => {},
    close: async () => transport.onclose?.(),
    send: async (message) => {
      if ("method" in message) reply.notify(message);
      else if (message.id !== undefined && message.id !== null && waiting.delete(message.id)) {
        replies.push(tidyError(message));
        if (waiting.size === 0) done.resolve();
      }
    },
  };
  const leave = () => done.resolve();
  signal.addEventListener("abort", leave, { once: true });
  await server.connect(transport);
  for (const request of requests) transport.onmessage?.(request as JSONRPCMessage);
  if (waiting.size === 0) done.resolve();
  await done.promise;
  signal.removeEventListener("abort", leave);
  if (waiting.size === 0) reply.end(refused === undefined ? replies[0]! : replies);
  // Closing aborts what still runs.
  await server.close();
}

/** As the SDK spells an error: what comes before it is short. */
const IS_ERROR = /^\{"jsonrpc":"2\.0",(?:"id":[^,]*,)?"error":/;

interface ModernExchange {
  readonly handler: McpHttpHandler;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly signal: AbortSignal;
}

export async function serveModern(parsedBody: unknown, exchange: ModernExchange): Promise<void> {
  const { handler, request, response, signal } = exchange;
  const answer = await handler.fetch(webRequest(request, signal), { parsedBody });
  if (response.destroyed) return;
  if (answer.body === null) {
    response.writeHead(answer.status, { "content-length": 0 }).end();
  } else if (answer.headers.get("content-type")?.startsWith("text/event-stream")) {
    response.writeHead(answer.status, STREAM_HEADERS);
    const decoder = new TextDecoder();
    for await (const part of answer.body) response.write(visible(decoder.decode(part, { stream: true })));
    response.end();
  } else {
    const text = await answer.text();
    sendText(response, answer.status, IS_ERROR.test(text) ? tidied(text) : visible(text), "application/json");
  }
}

/** The request as the SDK reads it. Its body is passed parsed. */
export function webRequest(request: IncomingMessage, signal?: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  }
  return new Request("http://localhost/", { method: "POST", headers, ...(signal !== undefined && { signal }) });
}

function tidied(text: string): string {
  return compactJson(tidyError(JSON.parse(text) as object));
}
