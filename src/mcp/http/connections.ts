/**
 * Limits the number of connections. When there are too many, closes those that have been idle longest, including slow
 * senders. A new client is refused only when that many requests run at once. A connection that is closed before its
 * answer gets a 503.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { refuseSocket } from "./exchange.ts";

const MOST = 256;
/** Until the idle ones are known to be idle, so many may wait for their turn; then the first that came makes room. */
const MOST_WAITING = 16 * MOST;
/** A new connection has this long to send a request. */
const GRACE_MS = 1_000;
/** A client that closes its end may still read: answers that are nearly done are sent, the rest is dropped. */
const HALF_CLOSED_MS = 1_000;

interface IdleConnection {
  readonly since: number;
  /** All its requests were answered; it is kept alive for the next one. */
  readonly answered: boolean;
}

export class HttpConnections {
  /** Sockets that are idle, or send a request; the first is at the head: a map remembers the order of insertion. */
  readonly #idle = new Map<Socket, IdleConnection>();
  /** Requests that run on a socket. */
  readonly #busy = new Map<Socket, number>();

  constructor(server: Server) {
    // Without, Node closes the other end as well, and the answer with it.
    Object.assign(server, { httpAllowHalfOpen: true });
    server.on("connection", (socket) => this.#opened(socket));
  }

  get count(): number {
    return this.#idle.size + this.#busy.size;
  }

  /** Whether as many requests run as there is room for. */
  isFull(): boolean {
    return this.#busy.size >= MOST;
  }

  /** A request begins to arrive: its connection is as good as idle until all of it is here. */
  arriving({ socket }: IncomingMessage): void {
    if (this.#busy.has(socket)) return;
    this.#idle.delete(socket);
    this.#wait(socket, false);
  }

  /** Marks the connection of a request as busy until its response is done. */
  serving({ socket }: IncomingMessage, response: ServerResponse): void {
    if (socket.destroyed) return;
    this.#idle.delete(socket);
    this.#busy.set(socket, (this.#busy.get(socket) ?? 0) + 1);
    response.once("close", () => {
      const left = (this.#busy.get(socket) ?? 1) - 1;
      if (left > 0) this.#busy.set(socket, left);
      else {
        this.#busy.delete(socket);
        if (!socket.destroyed) this.#wait(socket, true);
      }
    });
  }

  #opened(socket: Socket): void {
    this.#makeRoom();
    if (this.count >= MOST_WAITING) {
      // A new connection is about to send a request; the oldest idle one had its chance.
      const [first = socket] = this.#idle.keys();
      this.#letGo(first);
      if (first === socket) return;
    }
    this.#wait(socket, false);
    socket.once("end", () => setTimeout(() => socket.destroy(), HALF_CLOSED_MS).unref());
    socket.once("close", () => {
      this.#idle.delete(socket);
      this.#busy.delete(socket);
    });
  }

  #makeRoom(): void {
    const latest = performance.now() - GRACE_MS;
    for (const [socket, { since }] of this.#idle) {
      if (this.count < MOST || since > latest) return;
      this.#letGo(socket);
    }
  }

  #wait(socket: Socket, answered: boolean): void {
    this.#idle.set(socket, { since: performance.now(), answered });
  }

  #letGo(socket: Socket): void {
    const isAnswered = this.#idle.get(socket)?.answered;
    this.#idle.delete(socket);
    // On a busy machine the request of a connection without an answer may still be unread in the kernel.
    if (isAnswered) socket.destroy();
    else refuseSocket(socket, "crowded");
  }
}
