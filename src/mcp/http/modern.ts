/** One POST of the stateless era: the SDK classifies, checks the headers and answers; the bytes are those of stdio. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { McpHttpHandler } from "@modelcontextprotocol/server";
import { compactJson, visible } from "../../tools/json.ts";
import { tidyError } from "../tidy.ts";
import { STREAM_HEADERS, sendText } from "./reply.ts";

/** As the SDK spells an error: what comes before it is short. */
const IS_ERROR = /^\{"jsonrpc":"2\.0",(?:"id":[^,]*,)?"error":/;

export interface ModernExchange {
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

/** The request as the SDK reads it. Its body is handed over parsed. */
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
