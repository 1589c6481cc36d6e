/** A server as a process: official clients of both eras, clean stdout, and every way to end it (L8, S9). */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, test } from "vitest";
import { initializeParams } from "../kit/wire.ts";

const SERVER = fileURLToPath(new URL("../kit/fake-server.ts", import.meta.url));
const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n';
const OPENING = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params: initializeParams("2025-06-18") });

for (const mode of ["legacy", "auto", { pin: "2026-07-28" }] as const) {
  test(`the official client, ${typeof mode === "string" ? mode : mode.pin}`, async () => {
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [SERVER] }));
    expect(client.getServerVersion()?.name).toBe("codecompass");
    expect(client.getInstructions()?.slice(0, 250)).toContain("search_code");
    const { tools } = await client.listTools();
    expect(tools.length).toBeGreaterThanOrEqual(8);
    // The client validates structuredContent against the listed outputSchema and throws if they differ.
    const calls: [string, Record<string, unknown>][] = [
      ["search_code", { query: "role", detail_level: "context", ranking_explain_level: "full" }],
      ["locate_symbol", { name: "has_role" }],
      ["get_file_outline", { path: "src/types.rs" }],
      ["explain_ranking", { query: "role", result_path: "src/types.rs", result_line_start: 1 }],
      ["index_repo", {}],
      ["sync_repo", {}],
      ["index_status", {}],
      ["health_check", {}],
    ];
    for (const [name, input] of calls) {
      const result = await client.callTool({ name, arguments: input });
      expect(result.isError, name).not.toBe(true);
      expect(result.structuredContent).toBeDefined();
    }
    const refused = await client.callTool({ name: "search_code", arguments: {} });
    expect(refused.isError).toBe(true);
    await client.close();
  });
}

function start(env: NodeJS.ProcessEnv = {}): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [SERVER], { stdio: "pipe", env: { ...process.env, ...env } });
}

function exitOf(child: ChildProcessWithoutNullStreams): Promise<[number | null, string | null]> {
  return new Promise((resolve) => child.on("exit", (code, signal) => resolve([code, signal])));
}

function firstLine(child: ChildProcessWithoutNullStreams): Promise<string> {
  return new Promise((resolve) => child.stdout.once("data", (data) => resolve(String(data))));
}

test("stdout contains only the protocol", async () => {
  const child = start({ NOISE: "1" });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (data) => {
    stdout += data;
  });
  child.stderr.on("data", (data) => {
    stderr += data;
  });
  const exited = exitOf(child);
  child.stdin.end(`${OPENING}\n${PING}`);
  expect(await exited).toEqual([0, null]);
  expect(
    stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).id),
  ).toEqual([0, 1]);
  expect(stderr).toContain("noise from console");
  expect(stderr).toContain("noise from stdout");
});

test("a request pending when the input ends is still answered", async () => {
  const child = start();
  let stdout = "";
  child.stdout.on("data", (data) => {
    stdout += data;
  });
  const exited = exitOf(child);
  child.stdin.end('{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"health_check"}}');
  expect(await exited).toEqual([0, null]);
  expect(JSON.parse(stdout).result.structuredContent.status).toBe("ready");
});

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  test(`${signal} ends it`, async () => {
    const child = start();
    child.stdin.write(PING);
    await firstLine(child);
    const exited = exitOf(child);
    child.kill(signal);
    expect(await exited).toEqual([0, null]);
  });
}

test("exits quietly if its output is no longer read", async () => {
  const child = start();
  let stderr = "";
  child.stderr.on("data", (data) => {
    stderr += data;
  });
  child.stdin.on("error", () => {});
  child.stdin.write(PING);
  await firstLine(child);
  const exited = exitOf(child);
  child.stdout.destroy();
  child.stdin.write(PING.repeat(100));
  expect(await exited).toEqual([0, null]);
  expect(stderr).toBe("");
});

test("exits if its parent dies while another process keeps its input open", async () => {
  const code = `const c = require("node:child_process").spawn(process.execPath, [${JSON.stringify(SERVER)}], { stdio: ["inherit", "inherit", "inherit"] }); console.error(c.pid); setInterval(() => {}, 1000);`;
  const parent = spawn(process.execPath, ["-e", code], { stdio: "pipe" });
  const pid = await new Promise<number>((resolve) =>
    parent.stderr.once("data", (data) => resolve(Number(String(data)))),
  );
  parent.stdin.write(PING);
  await firstLine(parent);
  parent.kill("SIGKILL");
  await vanished(pid);
});

test("exits without waiting for the answer if its client is killed during a call", async () => {
  const line = JSON.stringify(HANGING);
  const code = `const c = require("node:child_process").spawn(process.execPath, [${JSON.stringify(SERVER)}], { stdio: ["pipe", "inherit", "inherit"], env: { ...process.env, HANG: "1" } }); console.error(c.pid); c.stdin.write(${JSON.stringify(`${PING}`)} + ${JSON.stringify(line)} + "\\n"); setInterval(() => {}, 1000);`;
  const client = spawn(process.execPath, ["-e", code], { stdio: "pipe" });
  const pid = await new Promise<number>((resolve) =>
    client.stderr.once("data", (data) => resolve(Number(String(data)))),
  );
  await firstLine(client);
  client.kill("SIGKILL");
  await vanished(pid);
});

const HANGING = {
  jsonrpc: "2.0",
  id: 9,
  method: "tools/call",
  params: { name: "search_code", arguments: { query: "x" } },
};

/** Polls until the process has exited; a zombie counts as exited. */
async function vanished(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0);
      if (process.platform === "linux" && /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))) return;
    } catch {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test.runIf(process.platform === "linux")(
  "S9: 256 MB without a newline cost one error, and memory stays bounded",
  async () => {
    const child = start();
    child.stdin.write(PING);
    await firstLine(child);
    const before = residentMegabytes(child.pid!);
    const refusal = firstLine(child);
    const chunk = Buffer.alloc(1024 * 1024, "x");
    for (let i = 0; i < 256; i++) {
      if (!child.stdin.write(chunk)) await new Promise((resolve) => child.stdin.once("drain", resolve));
    }
    expect(JSON.parse(await refusal).error).toMatchObject({ code: -32600, data: { code: "invalid_input" } });
    const answer = firstLine(child);
    child.stdin.write(`\n${PING}`);
    expect(JSON.parse(await answer).result).toEqual({});
    expect(residentMegabytes(child.pid!) - before).toBeLessThan(32);
    child.stdin.end();
  },
);

function residentMegabytes(pid: number): number {
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))!;
  return Number(kilobytes) / 1024;
}
