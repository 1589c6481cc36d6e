/** A server process under measurement, driven over stdio. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

export interface Session {
  readonly pid: number;
  request(method: string, params: object): Promise<{ result: Record<string, unknown>; ms: number }>;
  // biome-ignore lint/suspicious/noExplicitAny: replies are read as they come
  tool(name: string, input: object): Promise<{ value: any; ms: number }>;
  close(): Promise<void>;
}

export function openSession(bin: string, workspace: string, env: NodeJS.ProcessEnv): Session {
  const child = spawn(process.execPath, [bin, "serve-mcp", "--workspace", workspace], {
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const waiting = new Map<number, (message: { result: Record<string, unknown> }) => void>();
  let lastId = 0;
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line);
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  });
  const request = async (method: string, params: object) => {
    const id = ++lastId;
    const started = performance.now();
    const reply = new Promise<{ result: Record<string, unknown> }>((resolve) => waiting.set(id, resolve));
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    const { result } = await reply;
    return { result, ms: performance.now() - started };
  };
  return {
    pid: child.pid ?? 0,
    request,
    tool: async (name, input) => {
      const { result, ms } = await request("tools/call", { name, arguments: input });
      return { value: result.structuredContent, ms };
    },
    close: () =>
      new Promise((resolve) => {
        child.on("exit", () => resolve());
        child.stdin.end();
      }),
  };
}

export const INITIALIZE = {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "bench", version: "1" },
};
