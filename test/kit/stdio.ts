/** A real server process, driven over its stdio with one JSON-RPC message per line. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { MAIN } from "./main.ts";

export interface Reply {
  readonly id?: number | string | null;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Record<string, unknown> };
  readonly method?: string;
  readonly params?: Record<string, unknown>;
}

export interface StdioServer {
  readonly process: ChildProcessWithoutNullStreams;
  /** Every line the server wrote on stdout, unchanged. */
  readonly lines: string[];
  readonly stderr: () => string;
  request(method: string, params?: object): Promise<Reply>;
  notify(method: string, params?: object): void;
  send(raw: string): void;
  /** Waits for the next matching message. */
  next(fits: (reply: Reply) => boolean): Promise<Reply>;
  initialize(): Promise<Reply>;
  /** The tool's payload, success or error. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read replies as they come
  tool(name: string, input?: object): Promise<any>;
  close(): Promise<number | null>;
}

export function startServer(args: readonly string[], env: NodeJS.ProcessEnv, cwd?: string): StdioServer {
  const child = spawn(process.execPath, [MAIN, "serve-mcp", ...args], { env, cwd, stdio: "pipe" });
  const lines: string[] = [];
  const waiting = new Set<{ fits: (reply: Reply) => boolean; resolve: (reply: Reply) => void }>();
  let stderr = "";
  let lastId = 0;
  child.stderr.on("data", (data) => {
    stderr += data;
  });
  const exited = new Promise<number | null>((resolve) => child.on("exit", resolve));
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(line);
    const reply = JSON.parse(line) as Reply;
    for (const waiter of waiting) {
      if (!waiter.fits(reply)) continue;
      waiting.delete(waiter);
      waiter.resolve(reply);
    }
  });
  const send = (raw: string) => void child.stdin.write(`${raw}\n`);
  const next = (fits: (reply: Reply) => boolean) =>
    new Promise<Reply>((resolve, reject) => {
      waiting.add({ fits, resolve });
      void exited.then((code) => reject(new Error(`server left with ${code}: ${stderr}`)));
    });
  const request = (method: string, params: object = {}) => {
    const id = ++lastId;
    const reply = next((message) => message.id === id && message.method === undefined);
    send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    return reply;
  };
  return {
    process: child,
    lines,
    stderr: () => stderr,
    request,
    notify: (method, params = {}) => send(JSON.stringify({ jsonrpc: "2.0", method, params })),
    send,
    next,
    initialize: async () => {
      const reply = await request("initialize", {
        protocolVersion: "2025-06-18",
        capabilities: {},
        clientInfo: { name: "test", version: "1" },
      });
      send(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
      return reply;
    },
    tool: async (name, input = {}) => {
      const reply = await request("tools/call", { name, arguments: input });
      const content = reply.result?.content as { text: string }[] | undefined;
      if (content?.[0] === undefined) throw new Error(`no content: ${JSON.stringify(reply)}`);
      return JSON.parse(content[0].text);
    },
    close: async () => {
      child.stdin.end();
      return exited;
    },
  };
}
