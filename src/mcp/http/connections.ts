/**
 * How many connections there are, and which one has to go when there are too many: the one that has been idle for
 * longest. So neither ten thousand silent sockets nor a client that forgot to hang up keeps a new one out; only that
 * many requests at once do, and the next is told to come back.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

export const MAX_CONNECTIONS = 256;

export class Connections {
  /** Idle sockets first, the longest idle at the head: a map remembers the order of insertion. */
  readonly #idle = new Map<Socket, true>();
  readonly #busy = new Map<Socket, number>();
  readonly #most: number;

  constructor(server: Server, most = MAX_CONNECTIONS) {
    this.#most = most;
    server.on("connection", (socket) => this.#opened(socket));
  }

  get count(): number {
    return this.#idle.size + this.#busy.size;
  }

  /** Marks the connection of a request as busy until its response is done. */
  serving(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    this.#idle.delete(socket);
    this.#busy.set(socket, (this.#busy.get(socket) ?? 0) + 1);
    response.once("close", () => {
      const left = (this.#busy.get(socket) ?? 1) - 1;
      if (left > 0) {
        this.#busy.set(socket, left);
        return;
      }
      this.#busy.delete(socket);
      if (!socket.destroyed) this.#idle.set(socket, true);
    });
  }

  /** Whether this connection is one too many: all the others are at work. */
  isFull(): boolean {
    return this.count > this.#most;
  }

  #opened(socket: Socket): void {
    this.#idle.set(socket, true);
    socket.once("close", () => {
      this.#idle.delete(socket);
      this.#busy.delete(socket);
    });
    if (this.count <= this.#most) return;
    const [longest] = this.#idle.keys();
    if (longest === undefined || longest === socket) return;
    this.#idle.delete(longest);
    longest.destroy();
  }
}
