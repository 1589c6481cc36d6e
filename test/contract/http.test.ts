/** The protocol over HTTP: routes, codes, eras, sessions, progress, cancellation, the same bytes as stdio (C47, C49, C50). */
import { expect, test } from "vitest";
import { CompassError } from "../../src/model/errors.ts";
import { fakeCompass, PUBLISHED, RUNNING } from "../kit/fake-compass.ts";
import { until } from "../kit/faults.ts";
import { httpServer, serveForTest, toolCall } from "../kit/http.ts";
import { initializeParams, MODERN_META, wireServer } from "../kit/wire.ts";

const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };
const PING = { jsonrpc: "2.0", id: 1, method: "ping" };
const MODERN = { "mcp-protocol-version": "2026-07-28", accept: "application/json, text/event-stream" };

test("C47: routes and methods", async () => {
  const server = await serveForTest();
  const health = await server.send({ path: "/health" });
  expect(health.status).toBe(200);
  expect(health.json()).toMatchObject({
    status: "ready",
    version: "0.0.0",
    uptime_seconds: 3600,
    workspace_warmset: { enabled: true, capacity: 3 },
    projects: [{ repo_root: "/work/fixture", index_status: "ready", schema_status: "compatible", ref: "main" }],
  });
  expect((await server.post(LIST)).status).toBe(200);
  for (const body of ["{not json", "", " \n"]) expect((await server.post(body)).status).toBe(400);
  for (const [method, path, status] of [
    ["GET", "/", 405],
    ["PUT", "/", 405],
    ["DELETE", "/", 405],
    ["OPTIONS", "/", 405],
    ["POST", "/health", 405],
    ["HEAD", "/health", 405],
    ["GET", "/nope", 404],
    ["POST", "/nope", 404],
    ["POST", "/mcp", 404],
    ["POST", "//", 404],
    ["GET", "/health/", 404],
    ["GET", "/health?probe=1", 200],
  ] as const) {
    const answer = await server.send({ method, path });
    expect([method, path, answer.status]).toEqual([method, path, status]);
    if (status === 405) expect(answer.headers.allow).toBe(path === "/" ? "POST" : "GET");
    if (status !== 200 && method !== "HEAD") expect(answer.json().error.data.code).toBe("invalid_input");
  }
});

test("/health is 503 while the store is unreachable, 200 if only a project has an error", async () => {
  const away = new CompassError("internal_error", { reason: "the store cannot be reached" });
  const compass = fakeCompass();
  const lost = await serveForTest({ ...compass, health: () => Promise.reject(away) });
  const answer = await lost.send({ path: "/health" });
  expect([answer.status, answer.json().status]).toEqual([503, "error"]);
  const broken = await serveForTest({
    ...compass,
    health: async () => ({ ...(await compass.health()), status: "error" }),
  });
  const told = await broken.send({ path: "/health" });
  expect([told.status, told.json().status]).toEqual([200, "error"]);
});

test("a failing /health is logged once, and once more when it recovers", async () => {
  const compass = fakeCompass();
  const reasons = ["away", "away", "refused the password", undefined, undefined];
  const asked = reasons.values();
  const health = () => {
    const reason = asked.next().value;
    return reason === undefined ? compass.health() : Promise.reject(new CompassError("internal_error", { reason }));
  };
  const server = await serveForTest({ ...compass, health });
  for (const reason of reasons) expect((await server.send({ path: "/health" })).status).toBe(reason ? 503 : 200);
  expect(server.log).toEqual([
    "health: Unexpected failure: away",
    "health: Unexpected failure: refused the password",
    "health: ready again",
  ]);
});

test("a query that fails in the store is logged, a rejected one is not", async () => {
  const gate = () => Promise.reject(new CompassError("internal_error", { reason: "reading: away", cause: "store" }));
  const server = await serveForTest(fakeCompass({ gate }));
  for (const name of ["search_code", "locate_symbol"]) await server.post(toolCall(1, name, { query: "x" }));
  expect(server.log).toEqual(["search_code: The store failed while reading: away"]);
});

test("while tokens cannot be checked, a token is neither accepted nor called wrong; the cause is logged", async () => {
  const principals = {
    authenticate: () =>
      Promise.reject(new CompassError("internal_error", { reason: "looking: at db.example", cause: "store" })),
    current: () => undefined,
    close: async () => {},
  };
  const server = await serveForTest(fakeCompass(), { principals });
  const answer = await server.post(PING, { authorization: "Bearer x" });
  expect([answer.status, answer.headers["retry-after"]]).toEqual([503, "5"]);
  expect(JSON.stringify(answer.json())).not.toContain("db.example");
  expect(server.log).toEqual(["token: The store failed while looking: at db.example"]);
  expect((await server.post(PING)).status).toBe(401);
});

test("S3's own example: no handshake, no Accept, a JSON answer", async () => {
  const server = await serveForTest();
  const answer = await server.post(toolCall(1, "locate_symbol", { name: "validate_token" }));
  expect(answer.status).toBe(200);
  expect(answer.headers["content-type"]).toBe("application/json");
  const { id, result } = answer.json();
  expect(id).toBe(1);
  expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent);
  expect(result.structuredContent.results[0].name).toBe("validate_token");
});

const bodies: readonly [what: string, body: string, status: number, code: number][] = [
  ["half a line", '{"jsonrpc":"2.0","id":1,"meth', 400, -32700],
  ["a number", "5", 400, -32600],
  ["no version", '{"id":1,"method":"ping"}', 400, -32600],
  ["no method", '{"jsonrpc":"2.0","id":1}', 400, -32600],
  ["params as a list", '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}', 400, -32602],
  ["a null id", '{"jsonrpc":"2.0","id":null,"method":"ping"}', 400, -32600],
  ["10,000 levels", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${"[".repeat(10_000)}`, 400, -32600],
  ["an empty batch", "[]", 400, -32600],
  ["an unknown method", '{"jsonrpc":"2.0","id":1,"method":"nothing/here"}', 200, -32601],
  ["an unknown tool", JSON.stringify(toolCall(1, "rm")), 200, -32602],
  ["a tool without a name", '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}', 200, -32602],
];

test.each(bodies)("%s", async (_, body, status, code) => {
  const server = await serveForTest();
  const answer = await server.post(body);
  expect([answer.status, answer.json().error.code]).toEqual([status, code]);
  expect(answer.json().error.data.code).toBe("invalid_input");
  expect((await server.post(PING)).json().result).toEqual({});
});

test.each([
  ["text/plain", 415],
  ["application/x-www-form-urlencoded", 415],
  ["multipart/form-data; boundary=x", 415],
  ["application/json5", 415],
  ["application/json; charset=utf-8", 200],
  ["APPLICATION/JSON", 200],
])("content type %s is %d", async (type, status) => {
  const server = await serveForTest();
  expect((await server.post(PING, { "content-type": type })).status).toBe(status);
});

test("a body without a type, or compressed, is rejected", async () => {
  const server = await serveForTest();
  expect((await server.send({ method: "POST", body: JSON.stringify(PING) })).status).toBe(415);
  expect((await server.post(PING, { "content-encoding": "gzip" })).status).toBe(415);
});

test("notifications and replies to nothing are accepted and not answered", async () => {
  const server = await serveForTest();
  for (const body of [
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", method: "notifications/nobody/knows" },
    { jsonrpc: "2.0", id: 9, result: {} },
  ]) {
    const answer = await server.post(body);
    expect([answer.status, answer.text]).toEqual([202, ""]);
  }
});

test("the stateless era: headers must match the body", async () => {
  const server = await serveForTest();
  const call = toolCall(1, "search_code", { query: "role" }, MODERN_META);
  const headers = { ...MODERN, "mcp-method": "tools/call", "mcp-name": "search_code" };
  const answer = await server.post(call, headers);
  expect([answer.status, answer.json().result.resultType]).toEqual([200, "complete"]);
  const mismatch = await server.post(call, { ...headers, "mcp-name": "locate_symbol" });
  expect([mismatch.status, mismatch.json().error.code]).toEqual([400, -32020]);
  const unknown = await server.post(
    { jsonrpc: "2.0", id: 1, method: "nothing/here", params: { _meta: MODERN_META } },
    { ...MODERN, "mcp-method": "nothing/here" },
  );
  expect([unknown.status, unknown.json().error.code]).toEqual([404, -32601]);
  expect(unknown.json().error.data.code).toBe("invalid_input");
  const discover = await server.post(
    { jsonrpc: "2.0", id: 1, method: "server/discover", params: { _meta: MODERN_META } },
    { ...MODERN, "mcp-method": "server/discover" },
  );
  expect(discover.json().result.supportedVersions).toEqual(["2026-07-28"]);
});

test("an unknown revision of the older era is rejected", async () => {
  const server = await serveForTest();
  expect((await server.post(LIST, { "mcp-protocol-version": "2025-06-18" })).status).toBe(200);
  expect((await server.post(LIST, { "mcp-protocol-version": "1999-01-01" })).status).toBe(400);
});

test("the handshake opens a session; an unknown session is not found", async () => {
  const server = await serveForTest();
  const opened = await server.post({ ...PING, method: "initialize", params: initializeParams("2025-06-18") });
  const session = opened.headers["mcp-session-id"] as string;
  expect(session).toMatch(/^[\x21-\x7e]{16,}$/);
  expect(opened.json().result.protocolVersion).toBe("2025-06-18");
  expect((await server.post(LIST, { "mcp-session-id": session })).status).toBe(200);
  const lost = await server.post(LIST, { "mcp-session-id": "gone" });
  expect([lost.status, lost.json().error.data.code]).toEqual([404, "invalid_input"]);
});

test("batches in revisions that have them", async () => {
  const server = await serveForTest();
  const batch = [PING, { ...LIST, id: 2 }, { jsonrpc: "2.0", method: "notifications/initialized" }, 5];
  const answer = await server.post(JSON.stringify(batch));
  expect(
    answer
      .json()
      .map((one: { id: unknown }) => one.id)
      .toSorted(),
  ).toEqual([1, 2, null]);
  const later = await server.post(JSON.stringify(batch), { "mcp-protocol-version": "2025-06-18" });
  expect(later.status).toBe(400);
});

const progressing = () =>
  fakeCompass({
    jobs: async (onProgress) => {
      for (const filesIndexed of [5, 10, 20, 40]) {
        onProgress({ ...RUNNING, progress: { ...RUNNING.progress, filesIndexed } });
      }
      onProgress(PUBLISHED);
      return PUBLISHED;
    },
  });

test("C44: progress arrives as events before the answer, if the client accepts them", async () => {
  const server = await serveForTest(progressing());
  const call = toolCall(1, "index_repo", { wait_seconds: 5 }, { progressToken: "t" });
  const accept = "application/json, text/event-stream";
  const answer = await server.post(call, { accept });
  expect(answer.headers["content-type"]).toBe("text/event-stream");
  const events = answer.events();
  const steps = events.slice(0, -1).map((event) => event.params.progress);
  expect(steps.length).toBeGreaterThan(1);
  expect(steps).toEqual([...new Set(steps)].sort((a, b) => a - b));
  expect(events.at(-1)).toMatchObject({ id: 1, result: { structuredContent: { status: "published" } } });
  const plain = await server.post(call);
  expect(plain.headers["content-type"]).toBe("application/json");
  expect(plain.json().result.structuredContent.status).toBe("published");
  const modern = await server.post(toolCall(2, "index_repo", {}, { ...MODERN_META, progressToken: "m" }), {
    ...MODERN,
    "mcp-method": "tools/call",
    "mcp-name": "index_repo",
  });
  expect(modern.events().filter((event) => event.method === "notifications/progress").length).toBeGreaterThan(1);
});

test("C45: without a progress token there is no event", async () => {
  const server = await serveForTest(progressing());
  const answer = await server.post(toolCall(1, "index_repo"), { accept: "text/event-stream, application/json" });
  expect(answer.headers["content-type"]).toBe("application/json");
});

/** A search that waits until its caller disconnects. */
function waiting() {
  const started = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  const gate = (signal: AbortSignal | undefined) =>
    new Promise<void>((_, reject) => {
      started.resolve();
      signal?.addEventListener("abort", () => {
        aborted.resolve();
        reject(new Error("aborted"));
      });
    });
  return { compass: fakeCompass({ gate }), started: started.promise, aborted: aborted.promise };
}

test.each(["legacy", "modern"])("disconnecting cancels the call (%s)", async (era) => {
  const { compass, started, aborted } = waiting();
  const server = await serveForTest(compass);
  const socket = await server.socket();
  const body = JSON.stringify(toolCall(1, "search_code", { query: "x" }, era === "modern" ? MODERN_META : undefined));
  const modern =
    "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: search_code\r\nAccept: application/json, text/event-stream\r\n";
  socket.write(
    `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${era === "modern" ? modern : ""}Content-Length: ${body.length}\r\n\r\n${body}`,
  );
  await started;
  expect((await server.post(PING)).json().result).toEqual({});
  expect((await server.send({ path: "/health" })).json().active_connections).toBe(2);
  socket.destroy();
  await aborted;
  expect(server.log).toEqual([]);
});

test("a session can cancel its call; another session cannot", async () => {
  const { compass, started, aborted } = waiting();
  const server = await serveForTest(compass);
  const open = async () =>
    (await server.post({ ...PING, method: "initialize", params: initializeParams("2025-06-18") })).headers[
      "mcp-session-id"
    ] as string;
  const [mine, other] = [await open(), await open()];
  const call = server.post(toolCall(7, "search_code", { query: "x" }), { "mcp-session-id": mine }).catch(() => "ended");
  await started;
  const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } };
  let gone = false;
  void aborted.then(() => {
    gone = true;
  });
  expect((await server.post(cancel, { "mcp-session-id": other })).status).toBe(202);
  expect((await server.post(cancel)).status).toBe(202);
  expect(gone).toBe(false);
  await server.post(cancel, { "mcp-session-id": mine });
  await aborted;
  expect(await call).toBe("ended");
});

test("C49, C50: stdio and HTTP give the same bytes", async () => {
  const http = await serveForTest();
  const stdio = wireServer();
  const messages: object[] = [
    { ...PING, method: "initialize", params: initializeParams("2025-06-18") },
    PING,
    LIST,
    toolCall(1, "search_code", { query: "role", detail_level: "context", ranking_explain_level: "full" }),
    toolCall(1, "search_code", { query: "\u202eelor \u200b" }),
    toolCall(1, "locate_symbol", { name: "has_role" }),
    toolCall(1, "get_file_outline", { path: "src/types.rs" }),
    toolCall(1, "get_file_outline", { path: "nowhere" }),
    toolCall(1, "index_status"),
    toolCall(1, "search_code", {}),
    toolCall(1, "search_code", { query: "x", limit: 0 }),
    toolCall(1, "search_code", { query: "x", workspace: "/elsewhere" }),
    toolCall(1, "rm"),
    { ...PING, method: "nothing/here" },
    { ...PING, method: 5 },
  ];
  for (const [at, message] of messages.entries()) {
    stdio.send(`${JSON.stringify(message)}\n`);
    while (stdio.lines.length <= at) await new Promise((resolve) => setImmediate(resolve));
    const { text } = await http.post(message);
    expect(text).toBe(stdio.lines[at]);
  }
  await stdio.end();
});

test("C49: the same in the stateless era", async () => {
  const http = await serveForTest();
  const stdio = wireServer();
  const calls = [
    toolCall(1, "search_code", { query: "role" }, MODERN_META),
    toolCall(1, "search_code", {}, MODERN_META),
    toolCall(1, "rm", {}, MODERN_META),
    { ...LIST, params: { _meta: MODERN_META } },
  ];
  for (const [at, message] of calls.entries()) {
    stdio.send(`${JSON.stringify(message)}\n`);
    while (stdio.lines.length <= at) await new Promise((resolve) => setImmediate(resolve));
    const { method, params } = message as { method: string; params: { name?: string } };
    const named = params.name === undefined ? {} : { "mcp-name": params.name };
    const { text } = await http.post(message, { ...MODERN, "mcp-method": method, ...named });
    expect(text).toBe(stdio.lines[at]);
  }
  await stdio.end();
});

/** A server whose first search waits to be released. */
async function held() {
  let release = () => {};
  const started = Promise.withResolvers<void>();
  const gate = () =>
    new Promise<void>((resolve) => {
      release = resolve;
      started.resolve();
    });
  const server = await httpServer(fakeCompass({ gate }));
  /** Resolves when the server accepts no new connections. */
  const leave = async () => {
    const closed = server.close();
    const refused = () =>
      server.post(PING).then(
        () => false,
        (error: unknown) => String(error).includes("ECONNREFUSED"),
      );
    await until("nobody new is let in", refused);
    return { closed };
  };
  return { server, started: started.promise, leave, release: () => release() };
}

test("on shutdown, it answers requests in progress and no new ones", async () => {
  const { server, started, leave, release } = await held();
  const call = server.post(toolCall(1, "search_code", { query: "role" }));
  await started;
  const { closed } = await leave();
  release();
  expect((await call).json().result.isError).toBeUndefined();
  await closed;
});

/** A keep-alive connection. */
async function keptConnection({ socket: connect }: Awaited<ReturnType<typeof httpServer>>) {
  const socket = await connect();
  let heard = "";
  socket.on("data", (data) => {
    heard += data;
  });
  const hungUp = new Promise((resolve) => socket.on("close", resolve));
  const ask = (message: object) => {
    const body = JSON.stringify(message);
    const head = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
    socket.write(`${head}\r\n\r\n${body}`);
  };
  return { ask, hungUp, answers: () => heard.split(/(?=HTTP\/1\.1 )/) };
}

test("a request on a kept connection is answered during shutdown, with Connection: close", async () => {
  const { server, started, leave, release } = await held();
  const { ask, hungUp, answers } = await keptConnection(server);
  ask(toolCall(1, "search_code", { query: "role" }));
  await started;
  const { closed } = await leave();
  ask({ ...PING, id: 2 });
  // Wait until it has arrived: it is answered after the one that waits.
  await new Promise((resolve) => setTimeout(resolve, 50));
  release();
  await hungUp;
  expect(answers().map((answer) => answer.slice(9, 12))).toEqual(["200", "200"]);
  expect(answers()[1]).toMatch(/connection: close/i);
  expect(answers()[1]).toContain('"id":2');
  await closed;
});

test("a request on a kept connection just after the shutdown began is answered, not dropped", async () => {
  const { server } = await held();
  const { ask, hungUp, answers } = await keptConnection(server);
  ask({ ...PING, id: 1 });
  await expect.poll(() => answers()[0]).toContain('"id":1');
  const closed = server.close();
  // Idle connections were closed at once, which dropped a request that arrived at that moment.
  await new Promise((resolve) => setTimeout(resolve, 200));
  ask({ ...PING, id: 2 });
  await hungUp;
  expect(answers()[0]).not.toMatch(/connection: close/i);
  expect(answers()[1]).toMatch(/connection: close/i);
  expect(answers()[1]).toContain('"id":2');
  await closed;
});
