/** C70 over HTTP: each session has its own ref, whether opened by a handshake or named by the client. */
import { afterEach, expect, test } from "vitest";
import { codecompass } from "../kit/command.ts";
import { type HttpProcess, startHttp } from "../kit/http.ts";
import { commit, git, type Sandbox, sandbox, write } from "../kit/sandbox.ts";
import { initializeParams } from "../kit/wire.ts";

let box: Sandbox | undefined;
let server: HttpProcess | undefined;
afterEach(async () => {
  await server?.close();
  box?.[Symbol.dispose]();
});

test("C70: a switch applies to the session that made it", async () => {
  box = sandbox();
  const root = box.repository({ "a.py": "def on_main():\n    pass\n" });
  git(root, "checkout", "-q", "-b", "feature");
  write(root, { "b.py": "def on_feature():\n    pass\n" });
  commit(root, "second");
  git(root, "checkout", "-q", "main");
  for (const ref of ["main", "feature"]) {
    expect((await codecompass(["index", "--ref", ref], { cwd: root, env: box.env })).code).toBe(0);
  }
  server = await startHttp(["--workspace", root], box.env);
  const open = async () => {
    const params = initializeParams("2025-06-18");
    const answer = await server!.post({ jsonrpc: "2.0", id: 1, method: "initialize", params });
    return { "mcp-session-id": answer.headers["mcp-session-id"] as string };
  };
  const [mine, other] = [await open(), await open()];
  const named = { "x-codecompass-session": "agent-7" };
  const refOf = async (headers: Readonly<Record<string, string>>) =>
    (await server!.tool("locate_symbol", { name: "on_feature" }, headers)).metadata.ref;
  expect((await server.tool("switch_ref", { ref: "feature" }, mine)).error).toBeUndefined();
  expect((await server.tool("switch_ref", { ref: "feature" }, named)).error).toBeUndefined();
  for (const [headers, ref] of [
    [mine, "feature"],
    [named, "feature"],
    [other, "main"],
    [{ "x-codecompass-session": "agent-8" }, "main"],
    [{}, "main"],
  ] as const) {
    expect([headers, await refOf(headers)]).toEqual([headers, ref]);
  }
  const found = await server.tool("locate_symbol", { name: "on_feature" }, mine);
  expect(found.results.map((one: { path: string }) => one.path)).toEqual(["b.py"]);
  expect((await server.tool("switch_ref", { ref: "no-such" }, mine)).error.code).toBe("ref_not_indexed");
  expect(await refOf(mine)).toBe("feature");
  // Without a session there is nothing to switch; the error says what to do instead.
  const none = await server.tool("switch_ref", { ref: "feature" });
  expect(JSON.stringify(none)).toMatch(/ref/);
  expect(await refOf({})).toBe("main");
});
