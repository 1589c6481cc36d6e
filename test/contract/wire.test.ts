/** The protocol over stdio: both eras, errors, floods, cancellation, and a shutdown that loses nothing (C78, S9). */
import { expect, test } from "vitest";
import { fakeCompass, PUBLISHED, RUNNING } from "../kit/fake-compass.ts";
import { initializeParams, MODERN_META, wireServer } from "../kit/wire.ts";

const LEGACY = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

for (const version of LEGACY) {
  test(`initialize ${version}, list, call`, async () => {
    const server = wireServer();
    const opened = await server.request("initialize", initializeParams(version));
    expect(opened.result).toMatchObject({ protocolVersion: version, serverInfo: { name: "codecompass" } });
    server.notify("notifications/initialized");
    const listed = await server.request("tools/list");
    expect(listed.result.tools.length).toBeGreaterThan(7);
    const called = await server.call("locate_symbol", { name: "validate_token" });
    expect(JSON.parse(called.result.content[0].text)).toEqual(called.result.structuredContent);
    await server.end();
  });
}

test("the stateless era: discover, list, call, each with its envelope", async () => {
  const server = wireServer();
  const found = await server.request("server/discover", { _meta: MODERN_META });
  expect(found.result.supportedVersions).toEqual(["2026-07-28"]);
  const listed = await server.request("tools/list", { _meta: MODERN_META });
  expect(listed.result).toMatchObject({ resultType: "complete", cacheScope: "public" });
  const called = await server.call("search_code", { query: "role" }, MODERN_META);
  expect(called.result.structuredContent.results.length).toBeGreaterThan(0);
  await server.end();
});

test("a client that probes with discover may fall back to initialize", async () => {
  const server = wireServer();
  await server.request("server/discover", { _meta: MODERN_META });
  const opened = await server.request("initialize", initializeParams("2025-06-18"));
  expect(opened.result.protocolVersion).toBe("2025-06-18");
  expect((await server.request("tools/list")).result.tools[0].name).toBe("index_repo");
  await server.end();
});

test("the handshake equals the SDK's", async () => {
  const early = wireServer();
  const late = wireServer();
  const params = initializeParams("2025-06-18");
  await late.request("tools/list", undefined, "loads the SDK");
  const [mine, theirs] = await Promise.all([
    early.request("initialize", params, 1),
    late.request("initialize", params, 1),
  ]);
  expect(mine).toEqual(theirs);
  const modernLate = wireServer();
  await modernLate.request("tools/list", { _meta: MODERN_META }, "loads the SDK");
  const discover = { _meta: MODERN_META };
  const fresh = await wireServer().request("server/discover", discover, 2);
  expect(fresh).toEqual(await modernLate.request("server/discover", discover, 2));
});

test("a plain call is answered as the SDK answers it", async () => {
  const direct = wireServer();
  const sdk = wireServer();
  const params = initializeParams("2025-06-18");
  await sdk.request("tools/list", undefined, "loads the SDK before the handshake, which it then keeps");
  for (const server of [direct, sdk]) await server.request("initialize", params);
  const calls = [
    { name: "locate_symbol", arguments: { name: "validate_token" } },
    { name: "locate_symbol", arguments: { name: "validate_token", limit: 1e9, nonsense: null } },
    { name: "search_code", arguments: { query: "role" }, _meta: { progressToken: "p", other: 1 } },
    { name: "get_file_outline", arguments: { path: "nowhere" } },
    { name: "locate_symbol" },
    { name: "locate_symbol", arguments: 7 },
    { name: "locate_symbol", arguments: null },
    { name: "locate_symbol", arguments: [] },
    { name: "locate_symbol", arguments: { name: "x" }, _meta: null },
    { name: "no_such_tool", arguments: {} },
    { name: 7 },
    {},
    { name: "health_check", _meta: { progressToken: {} } },
    { name: "locate_symbol", arguments: { name: "x" }, task: {} },
  ];
  for (const [at, call] of calls.entries()) {
    const id = `call ${at}`;
    const [mine, theirs] = [await direct.request("tools/call", call, id), await sdk.request("tools/call", call, id)];
    expect(mine, JSON.stringify(call)).toEqual(theirs);
    expect(Object.keys(mine)).toEqual(Object.keys(theirs));
  }
  await Promise.all([direct.end(), sdk.end()]);
});

test("a handshake opens nothing", async () => {
  let opened = 0;
  const server = wireServer(fakeCompass(), {
    open: async () => {
      opened++;
      return fakeCompass();
    },
  });
  await server.request("initialize", initializeParams("2025-06-18"));
  server.notify("notifications/initialized");
  await server.request("ping");
  await server.request("tools/list");
  expect(opened).toBe(0);
  await Promise.all([server.call("health_check"), server.call("index_status")]);
  expect(opened).toBe(1);
  await server.end();
});

test("C78: notification, ping, unknown method, parse error, batch", async () => {
  const server = wireServer();
  await server.request("initialize", initializeParams("2025-06-18"));
  server.notify("notifications/initialized");
  expect((await server.request("ping")).result).toEqual({});
  expect((await server.request("nothing/here")).error).toMatchObject({ code: -32601, data: { code: "invalid_input" } });
  server.send("{not json\n");
  const parse = await server.next((message) => message.error?.code === -32700);
  expect(parse).toMatchObject({ id: null, error: { data: { code: "invalid_input" } } });
  server.send('[{"jsonrpc":"2.0","id":7,"method":"ping"}]\n');
  await server.next((message) => message.error?.code === -32600);
  expect(server.lines).toHaveLength(5);
  await server.end();
});

test("a revision with batches answers them together", async () => {
  const server = wireServer();
  await server.request("initialize", initializeParams("2025-03-26"));
  const members = [
    { jsonrpc: "2.0", id: 7, method: "ping" },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", id: 8, method: "tools/list" },
    { jsonrpc: "2.0", id: 9, method: "initialize" },
    5,
  ];
  server.send(`${JSON.stringify(members)}\n`);
  const replies = await server.next(Array.isArray);
  expect(replies.map((one: { id: unknown }) => one.id).toSorted()).toEqual([7, 8, 9, null]);
  await server.end();
});

const protocolErrors: readonly [what: string, line: string, code: number, id: unknown][] = [
  ["an unknown tool", '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rm"}}', -32602, 1],
  ["a tool without a name", '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}', -32602, 1],
  [
    "arguments as a list",
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_code","arguments":[]}}',
    -32602,
    1,
  ],
  ["params as a list", '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}', -32602, 1],
  ["no version", '{"id":1,"method":"ping"}', -32600, 1],
  ["a null id", '{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, null],
  ["an id with a fraction", '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, null],
  ["a number", "5", -32600, null],
  ["an empty batch", "[]", -32600, null],
  [
    "a deep value",
    `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${"[".repeat(5000)}${"]".repeat(5000)}}}`,
    -32600,
    null,
  ],
];

for (const [what, line, code, id] of protocolErrors) {
  test(`protocol error: ${what}`, async () => {
    const server = wireServer();
    server.send(`${line}\n`);
    const reply = await server.next(() => true);
    expect(reply).toMatchObject({ id, error: { code, data: { code: "invalid_input" } } });
    expect(reply.error.message).not.toContain("\n");
    await server.end();
  });
}

test("S9: an endless line is one error, and the next line is processed", async () => {
  const server = wireServer();
  const chunk = Buffer.alloc(1024 * 1024, "a");
  for (let i = 0; i < 64; i++) server.send(chunk);
  server.send("\n");
  await server.next((message) => message.error?.code === -32600);
  expect((await server.request("ping")).result).toEqual({});
  expect(server.lines).toHaveLength(2);
  await server.end();
});

test.each([
  ["through the SDK", undefined],
  ["directly", initializeParams("2025-06-18")],
])("a slow call %s delays neither ping nor health_check, and can be cancelled", async (_, handshake) => {
  const aborted = Promise.withResolvers<void>();
  const gate = (signal: AbortSignal | undefined) =>
    new Promise<void>((_, reject) => {
      signal?.addEventListener("abort", () => {
        aborted.resolve();
        reject(new Error("aborted"));
      });
    });
  const server = wireServer(fakeCompass({ gate }));
  if (handshake !== undefined) await server.request("initialize", handshake);
  server.send(
    '{"jsonrpc":"2.0","id":"slow","method":"tools/call","params":{"name":"search_code","arguments":{"query":"x"}}}\n',
  );
  expect((await server.request("ping")).result).toEqual({});
  expect((await server.call("health_check")).result.structuredContent.status).toBe("ready");
  server.notify("notifications/cancelled", { requestId: "slow" });
  await aborted.promise;
  await server.end();
  expect(server.messages().some((message) => message.id === "slow")).toBe(false);
  expect(server.log).toEqual([]);
});

test.each([
  ["through the SDK", undefined],
  ["directly", initializeParams("2025-06-18")],
])("the end of input waits for a call that runs %s, then closes the core", async (_, handshake) => {
  const opened = Promise.withResolvers<void>();
  const compass = fakeCompass({ gate: () => opened.promise });
  const server = wireServer(compass);
  if (handshake !== undefined) await server.request("initialize", handshake);
  const answer = server.call("search_code", { query: "role" });
  const ended = server.end();
  setImmediate(() => opened.resolve());
  expect((await answer).result.isError).toBeUndefined();
  await ended;
  expect(compass.closed()).toBe(true);
});

test("progress: strictly increasing, only with a token, none after the response", async () => {
  const step = (filesIndexed: number) => ({ ...RUNNING, progress: { ...RUNNING.progress, filesIndexed } });
  let late: (() => void) | undefined;
  const server = wireServer(
    fakeCompass({
      jobs: async (onProgress) => {
        for (const done of [0, 10, 10, 20, 40]) onProgress(step(done));
        onProgress(PUBLISHED);
        late = () => onProgress(step(40));
        return PUBLISHED;
      },
    }),
  );
  await server.call("index_repo", { wait_seconds: 1 }, { progressToken: "p" });
  late?.();
  await server.request("ping");
  const progress = server.messages().filter((message) => message.method === "notifications/progress");
  expect(progress.map((message) => message.params.progress)).toEqual([10, 25, 40, 70, 100]);
  expect(progress[1].params).toEqual({
    progressToken: "p",
    progress: 25,
    total: 100,
    message: "Parsing files: 10/40 (25%)",
  });
  expect(server.messages().at(-1).result).toEqual({});
  await server.call("index_repo", { wait_seconds: 1 });
  expect(server.messages().filter((message) => message.method === "notifications/progress")).toHaveLength(5);
  await server.end();
});

test("clients that declare experimental.progress get progress named after the job", async () => {
  const server = wireServer(
    fakeCompass({
      jobs: async (onProgress) => {
        onProgress(RUNNING);
        onProgress(PUBLISHED);
        return PUBLISHED;
      },
    }),
  );
  await server.request("initialize", initializeParams("2025-06-18", { experimental: { progress: {} } }));
  await server.call("index_repo");
  const reports = server.messages().filter((message) => message.method === "notifications/progress");
  expect(reports.map((message) => [message.params.progressToken, message.params.value.kind])).toEqual([
    ["index-job-job1", "report"],
    ["index-job-job1", "end"],
  ]);
  await server.end();
});

test("a core that cannot open is an internal_error without a stack trace, and is retried", async () => {
  let tries = 0;
  const server = wireServer(fakeCompass(), {
    open: async () => {
      if (tries++ === 0) throw new Error("cannot read /secret/place");
      return fakeCompass();
    },
  });
  const refused = await server.call("health_check");
  expect(JSON.stringify(refused)).not.toContain("/secret/place");
  expect(JSON.stringify(refused)).toContain("internal_error");
  expect((await server.call("health_check")).result.structuredContent.status).toBe("ready");
  await server.end();
});
