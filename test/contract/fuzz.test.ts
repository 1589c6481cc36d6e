/** Hostile clients (S10, S16): each request gets an answer or a registered error code, and the server stays up. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ERRORS } from "../../src/model/errors.ts";
import { TOOLS } from "../../src/tools/index.ts";
import { hostileArguments, malformedLine } from "../kit/hostile.ts";
import { prng } from "../kit/prng.ts";
import { initializeParams, type Message } from "../kit/wire.ts";

const SERVER = fileURLToPath(new URL("../kit/frozen-server.ts", import.meta.url));
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CALLS_PER_TOOL = process.env.CODECOMPASS_LONG ? 2_000 : 500;
const MALFORMED = process.env.CODECOMPASS_LONG ? 10_000 : 2_500;
/** The fixture contains nothing that the examples of these tools query. */
const ANSWERED: Readonly<Record<string, string>> = {
  explain_ranking: "result_not_found",
  get_file_outline: "file_not_found",
};
/** The last one: an invalid pattern, which is a protocol error by contract. */
const PROTOCOL_CODES = [-32700, -32600, -32601, -32602, -32022, -32001];

/** One server for many tools: it survives the hostile calls of one tool before it gets those of the next. */
function openServer() {
  const child = spawn(process.execPath, [SERVER], { stdio: "pipe" });
  let stderr = "";
  child.stderr.on("data", (data) => {
    stderr += data;
  });
  let replies: Message[] = [];
  let heard: () => void = () => {};
  createInterface({ input: child.stdout }).on("line", (line) => {
    replies.push(JSON.parse(line));
    heard();
  });
  const exited = new Promise<number | null>((resolve) => {
    child.on("exit", (code) => {
      heard();
      resolve(code);
    });
  });
  /** Sends the lines, and waits for that many replies or for the server to exit. */
  const converse = async (lines: readonly string[], count: number): Promise<Message[]> => {
    const finished = new Promise<void>((resolve) => {
      heard = () => {
        if (replies.length >= count || child.exitCode !== null) resolve();
      };
    });
    replies = [];
    for (const line of lines) await write(child, `${line}\n`);
    await finished;
    return replies;
  };
  const close = () => {
    child.stdin.end();
    return exited;
  };
  return { converse, close, stderr: () => stderr };
}

function write(child: ChildProcessWithoutNullStreams, line: string): Promise<void> | undefined {
  if (child.stdin.write(line)) return undefined;
  return new Promise((resolve) => child.stdin.once("drain", resolve));
}

function call(id: string, name: string, input: unknown): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: input } });
}

const OPENING = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params: initializeParams("2025-06-18") });

async function greeted() {
  const server = openServer();
  expect(await server.converse([OPENING], 1)).toHaveLength(1);
  return server;
}

/** This tool changes the session state, so the others run without it. */
const REMEMBERED = "switch_ref";
const servers: ReturnType<typeof openServer>[] = [];
beforeAll(async () => void servers.push(await greeted(), await greeted()));
afterAll(async () => {
  for (const server of servers) expect([await server.close(), server.stderr()]).toEqual([0, ""]);
});

test.each(TOOLS.map((tool) => tool.name))(`${CALLS_PER_TOOL} hostile calls of %s`, async (name) => {
  const tool = TOOLS.find((one) => one.name === name)!;
  const random = prng(name.length);
  const lines = Array.from({ length: CALLS_PER_TOOL }, (_, i) => call(`c${i}`, name, hostileArguments(tool, random)));
  const server = servers[name === REMEMBERED ? 1 : 0]!;
  const replies = await server.converse(lines, lines.length);
  expect(server.stderr()).toBe("");
  expect(new Set(replies.map((reply) => reply.id)).size).toBe(CALLS_PER_TOOL);
  expect(replies).toHaveLength(CALLS_PER_TOOL);
  const codes = new Set<string>();
  for (const reply of replies) {
    expectNoLeak(reply);
    if (reply.error !== undefined) expect(PROTOCOL_CODES).toContain(reply.error.code);
    const code = reply.error?.data.code ?? JSON.parse(reply.result.content[0].text).error?.code ?? "ok";
    codes.add(code);
  }
  for (const one of codes) if (one !== "ok") expect(Object.keys(ERRORS)).toContain(one);
  expect(codes).not.toContain("internal_error");
  expect(codes).toContain(ANSWERED[name] ?? "ok");
});

test(`${MALFORMED} malformed messages`, async () => {
  const random = prng(7);
  const lines = Array.from({ length: MALFORMED }, () => malformedLine(random).replaceAll("\n", " "));
  const alone = openServer();
  const replies = await alone.converse([OPENING, ...lines], MALFORMED / 2);
  expect(await alone.close()).toBe(0);
  expect(replies.length).toBeGreaterThan(MALFORMED / 2);
  for (const reply of replies) {
    expectNoLeak(reply);
    if (reply.error === undefined) continue;
    expect(PROTOCOL_CODES).toContain(reply.error.code);
    expect(reply.error.data.code).toBe("invalid_input");
  }
  expect(alone.stderr().split("\n").length).toBeLessThan(200);
});

function expectNoLeak(reply: Message): void {
  const text = JSON.stringify(reply);
  if (text.includes(ROOT) || text.includes("node_modules") || /\\n\s+at /.test(text)) expect.fail(text.slice(0, 500));
}
