/** A server in this process, driven over two streams. */
import { PassThrough } from "node:stream";
import type { Compass } from "../../src/compass/compass.ts";
import { type StdioOptions, serveStdio } from "../../src/mcp/stdio.ts";
import { DEFAULT_SETTINGS } from "../../src/tools/define.ts";
import { fakeCompass } from "./fake-compass.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests read replies as they come
export type Message = any;

export interface WireServer {
  readonly lines: string[];
  readonly log: string[];
  readonly messages: () => Message[];
  send(raw: string | Buffer): void;
  request(method: string, params?: object, id?: number | string): Promise<Message>;
  notify(method: string, params?: object): void;
  call(name: string, input?: unknown, meta?: object): Promise<Message>;
  /** Resolves with the first matching message, past or future. */
  next(fits: (message: Message) => boolean): Promise<Message>;
  end(): Promise<void>;
}

const INFO = { name: "test", version: "1" };

export const MODERN_META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": INFO,
  "io.modelcontextprotocol/clientCapabilities": {},
};

export function initializeParams(protocolVersion: string, capabilities: object = {}) {
  return { protocolVersion, capabilities, clientInfo: INFO };
}

export function wireServer(compass: Compass = fakeCompass(), options: Partial<StdioOptions> = {}): WireServer {
  const input = new PassThrough();
  const output = new PassThrough();
  const lines: string[] = [];
  const log: string[] = [];
  const waiting = new Set<() => void>();
  const messages = () => lines.map((line) => JSON.parse(line) as Message);
  let rest = "";
  output.setEncoding("utf8").on("data", (text: string) => {
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts);
    for (const look of waiting) look();
  });
  const served = serveStdio({
    open: async () => compass,
    settings: DEFAULT_SETTINGS,
    version: "0.0.0",
    input,
    output,
    log: (line) => log.push(line),
    ...options,
  });
  let lastId = 0;
  const send = (raw: string | Buffer) => void input.write(raw);
  const next = (fits: (message: Message) => boolean) =>
    new Promise<Message>((resolve) => {
      let seen = 0;
      const look = () => {
        for (; seen < lines.length; seen++) {
          const message = JSON.parse(lines[seen]!) as Message;
          if (!fits(message)) continue;
          waiting.delete(look);
          resolve(message);
          return;
        }
      };
      waiting.add(look);
      look();
    });
  const request = (method: string, params?: object, id: number | string = `r${++lastId}`) => {
    send(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return next((message) => message.id === id && message.method === undefined);
  };
  return {
    lines,
    log,
    messages,
    send,
    request,
    notify: (method, params) => send(`${JSON.stringify({ jsonrpc: "2.0", method, params })}\n`),
    call: (name, input_ = {}, meta) => request("tools/call", { name, arguments: input_, ...(meta && { _meta: meta }) }),
    next,
    end: async () => {
      input.end();
      await served;
    },
  };
}
