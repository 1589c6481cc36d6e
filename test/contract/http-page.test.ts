/** Access to the page over HTTP (issue 39): its files, sessions, other origins, principals. */
import { expect, test } from "vitest";
import type { PrincipalAuth } from "../../src/mcp/http/access.ts";
import { fakeCompass } from "../kit/fake-compass.ts";
import { type LocalServer, serveForTest } from "../kit/http.ts";

const JSON_BODY = { "content-type": "application/json" };

const open = (server: LocalServer, token: string) =>
  server.send({ method: "POST", path: "/ui/session", headers: JSON_BODY, body: JSON.stringify({ token }) });
const call = (server: LocalServer, tool: string, headers: Record<string, string> = {}, input: object = {}) =>
  server.send({
    method: "POST",
    path: `/ui/call/${tool}`,
    headers: { ...JSON_BODY, ...headers },
    body: JSON.stringify(input),
  });

async function session(server: LocalServer, token: string): Promise<Record<string, string>> {
  const reply = await open(server, token);
  expect(reply.status).toBe(204);
  const [cookie] = reply.headers["set-cookie"]!;
  expect(cookie).toMatch(/^codecompass-\d+=[\w-]{43}; Path=\/ui; HttpOnly; SameSite=Strict$/);
  return { cookie: cookie!.split(";")[0]! };
}

test("without --ui there is no page", async () => {
  const server = await serveForTest();
  expect((await server.send({})).status).toBe(405);
  expect((await call(server, "page_workspaces")).status).toBe(404);
});

test("the views are one document with a strict policy; MCP stays at POST /", async () => {
  const server = await serveForTest(fakeCompass(), { page: {}, token: "secret" });
  for (const path of ["/", "/search?q=x", "/file", "/symbol", "/compare", "/why", "/index"]) {
    const reply = await server.send({ path });
    expect(reply.headers["content-security-policy"]).toContain("default-src 'none'; script-src 'self'");
    expect(reply.headers["x-frame-options"]).toBe("DENY");
  }
  expect((await server.send({ path: "/ui/../package.json" })).status).toBe(401);
  expect((await server.send({ path: "/", headers: { host: "evil.example" } })).status).toBe(403);
  const own = await session(server, "secret");
  expect((await server.post({ jsonrpc: "2.0", id: 1, method: "ping" }, own)).status).toBe(401);
  expect(
    (await server.post({ jsonrpc: "2.0", id: 1, method: "ping" }, { authorization: "Bearer secret" })).status,
  ).toBe(200);
});

test("a call needs the bearer token or a session, and its own origin", async () => {
  const server = await serveForTest(fakeCompass(), { page: {}, token: "secret" });
  expect((await open(server, "guess")).status).toBe(401);
  expect((await call(server, "list_refs")).status).toBe(401);
  expect((await call(server, "list_refs", { authorization: "Bearer secret" })).status).toBe(200);
  const own = await session(server, "secret");
  const host = `localhost:${server.port}`;
  expect((await call(server, "list_refs", { ...own, host, origin: `http://${host}` })).status).toBe(200);
  for (const origin of ["http://localhost:1", "https://evil.example", "null"])
    expect((await call(server, "list_refs", { ...own, host, origin })).status).toBe(403);
  expect((await call(server, "list_refs", { ...own, "sec-fetch-site": "same-site" })).status).toBe(403);
  expect((await call(server, "no_such_tool", own)).status).toBe(404);
  expect((await call(server, "page_file", own, { path: "nowhere.rs" })).json().error.code).toBe("file_not_found");
});

test("a launch token works once", async () => {
  const launch = { token: "launch", bearer: "secret" };
  const server = await serveForTest(fakeCompass(), { page: { launch }, token: "secret" });
  const own = await session(server, "launch");
  expect((await open(server, "launch")).status).toBe(401);
  expect((await call(server, "list_refs", own)).status).toBe(200);
});

test("a session has the rights of its principal, until its token is withdrawn", async () => {
  const tokens = new Set(["alice"]);
  const running: string[] = [];
  const principals: PrincipalAuth = {
    authenticate: async (name) =>
      tokens.has(name)
        ? {
            name,
            run: (work) => {
              running.push(name);
              return work();
            },
          }
        : undefined,
    current: () => running.at(-1),
    close: async () => {},
  };
  const server = await serveForTest(fakeCompass(), { page: {}, principals });
  expect((await open(server, "mallory")).status).toBe(401);
  const own = await session(server, "alice");
  expect((await call(server, "list_refs", own)).status).toBe(200);
  expect(running).toEqual(["alice"]);
  expect((await call(server, "index_repo", own)).status).toBe(404);
  tokens.delete("alice");
  expect((await call(server, "list_refs", own)).status).toBe(401);
});
