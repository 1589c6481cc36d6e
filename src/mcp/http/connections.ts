/**
 * How many connections there are, and which have to go when there are too many: those that have said nothing whole for
 * longest. So neither ten thousand silent sockets, nor those that send a byte a second, nor a client that forgot to hang
 * up keeps a new one out; only that many requests at once do, and the next is told to come back. So is whoever has to
 * go before it was answered.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { refuseSocket } from "./exchange.ts";

const MOST = 256;
/** Until the idle ones are known to be idle, so many may wait for their turn; then the first that came makes room. */
const MOST_WAITING = 16 * MOST;
/** A connection that was just opened gets this long to say something. */
const GRACE_MS = 1_000;
/** Who closes its end has left, or has said all and listens: what is nearly answered still is, the rest is given up. */
const HALF_CLOSED_MS = 1_000;

interface IdleConnection {
  readonly since: number;
  /** It has got an answer to all that it said, and is kept for what it may say next. */
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
      // Who connects now is about to speak; who connected first had the time to.
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
    // Who never got an answer may have asked already: on a busy machine the question lies unread in the kernel.
    if (isAnswered) socket.destroy();
    else refuseSocket(socket, "crowded");
  }
}
