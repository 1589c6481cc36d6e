/** HTTP access: host names against DNS rebinding (S1), open binds (S2), tokens (S3). */
import { expect, test } from "vitest";
import { allowedHostNames, refusedName } from "../../src/mcp/http/access.ts";
import { fakeCompass } from "../kit/fake-compass.ts";
import { httpServer, type LocalServer, serveForTest, toolCall } from "../kit/http.ts";

const OURS = ["localhost", "localhost:9100", "LOCALHOST:1", "127.0.0.1", "127.0.0.1:9100", "[::1]", "[::1]:9100"];
const STRANGE = [
  "evil.example",
  "localhost.evil.example",
  "evil-localhost",
  "localhost.",
  "localhost:",
  "localhost:x",
  "localhost:123456",
  "127.0.0.1.nip.io",
  "127.0.0.1.evil.example:9100",
  "127.0.0.2",
  "127.1",
  "2130706433",
  "0x7f000001",
  "0177.0.0.1",
  "0.0.0.0",
  "::1",
  "[::1",
  "[::ffff:127.0.0.1]",
  "[0:0:0:0:0:0:0:1]",
  "localhost@evil.example",
  "evil.example@localhost",
  "localhost/",
  "localhost\\@evil.example",
  "localhost evil.example",
  "localhost,evil.example",
  "*",
];

test("S1: Host and Origin are checked by exact parsed name", async () => {
  let ran = 0;
  const server = await serveForTest(
    fakeCompass({
      gate: async () => {
        ran++;
      },
    }),
  );
  const origins: [string | undefined, boolean][] = [
    [undefined, true],
    ["http://localhost:5173", true],
    ["https://LOCALHOST", true],
    ["http://127.0.0.1:8080", true],
    ["http://[::1]:3000", true],
    ["null", false],
    ["", false],
    ["file://", false],
    ["localhost", false],
    ["ftp://localhost", false],
    ["chrome-extension://localhost", false],
    ["http://localhost/path", false],
    ["http://user@localhost", false],
    ["http://localhost:80:80", false],
    ["http://localhost http://localhost", false],
    ...STRANGE.map((name): [string, boolean] => [`http://${name}`, false]),
  ];
  const call = JSON.stringify(toolCall(1, "search_code", { query: "role" }));
  let cases = 0;
  const check = async (host: string | undefined, origin: string | undefined, allowed: boolean) => {
    for (const [method, path, body] of [
      ["POST", "/", call],
      ["GET", "/health", undefined],
      ["GET", "/nope", undefined],
    ] as const) {
      cases++;
      const before = ran;
      const answer = await server.send({
        method,
        path,
        headers: {
          ...(host !== undefined && { host }),
          ...(origin !== undefined && { origin }),
          "content-type": "application/json",
        },
        ...(body !== undefined && { body }),
      });
      const expected = allowed ? (path === "/nope" ? 404 : 200) : 403;
      expect([host, origin, path, answer.status]).toEqual([host, origin, path, expected]);
      if (!allowed) expect(ran).toBe(before);
    }
  };
  for (const host of OURS) await check(host, undefined, true);
  for (const host of STRANGE) await check(host, undefined, false);
  for (const [origin, allowed] of origins) await check("localhost:9100", origin, allowed);
  for (const host of STRANGE) await check(host, "http://localhost", false);
  expect(cases).toBeGreaterThan(180);
});

test("S1: a duplicate header, no header, or another target is rejected", async () => {
  const server = await serveForTest();
  for (const head of [
    "GET /health HTTP/1.0",
    "GET /health HTTP/1.1",
    "GET /health HTTP/1.1\r\nHost:",
    "GET /health HTTP/1.1\r\nHost: localhost\r\nHost: evil.example",
    "GET /health HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nOrigin: http://evil.example",
    "GET http://evil.example/health HTTP/1.1\r\nHost: localhost",
  ]) {
    expect(await rawStatus(server, `${head}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 (400|403|404) /);
  }
});

async function rawStatus(server: LocalServer, text: string): Promise<string> {
  const socket = await server.socket();
  const first = new Promise<string>((resolve) =>
    socket.once("data", (data) => resolve(String(data).split("\r\n")[0]!)),
  );
  socket.write(text);
  const line = await first;
  socket.destroy();
  return line;
}

test("a wildcard bind accepts its own address and the configured names only", () => {
  const names = allowedHostNames("0.0.0.0", ["code.internal"], "workstation");
  const check = (host: string) =>
    refusedName({ host: [host], origin: undefined, localAddress: "::ffff:10.0.0.7" }, names);
  for (const host of ["10.0.0.7:9100", "code.internal", "WORKSTATION", "localhost"])
    expect(check(host)).toBeUndefined();
  for (const host of ["10.0.0.8", "code.internal.evil.example", "evil.example"]) expect(check(host)).toBe("Host");
});

test.each(["0.0.0.0", "::", "192.0.2.1", "example.org"])(
  "S2: --bind %s without a token does not start",
  async (bind) => {
    await expect(httpServer(fakeCompass(), { bind })).rejects.toThrow(/needs --token/);
  },
);

const TOKEN = "correct-horse-battery-staple";
const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };

test("S3: only the token gives access, and it is never shown", async () => {
  const server = await serveForTest(fakeCompass(), { bind: "0.0.0.0", token: TOKEN });
  for (const authorization of [
    undefined,
    "",
    "Bearer",
    "Bearer ",
    `Bearer ${TOKEN}x`,
    `Bearer ${TOKEN.slice(0, -1)}`,
    `Bearer ${TOKEN.toUpperCase()}`,
    `Basic ${TOKEN}`,
    TOKEN,
    `Bearer x ${TOKEN}`,
  ]) {
    const answer = await server.post(LIST, authorization === undefined ? {} : { authorization });
    expect([authorization, answer.status]).toEqual([authorization, 401]);
    expect(answer.headers["www-authenticate"]).toBe("Bearer");
    expect(answer.text).not.toContain(TOKEN);
  }
  for (const scheme of ["Bearer", "bearer", "BEARER"]) {
    expect((await server.post(LIST, { authorization: `${scheme} ${TOKEN}` })).status).toBe(200);
  }
  expect((await server.send({ path: "/nope" })).status).toBe(401);
  expect(server.log.join("\n")).not.toContain(TOKEN);
});

test("without the token /health hides paths", async () => {
  const server = await serveForTest(fakeCompass(), { bind: "0.0.0.0", token: TOKEN });
  const stranger = await server.send({ path: "/health" });
  expect(stranger.status).toBe(200);
  expect(stranger.json()).toMatchObject({ status: "ready", projects: [{ index_status: "ready", file_count: 3 }] });
  expect(stranger.text).not.toContain("/work/fixture");
  const known = await server.send({ path: "/health", headers: { authorization: `Bearer ${TOKEN}` } });
  expect(known.json().projects[0].repo_root).toBe("/work/fixture");
  expect(known.json().workspace_warmset.members).toEqual(["/work/fixture"]);
});

test("a token on a loopback bind is checked, too", async () => {
  const server = await serveForTest(fakeCompass(), { token: TOKEN });
  expect((await server.post(LIST)).status).toBe(401);
});

test("a port in use is reported, with what to do", async () => {
  const server = await serveForTest();
  await expect(httpServer(fakeCompass(), { port: server.port })).rejects.toThrow(/in use; choose another with --port/);
});
