/** Which connections are closed under load, with sockets that record only what was written and whether they were destroyed. */
import { EventEmitter } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect as connectTo, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { HttpConnections } from "./connections.ts";

class FakeSocket extends EventEmitter {
  destroyed = false;
  told = "";

  end(text: string): void {
    this.told += text;
  }

  destroy(): void {
    this.destroyed = true;
    this.emit("close");
  }
}

function crowd(size: number) {
  const server = new EventEmitter();
  const connections = new HttpConnections(server as unknown as Server);
  const connect = () => {
    const socket = new FakeSocket();
    server.emit("connection", socket as unknown as Socket);
    return socket;
  };
  const ask = (socket: FakeSocket) => {
    const response = new EventEmitter();
    const request = { socket } as unknown as IncomingMessage;
    connections.arriving(request);
    return { response, run: () => connections.serving(request, response as unknown as ServerResponse) };
  };
  return { connections, connect, ask, sockets: Array.from({ length: size }, connect) };
}

const WAITING = 4_096;

test("too many at once: the first silent one is refused and makes room for the next", () => {
  const { connections, connect, sockets } = crowd(WAITING);
  const next = connect();
  expect([next, sockets[0]!, sockets[1]!].map(({ told }) => told.slice(0, 12))).toEqual(["", "HTTP/1.1 503", ""]);
  expect(sockets[0]!.told).toMatch(/retry-after: 1\r\n.*\r\n\r\n\{"jsonrpc":"2.0".*try again/s);
  expect(connections.count).toBe(WAITING);
});

test("a connection whose request runs is never closed, one whose request still arrives is", () => {
  const { connections, connect, ask, sockets } = crowd(WAITING);
  ask(sockets[0]!).run();
  for (const socket of sockets.slice(1)) ask(socket);
  connect();
  expect([sockets[0]!.told !== "", sockets[1]!.told !== "", connections.isFull()]).toEqual([false, true, false]);
});

test("one that has its answer is hung up on without a word", () => {
  const { connect, ask, sockets } = crowd(WAITING);
  const [first] = sockets;
  const { response, run } = ask(first!);
  run();
  for (const socket of sockets.slice(1)) ask(socket).run();
  response.emit("close");
  connect();
  expect([first!.destroyed, first!.told]).toEqual([true, ""]);
});

test("full is as many as run, until one is done", () => {
  const { connections, ask, sockets } = crowd(256);
  const asked = sockets.map(ask);
  for (const { run } of asked.slice(1)) run();
  expect(connections.isFull()).toBe(false);
  asked[0]!.run();
  expect(connections.isFull()).toBe(true);
  asked[7]!.response.emit("close");
  expect([connections.isFull(), connections.count]).toEqual([false, 256]);
});

/** What a client hears that closes its end as soon as it has asked. */
async function heardHalfClosed(onRequest: RequestListener): Promise<string> {
  const server = createServer(onRequest);
  new HttpConnections(server);
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const socket = connectTo((server.address() as AddressInfo).port, "127.0.0.1");
  let heard = "";
  socket.setEncoding("utf8").on("data", (text) => {
    heard += text;
  });
  socket.end("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await new Promise((resolve) => socket.once("close", resolve));
  return heard;
}

test("a client that half-closes still gets an answer that comes soon", async () => {
  const heard = await heardHalfClosed((_, response) => void setTimeout(() => response.end("the answer"), 50));
  expect(heard).toMatch(/^HTTP\/1\.1 200 .*the answer/s);
});

test("work for a client that left ends soon", async () => {
  const gone = Promise.withResolvers<boolean>();
  const heard = heardHalfClosed(
    (_, response) => void response.once("close", () => gone.resolve(response.writableEnded)),
  );
  expect([await gone.promise, await heard]).toEqual([false, ""]);
});
