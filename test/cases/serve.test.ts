/** `codecompass --serve`, the entry point of S5's clients: started in a project, without arguments. */
import { spawn } from "node:child_process";
import { expect, test } from "vitest";
import { MAIN } from "../kit/main.ts";
import { sandbox } from "../kit/sandbox.ts";

/** Replies to the requests, by id; the server exits when its input ends. */
async function serve(cwd: string, env: NodeJS.ProcessEnv, requests: readonly object[]) {
  const child = spawn(process.execPath, [MAIN, "--serve"], { cwd, env, stdio: ["pipe", "pipe", "ignore"] });
  let out = "";
  const answered = new Promise<void>((resolve) => {
    child.stdout.on("data", (data) => {
      out += data;
      if (out.split("\n").length > requests.length) resolve();
    });
  });
  for (const [id, request] of requests.entries())
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...request })}\n`);
  await answered;
  child.stdin.end();
  const code = await new Promise((resolve) => child.on("exit", resolve));
  const lines = out.trim().split("\n");
  // biome-ignore lint/suspicious/noExplicitAny: tests read replies as they come
  const replies = lines.map((line): any => JSON.parse(line));
  return { code, replies: replies.sort((a, b) => a.id - b.id) };
}

const call = (name: string, input: object = {}) => ({ method: "tools/call", params: { name, arguments: input } });

test("the handshake of S5's own check, its health fields, and a first search that indexes", async () => {
  using box = sandbox();
  const cwd = box.tree({ "src/auth.py": "def login(user):\n    return user\n" });
  const { code, replies } = await serve(cwd, box.env, [
    { method: "initialize", params: {} },
    call("health_check"),
    call("regex_search", { pattern: "def \\w+", path: "./src" }),
    call("regex_search", { pattern: "def \\w+", path: cwd }),
  ]);
  expect(code).toBe(0);
  expect(replies[0].result.protocolVersion).toBe("2024-11-05");
  expect(replies[1].result.structuredContent).toMatchObject({ status: "healthy", health: "healthy" });
  for (const { result } of replies.slice(2)) {
    expect(result.structuredContent.results).toMatchObject([
      { file: "src/auth.py", line_start: 1, breadcrumb: expect.any(String) },
    ]);
  }
});

test("in a home directory nothing is registered, and the server still answers", async () => {
  using box = sandbox();
  const home = box.tree({ "a.txt": "text\n" });
  const { replies } = await serve(home, { ...box.env, HOME: home }, [
    { method: "initialize", params: {} },
    call("health_check"),
    call("regex_search", { pattern: "text" }),
  ]);
  expect(replies[1].result.structuredContent).toMatchObject({ status: expect.stringMatching(/healthy|degraded/) });
  expect(replies[2].error).toMatchObject({ code: -32602, data: { tool: "regex_search", code: "project_not_found" } });
});
