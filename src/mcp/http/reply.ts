/** The answer to one POST: a JSON body, or a stream of events once there is something to say before the answer. */
import type { ServerResponse } from "node:http";
import { messageJson } from "../told.ts";

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
