/** Who is let go in a crowd, told with sockets that only know whether they were destroyed. */
import { EventEmitter } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { Connections } from "./connections.ts";

class FakeSocket extends EventEmitter {
  destroyed = false;

  destroy(): void {
    this.destroyed = true;
    this.emit("close");
  }
}

function crowd(size: number) {
  const server = new EventEmitter();
  const connections = new Connections(server as unknown as Server);
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

test("too many at once: the first that said nothing makes room for the next", () => {
  const { connections, connect, sockets } = crowd(1_024);
  const next = connect();
  expect([next.destroyed, sockets[0]!.destroyed, sockets[1]!.destroyed]).toEqual([false, true, false]);
  expect(connections.count).toBe(1_024);
});

test("one whose request runs is never let go, one whose request still arrives is", () => {
  const { connections, connect, ask, sockets } = crowd(1_024);
  ask(sockets[0]!).run();
  for (const socket of sockets.slice(1)) ask(socket);
  connect();
  expect([sockets[0]!.destroyed, sockets[1]!.destroyed, connections.isFull()]).toEqual([false, true, false]);
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
