/** C11, C49, C50 on the real product: stdio answers on its own thread, HTTP in reader threads, with the same payload. */
import { afterEach, expect, test } from "vitest";
import { TOOLS } from "../../src/tools/index.ts";
import { codecompass } from "../kit/command.ts";
import { unchangedFiles } from "../kit/faults.ts";
import { type HttpProcess, startHttp } from "../kit/http.ts";
import { type Sandbox, sandbox } from "../kit/sandbox.ts";
import { type StdioServer, startServer } from "../kit/stdio.ts";

let box: Sandbox | undefined;
let http: HttpProcess | undefined;
let stdio: StdioServer | undefined;
afterEach(async () => {
  await http?.close();
  await stdio?.close();
  box?.[Symbol.dispose]();
});

/** Fields that differ from moment to moment and from process to process. */
const MOMENTARY =
  /"(uptime_seconds|memory_usage_mb|active_connections|job_id|progress_token|duration_ms)":("[^"]*"|\d+)/g;

const CALLS: readonly [string, object][] = [
  ["search_code", { query: "quiet_7" }],
  ["search_code", { query: "word for the full text", detail_level: "context", ranking_explain_level: "full" }],
  ["search_code", { query: "quiet/3/q13.py" }],
  ["search_code", { query: "nothing_of_this_name_anywhere" }],
  ["search_code", { query: "value", language: "klingon" }],
  ["search_code", { query: "value", max_tokens: 300 }],
  ["search_code", { query: "" }],
  ["locate_symbol", { name: "quiet_3" }],
  ["locate_symbol", { name: "quiet_3", detail_level: "context" }],
  ["locate_symbol", { name: "nobody" }],
  ["get_file_outline", { path: "quiet/1/q1.py" }],
  ["get_file_outline", { path: "nowhere.py" }],
  ["explain_ranking", { query: "quiet_7", result_path: "quiet/7/q7.py", result_line_start: 1 }],
  ["explain_ranking", { query: "quiet_7", result_path: "nowhere.py", result_line_start: 1 }],
  ["index_status", {}],
  ["search_code", { query: "x", workspace: "/elsewhere" }],
  ["search_code", { query: "x", ref: "no-such-ref" }],
];

test("every call has the same payload over both transports", async () => {
  box = sandbox();
  const root = box.repository(unchangedFiles(60));
  expect((await codecompass(["index"], { cwd: root, env: box.env })).code).toBe(0);
  http = await startHttp(["--workspace", root], box.env);
  stdio = startServer(["--workspace", root], box.env);
  await stdio.initialize();
  for (const [name, input] of CALLS) {
    const params = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: input } };
    const here = await stdio.request("tools/call", { name, arguments: input });
    const there = (await http.post(params)).json();
    const text = (reply: typeof here) => JSON.stringify([reply.result, reply.error]).replace(MOMENTARY, "");
    expect([name, input, text(there)]).toEqual([name, input, text(here)]);
  }
  const listed = (await http.post({ jsonrpc: "2.0", id: 1, method: "tools/list" })).json();
  expect(listed.result).toEqual((await stdio.request("tools/list")).result);
  expect(listed.result.tools.map((tool: { name: string }) => tool.name)).toEqual(TOOLS.map((tool) => tool.name));
  for (const tool of listed.result.tools) {
    expect(tool.inputSchema.type).toBe("object");
    expect(tool.inputSchema.properties.workspace.type).toBe("string");
    expect(tool.inputSchema.required ?? []).not.toContain("workspace");
  }
  expect(http.stderr()).toMatch(/^codecompass: listening on [^\n]*\n$/);
});

test("--format text --tools core, as install writes it, answers in text over both transports", async () => {
  box = sandbox();
  const flags = [
    "--workspace",
    box.repository({ "a.py": "def only_one(): pass\n" }),
    "--format",
    "text",
    "--tools",
    "core",
  ];
  http = await startHttp(flags, box.env);
  stdio = startServer(flags, box.env);
  await stdio.initialize();
  const params = { name: "health_check", arguments: {} };
  const here = (await stdio.request("tools/call", params)).result;
  const there = (await http.post({ jsonrpc: "2.0", id: 1, method: "tools/call", params })).json().result;
  for (const result of [here, there]) {
    expect(Object.keys(result)).toEqual(["content"]);
    expect(result.content[0].text).toMatch(/^status: /);
  }
  const { tools } = (await http.post({ jsonrpc: "2.0", id: 1, method: "tools/list" })).json().result;
  expect(tools).toHaveLength(8);
  for (const tool of tools) expect(tool).not.toHaveProperty("outputSchema");
});
