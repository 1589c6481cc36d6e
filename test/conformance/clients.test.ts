/** The official clients of both generations against a real server, over both transports. */
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TOOLS } from "../../src/tools/index.ts";
import { type HttpProcess, startHttp } from "../kit/http.ts";
import { MAIN } from "../kit/main.ts";
import { sandbox } from "../kit/sandbox.ts";

/** The client members these tests use; both generations have them. */
interface AnyClient {
  getServerVersion(): { name: string } | undefined;
  getInstructions(): string | undefined;
  listTools(): Promise<{ tools: { name: string; outputSchema?: unknown }[] }>;
  callTool(name: string, input: object, options?: CallOptions): Promise<Result>;
  close(): Promise<void>;
}

interface CallOptions {
  onprogress?: (progress: { progress: number }) => void;
  signal?: AbortSignal;
}

interface Result {
  readonly isError?: boolean;
  readonly structuredContent?: Record<string, unknown>;
  readonly content: readonly { type: string; text?: string }[];
}

const INFO = { name: "conformance", version: "1" };
const box = sandbox();
const files = Object.fromEntries(
  Array.from({ length: 40 }, (_, i) => [`src/f${i}.ts`, `/** Number ${i}. */\nexport function greet${i}() {}\n`]),
);
const root = box.repository(files);
const stdio = {
  command: process.execPath,
  args: [MAIN, "serve-mcp", "--workspace", root],
  env: box.env as Record<string, string>,
  stderr: "ignore" as const,
};
let http: HttpProcess;
const url = () => new URL(`http://127.0.0.1:${http.port}/`);

beforeAll(async () => {
  http = await startHttp(["--workspace", root], box.env);
});
afterAll(async () => {
  await http.close();
  box[Symbol.dispose]();
});

async function v1(transport: "stdio" | "http"): Promise<AnyClient> {
  const client = new ClientV1(INFO);
  await client.connect(transport === "stdio" ? new StdioV1(stdio) : new HttpV1(url()));
  const callTool: AnyClient["callTool"] = async (name, input, options) =>
    (await client.callTool({ name, arguments: { ...input } }, undefined, options)) as Result;
  return { ...sameInBoth(client), callTool };
}

type Mode = "legacy" | "auto" | { readonly pin: string };

async function v2(transport: "stdio" | "http", mode: Mode): Promise<AnyClient> {
  const client = new ClientV2(INFO, { versionNegotiation: { mode } });
  await client.connect(transport === "stdio" ? new StdioV2(stdio) : new HttpV2(url()));
  const callTool: AnyClient["callTool"] = async (name, input, options) =>
    (await client.callTool({ name, arguments: { ...input } }, options)) as Result;
  return { ...sameInBoth(client), callTool };
}

function sameInBoth(client: ClientV1 | ClientV2): Omit<AnyClient, "callTool"> {
  return {
    getServerVersion: () => client.getServerVersion(),
    getInstructions: () => client.getInstructions(),
    listTools: () => client.listTools(),
    close: () => client.close(),
  };
}

const CLIENTS: readonly (readonly [string, (transport: "stdio" | "http") => Promise<AnyClient>])[] = [
  ["SDK 1", v1],
  ["SDK 2, older era", (transport) => v2(transport, "legacy")],
  ["SDK 2, its own choice", (transport) => v2(transport, "auto")],
  ["SDK 2, newer era", (transport) => v2(transport, { pin: "2026-07-28" })],
];

for (const transport of ["stdio", "http"] as const) {
  describe(transport, () => {
    for (const [name, connect] of CLIENTS) {
      test(name, async () => {
        const client = await connect(transport);
        try {
          expect(client.getServerVersion()?.name).toBe("codecompass");
          expect(client.getInstructions()).toContain("search_code");
          const { tools } = await client.listTools();
          expect(tools.map((tool) => tool.name)).toEqual(TOOLS.map((tool) => tool.name));
          await progresses(client);
          await answers(client);
          await refuses(client);
          await cancels(client);
        } finally {
          await client.close();
        }
      });
    }
  });
}

async function progresses(client: AnyClient): Promise<void> {
  const seen: number[] = [];
  const onprogress = ({ progress }: { progress: number }) => void seen.push(progress);
  const built = await client.callTool("index_repo", { force: true, wait_seconds: 60 }, { onprogress });
  expect(built.structuredContent).toMatchObject({ status: "published" });
  expect(seen.length).toBeGreaterThan(0);
  expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
}

/** The client itself validates structuredContent against the listed outputSchema and throws if they differ. */
async function answers(client: AnyClient): Promise<void> {
  const found = await client.callTool("search_code", { query: "greet7", limit: 1 });
  expect(found.structuredContent).toMatchObject({ results: [{ path: "src/f7.ts", name: "greet7" }] });
  expect(JSON.parse(found.content[0]!.text!)).toEqual(found.structuredContent);
  for (const name of ["index_status", "health_check"]) {
    expect((await client.callTool(name, {})).isError).not.toBe(true);
  }
}

async function refuses(client: AnyClient): Promise<void> {
  const refused = await client.callTool("search_code", {});
  expect(refused.isError).toBe(true);
  expect(JSON.parse(refused.content[0]!.text!).error.code).toBe("invalid_input");
  await expect(client.callTool("no_such_tool", {})).rejects.toMatchObject({ code: -32602 });
}

/** A call that its caller cancelled does not disturb the next one. */
async function cancels(client: AnyClient): Promise<void> {
  const controller = new AbortController();
  const given = client.callTool("search_code", { query: "greet" }, { signal: controller.signal });
  controller.abort();
  await expect(given).rejects.toThrow();
  expect((await client.callTool("locate_symbol", { name: "greet3" })).isError).not.toBe(true);
}
