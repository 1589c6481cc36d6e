import { AsyncLocalStorage } from "node:async_hooks";
import { Worker } from "node:worker_threads";
import { afterEach, expect, test, vi } from "vitest";
import { CompassError } from "../model/errors.ts";
import { WorkerClient, WorkerExit, type WorkerOptions } from "./worker-client.ts";
import { Transfer, threadTransport } from "./worker-protocol.ts";

interface EchoApi {
  echo(value: unknown): unknown;
  refuse(): never;
  fail(): never;
  /** Asks its caller for a value. */
  fetch(key: string): string;
  /** Ends when it is cancelled. */
  wait(): void;
  /** Never looks at its messages again. */
  spin(): void;
  exit(): void;
}

interface EchoClient {
  get(key: string): string | Uint8Array;
}

const SERVER = JSON.stringify(new URL("./worker-server.ts", import.meta.url).href);
const ERRORS = JSON.stringify(new URL("../model/errors.ts", import.meta.url).href);
const PROGRAM = `
import { serveParent } from ${SERVER};
import { CompassError } from ${ERRORS};
serveParent(() => ({ handlers: {
  echo: (_, value) => value,
  refuse: () => { throw new CompassError("file_not_found", { path: "a.ts", ref: "main" }); },
  fail: () => { throw new Error("a bug"); },
  fetch: async (call, key) => String(await call.request("get", key)),
  wait: ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  spin: () => { for (;;); },
  exit: () => process.exit(3),
} }));`;

let started = 0;
const clients: WorkerClient<EchoApi, EchoClient>[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.terminate()));
});

function echo(options: WorkerOptions = {}): WorkerClient<EchoApi, EchoClient> {
  started = 0;
  const start = () => {
    started++;
    return new Worker(new URL(`data:text/javascript,${encodeURIComponent(PROGRAM)}`));
  };
  const client = new WorkerClient<EchoApi, EchoClient>(threadTransport("echo", start), options);
  clients.push(client);
  return client;
}

test("each call gets its own result, and the worker starts with the first one", async () => {
  const client = echo();
  client.notify("echo", 0);
  expect(started).toBe(0);
  const values = Array.from({ length: 50 }, (_, i) => ({ i, bytes: Uint8Array.of(i) }));
  expect(await Promise.all(values.map((value) => client.call("echo", [value])))).toEqual(values);
  expect([started, client.pending]).toEqual([1, 0]);
});

test("refusals keep their code, and bugs their message", async () => {
  const client = echo();
  await expect(client.call("refuse", [])).rejects.toMatchObject({ code: "file_not_found", data: { path: "a.ts" } });
  await expect(client.call("fail", [])).rejects.toMatchObject({ code: "internal_error", data: { reason: "a bug" } });
  await expect(client.call("echo", [() => {}])).rejects.toMatchObject({ code: "internal_error" });
  expect(await client.call("echo", [1])).toBe(1);
});

test("an unknown method does not compile, and is refused by the worker", async () => {
  const client = echo();
  // @ts-expect-error: no such method
  const unknown = client.call("constructor", []);
  await expect(unknown).rejects.toMatchObject({ code: "internal_error", data: { reason: /no method constructor/ } });
});

test("callbacks run in the async context of their call, may move buffers, and may fail", async () => {
  const client = echo();
  const context = new AsyncLocalStorage<string>();
  const callbacks = { get: (key: string) => `${key} for ${context.getStore()}` };
  const fetched = ["a", "b"].map((name) => context.run(name, () => client.call("fetch", ["x"], { callbacks })));
  expect(await Promise.all(fetched)).toEqual(["x for a", "x for b"]);
  const bytes = Uint8Array.of(1, 2);
  const moved = { get: () => new Transfer(bytes, [bytes.buffer]) };
  expect(await client.call("fetch", ["x"], { callbacks: moved })).toBe("1,2");
  expect(bytes.byteLength).toBe(0);
  const failing = {
    get: () => {
      throw new CompassError("index_not_ready", { workspace: "gone" });
    },
  };
  await expect(client.call("fetch", ["x"], { callbacks: failing })).rejects.toMatchObject({ code: "index_not_ready" });
});

test("a cancelled call ends, also one that waits for its caller", async () => {
  const client = echo();
  const controller = new AbortController();
  const { signal } = controller;
  const waiting = client.call("wait", [], { signal });
  const fetching = client.call("fetch", ["x"], { signal, callbacks: { get: () => new Promise(() => {}) } });
  await client.call("echo", [1]);
  controller.abort();
  for (const call of [waiting, fetching]) await expect(call).rejects.toMatchObject({ name: "AbortError" });
  await expect(client.call("echo", [1], { signal })).rejects.toMatchObject({ name: "AbortError" });
  expect([client.pending, started]).toEqual([0, 1]);
});

test("a worker that does not confirm a cancellation is terminated, and its other calls are rejected", async () => {
  const client = echo({ cancelMs: 50 });
  const controller = new AbortController();
  const spinning = client.call("spin", [], { signal: controller.signal });
  const other = client.call("echo", [1]);
  controller.abort();
  await expect(spinning).rejects.toMatchObject({ name: "AbortError" });
  await expect(other).rejects.toBeInstanceOf(WorkerExit);
  expect(await client.call("echo", [2])).toBe(2);
  expect(started).toBe(2);
});

test("a worker that dies rejects its calls, and the next call starts another", async () => {
  const onExit = vi.fn();
  const client = echo({ onExit });
  const calls = [client.call("wait", []), client.call("exit", [])];
  for (const call of calls) await expect(call).rejects.toBeInstanceOf(WorkerExit);
  expect(onExit).toHaveBeenCalledOnce();
  expect(await client.call("echo", [1])).toBe(1);
  expect(started).toBe(2);
});

test("a worker that is silent for too long is terminated", async () => {
  const client = echo({ hangTimeoutMs: 300 });
  await expect(client.call("spin", [])).rejects.toBeInstanceOf(WorkerExit);
});

test("an idle worker is closed, and started again when it is needed", async () => {
  const onExit = vi.fn();
  const client = echo({ idleMs: 1, onExit });
  await client.call("echo", [1]);
  await vi.waitFor(() => expect(onExit).toHaveBeenCalledOnce());
  expect(await client.call("echo", [2])).toBe(2);
  await client.close(10_000);
  expect(started).toBe(2);
});
