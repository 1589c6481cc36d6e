/** An HTTP server, in this process over fixed data or as a real process, and a client that sends raw requests. */
import { type ChildProcess, spawn } from "node:child_process";
import { Agent, request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import type { Compass } from "../../src/compass/compass.ts";
import { DEFAULT_SURFACE } from "../../src/mcp/handshake.ts";
import { type HttpOptions, serveHttp } from "../../src/mcp/http/serve.ts";
import { DEFAULT_SETTINGS } from "../../src/tools/define.ts";
import { fakeCompass } from "./fake-compass.ts";
import { MAIN } from "./main.ts";

export interface HttpReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read replies as they come
  json(): any;
  /** The messages of an event stream. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read replies as they come
  events(): any[];
}

export interface HttpRequest {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Buffer;
}

export interface HttpClient {
  readonly port: number;
  send(sending: HttpRequest): Promise<HttpReply>;
  post(body: object | string, headers?: Readonly<Record<string, string | string[]>>): Promise<HttpReply>;
  /** The tool's payload, success or error. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read replies as they come
  tool(name: string, input?: object, headers?: Readonly<Record<string, string>>): Promise<any>;
  /** A new connection on which nothing was sent. */
  socket(): Promise<Socket>;
}

export interface LocalServer extends HttpClient {
  readonly log: string[];
  close(): Promise<void>;
}

export async function httpServer(
  compass: Compass = fakeCompass(),
  options: Partial<HttpOptions> = {},
): Promise<LocalServer> {
  const log: string[] = [];
  const leave = new AbortController();
  const listening = Promise.withResolvers<number>();
  const served = serveHttp({
    bind: "127.0.0.1",
    port: 0,
    open: async () => compass,
    settings: async () => DEFAULT_SETTINGS,
    surface: async () => DEFAULT_SURFACE,
    version: "0.0.0",
    prewarm: false,
    log: (line) => log.push(line),
    signal: leave.signal,
    onListening: ({ port }) => listening.resolve(port),
    ...options,
  });
  served.catch(listening.reject);
  const client = clientOf(await listening.promise);
  const close = async () => {
    leave.abort();
    await served;
  };
  return { ...client, log, close };
}

/** The same for one test: closed when the test ends. */
export const serveForTest: typeof httpServer = async (...args) => {
  const server = await httpServer(...args);
  onTestFinished(() => server.close());
  return server;
};

export interface HttpProcess extends HttpClient {
  readonly process: ChildProcess;
  readonly stderr: () => string;
  /** Sends SIGTERM and waits. */
  close(): Promise<number | null>;
}

/** `codecompass serve-mcp --transport http` on a free port. */
export async function startHttp(args: readonly string[], env: NodeJS.ProcessEnv, cwd?: string): Promise<HttpProcess> {
  const child = spawn(process.execPath, [MAIN, "serve-mcp", "--transport", "http", "--port", "0", ...args], {
    env,
    cwd,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  const exited = new Promise<number | null>((resolve) => child.on("exit", resolve));
  const port = await new Promise<number>((resolve, reject) => {
    child.stderr.on("data", (data) => {
      stderr += data;
      const [, found] = /listening on http:\/\/.*:(\d+)\//.exec(stderr) ?? [];
      if (found !== undefined) resolve(Number(found));
    });
    void exited.then((code) => reject(new Error(`the server left with ${code}: ${stderr}`)));
  });
  const close = () => {
    child.kill("SIGTERM");
    return exited;
  };
  return { ...clientOf(port), process: child, stderr: () => stderr, close };
}

function clientOf(port: number): HttpClient {
  const agent = new Agent({ keepAlive: false });
  const send = (sending: HttpRequest) => sent(port, agent, sending);
  const post: HttpClient["post"] = (body, headers = {}) =>
    send({
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  const tool: HttpClient["tool"] = async (name, input = {}, headers = {}) => {
    const answer = await post(toolCall(1, name, input), headers);
    return JSON.parse(answer.json().result.content[0].text);
  };
  const socket = () =>
    new Promise<Socket>((resolve, reject) => {
      const made = connect(port, "127.0.0.1", () => resolve(made));
      made.on("error", reject);
    });
  return { port, send, post, tool, socket };
}

export function toolCall(id: number | string, name: string, input: object = {}, meta?: object) {
  const params = { name, arguments: input, ...(meta && { _meta: meta }) };
  return { jsonrpc: "2.0", id, method: "tools/call", params };
}

function sent(port: number, agent: Agent, { method = "GET", path = "/", headers = {}, body }: HttpRequest) {
  return new Promise<HttpReply>((resolve, reject) => {
    const request = httpRequest({ port, host: "127.0.0.1", method, path, headers, agent }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part) => parts.push(part));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(parts).toString("utf8");
        resolve({
          status: response.statusCode!,
          headers: response.headers,
          text,
          json: () => JSON.parse(text),
          events: () => eventsOf(text),
        });
      });
    });
    request.on("error", reject);
    request.end(body);
  });
}

function eventsOf(text: string): unknown[] {
  return text
    .split("\n\n")
    .flatMap((block) => (block.startsWith("event: message\ndata: ") ? [JSON.parse(block.slice(21))] : []));
}
