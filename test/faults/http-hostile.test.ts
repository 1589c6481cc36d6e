/** Hostile or broken HTTP clients (S8, S10, S18): slow, huge, nested, truncated and too many requests. */
import type { Socket } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, expect, test } from "vitest";
import { until } from "../kit/faults.ts";
import { malformedLine } from "../kit/hostile.ts";
import { type LocalServer, serveForTest, toolCall } from "../kit/http.ts";
import { prng } from "../kit/prng.ts";

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

async function open(server: LocalServer): Promise<Socket> {
  const socket = await server.socket();
  socket.on("error", () => {});
  sockets.push(socket);
  return socket;
}

/** Everything received until the other side disconnects. */
function heard(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (data) => {
    text += data;
  });
  return new Promise((resolve) => socket.on("close", () => resolve(text)));
}

const PING = { jsonrpc: "2.0", id: 1, method: "ping" };
const MIB = 1024 * 1024;
const REQUESTS = process.env.CODECOMPASS_LONG ? 10_000 : 3_000;
const HEAD = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";

async function isAlive(server: LocalServer): Promise<void> {
  expect((await server.post(PING)).json().result).toEqual({});
}

test("S8: a body above 4 MiB is rejected, whether announced or streamed", async () => {
  const server = await serveForTest();
  const just = `${JSON.stringify(PING)}${" ".repeat(4 * MIB - JSON.stringify(PING).length)}`;
  expect((await server.post(just)).status).toBe(200);
  expect((await server.post(`${just} `)).status).toBe(413);
  const announced = await open(server);
  const answer = heard(announced);
  announced.write(`${HEAD}Content-Length: 99999999999\r\n\r\n{`);
  expect(await answer).toMatch(/^HTTP\/1\.1 413 /);
  const chunked = await open(server);
  const told = heard(chunked);
  chunked.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
  const part = `${MIB.toString(16)}\r\n${"a".repeat(MIB)}\r\n`;
  for (let i = 0; i < 8; i++) chunked.write(part);
  expect(await told).toMatch(/^HTTP\/1\.1 413 /);
  await isAlive(server);
});

test("a client that sends Expect: 100-continue gets its answer before it sends the body", async () => {
  const server = await serveForTest();
  const socket = await open(server);
  const answer = heard(socket);
  socket.write(`${HEAD}Content-Length: 99999999\r\nExpect: 100-continue\r\n\r\n`);
  expect(await answer).toMatch(/^HTTP\/1\.1 413 /);
  const willing = await open(server);
  const first = new Promise<string>((resolve) => willing.once("data", (data) => resolve(String(data))));
  const body = JSON.stringify(PING);
  willing.write(`${HEAD}Content-Length: ${body.length}\r\nConnection: close\r\nExpect: 100-continue\r\n\r\n`);
  expect(await first).toMatch(/^HTTP\/1\.1 100 /);
  const rest = heard(willing);
  willing.write(body);
  expect(await rest).toMatch(/"result":\{\}/);
});

test.each([
  ["garbage", "\x00\x01\x02\r\n\r\n"],
  ["TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
  ["a header without end", `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${"a".repeat(64 * 1024)}`],
  ["two lengths", `${HEAD}Content-Length: 5\r\nContent-Length: 6\r\n\r\n{}`],
  ["a length and chunks", `${HEAD}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  ["a length that is none", `${HEAD}Content-Length: -1\r\n\r\n`],
  ["chunks that are none", `${HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n`],
  ["a name with a space", "GET / HTTP/1.1\r\nHo st: localhost\r\n\r\n"],
  ["another protocol", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
])("malformed HTTP: %s", async (_, text) => {
  const server = await serveForTest();
  const socket = await open(server);
  const answer = heard(socket);
  socket.write(Buffer.from(text, "latin1"));
  expect(await answer).toMatch(/^HTTP\/1\.1 4\d\d /);
  await isAlive(server);
});

test("half a request on a closed connection: nothing runs, nothing stays", async () => {
  const server = await serveForTest();
  for (const text of ["PO", HEAD, `${HEAD}Content-Length: 100\r\n\r\n{"jsonrpc"`]) {
    const socket = await open(server);
    const gone = heard(socket);
    socket.end(text);
    await gone;
  }
  await isAlive(server);
  expect((await server.send({ path: "/health" })).json().active_connections).toBe(1);
});

test("a request is answered even if the client half-closes the connection", async () => {
  const server = await serveForTest();
  const socket = await open(server);
  const answer = heard(socket);
  const body = JSON.stringify(toolCall(1, "locate_symbol", { name: "has_role" }));
  socket.end(`${HEAD}Content-Length: ${body.length}\r\n\r\n${body}`);
  expect(await answer).toMatch(/has_role/);
});

test("S8: hundreds of idle or slow connections do not lock out other clients", async () => {
  const server = await serveForTest();
  const idle = await Promise.all(Array.from({ length: 600 }, () => open(server)));
  for (const [at, socket] of idle.entries()) {
    if (at % 2 === 0) socket.write("POST / HTTP/1.1\r\nHost: loc");
  }
  for (let i = 0; i < 50; i++) await isAlive(server);
  const active = async () => (await server.send({ path: "/health" })).json().active_connections as number;
  await until("the idle ones are gone", async () => (await active()) <= 256);
});

test("hundreds of clients that send their bodies byte by byte do not lock out others", async () => {
  const server = await serveForTest();
  const slow = await Promise.all(Array.from({ length: 400 }, () => open(server)));
  for (const socket of slow) socket.write(`${HEAD}Content-Length: 500\r\n\r\n{`);
  for (let i = 0; i < 20; i++) await isAlive(server);
  expect((await server.send({ path: "/health" })).status).toBe(200);
});

test("large endless bodies together use little memory: the rest gets 503", async () => {
  const server = await serveForTest();
  const most = await Promise.all(Array.from({ length: 20 }, () => open(server)));
  const statuses: string[] = [];
  for (const socket of most) {
    void heard(socket).then((text) => statuses.push(text.slice(9, 12)));
    socket.write(`${HEAD}Content-Length: ${4 * MIB}\r\n\r\n${" ".repeat(4 * MIB - 1)}`);
  }
  await until("some are turned away", () => statuses.length > 0);
  expect(new Set(statuses)).toEqual(new Set(["503"]));
  for (const socket of most) socket.destroy();
  await until("the others left room", async () => (await server.post(PING)).status === 200);
});

test("more requests than the limit: the rest gets 503", async () => {
  const waiting: (() => void)[] = [];
  const { fakeCompass } = await import("../kit/fake-compass.ts");
  const gate = () => new Promise<void>((resolve) => waiting.push(resolve));
  const server = await serveForTest(fakeCompass({ gate }));
  const calls = Array.from({ length: 300 }, (_, id) => server.post(toolCall(id, "search_code", { query: "role" })));
  const statuses = Promise.all(calls.map((call) => call.then(({ status }) => status)));
  while (waiting.length < 256) await new Promise((resolve) => setImmediate(resolve));
  const done = setInterval(() => {
    for (const release of waiting.splice(0)) release();
  }, 10);
  const counted = Object.groupBy(await statuses, String);
  clearInterval(done);
  expect(Object.keys(counted).sort()).toEqual(["200", "503"]);
  expect(counted["200"]!.length).toBeGreaterThanOrEqual(256);
});

test(`S10: ${REQUESTS} malformed bodies: each gets an answer with a registered code`, async () => {
  const server = await serveForTest();
  const random = prng(7);
  const ask = async () => {
    const answer = await server.post(malformedLine(random));
    expect([200, 202, 400, 404]).toContain(answer.status);
    if (answer.status !== 202) {
      const body = answer.json();
      for (const one of Array.isArray(body) ? body : [body]) {
        if (one.error !== undefined) expect(one.error.data.code).toMatch(/^[a-z_]+$/);
      }
    }
    expect(answer.text).not.toMatch(/\bat .*\.ts:\d+|node_modules/);
  };
  for (let i = 0; i < REQUESTS / 20; i++) await Promise.all(Array.from({ length: 20 }, ask));
  await isAlive(server);
}, 300_000);

test(`S18: ${REQUESTS} requests without a session, accepted or rejected, leave nothing behind`, async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const server = await serveForTest();
  const round = async (count: number) => {
    for (let i = 0; i < count / 20; i++) {
      await Promise.all([
        ...Array.from({ length: 8 }, () => server.post(toolCall(1, "locate_symbol", { name: "has_role" }))),
        ...Array.from({ length: 6 }, () => server.send({ path: "/health" })),
        ...Array.from({ length: 6 }, () => server.send({ path: "/health", headers: { host: "evil.example" } })),
      ]);
    }
    collect();
    return process.memoryUsage().heapUsed;
  };
  await round(REQUESTS);
  const before = await round(1_000);
  expect((await round(REQUESTS)) - before).toBeLessThan(1e6 + 400 * REQUESTS);
}, 300_000);
