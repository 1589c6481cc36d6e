/** A cheap HTTP connection: the measured load should be the server's, not the client's. */
import { connect, type Socket } from "node:net";

export interface Answer {
  /** 0: the connection broke. */
  readonly status: number;
  readonly body: Buffer;
}

const HEAD_END = "\r\n\r\n";
const BROKEN: Answer = { status: 0, body: Buffer.alloc(0) };

/** One request at a time; responses have a Content-Length, as this server's do. */
export class Connection {
  readonly #port: number;
  #socket: Socket | undefined;
  #parts: Buffer[] = [];
  #hear: ((answer: Answer) => void) | undefined;
  /** Length of the response in progress; 0 until its head has arrived. */
  #wanted = 0;
  #bodyAt = 0;

  constructor(port: number) {
    this.#port = port;
  }

  post(body: string): Promise<Answer> {
    const length = Buffer.byteLength(body);
    const head = `POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${length}`;
    return this.#send(`${head}${HEAD_END}${body}`);
  }

  get(path: string): Promise<Answer> {
    return this.#send(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1${HEAD_END}`);
  }

  close(): void {
    this.#socket?.destroy();
  }

  #send(request: string): Promise<Answer> {
    this.#socket ??= this.#open();
    return new Promise((resolve) => {
      this.#hear = resolve;
      this.#socket!.write(request);
    });
  }

  #open(): Socket {
    const socket = connect({ port: this.#port, host: "127.0.0.1", noDelay: true });
    socket.on("data", (part: Buffer) => this.#take(part));
    socket.on("error", () => {});
    socket.on("close", () => {
      this.#socket = undefined;
      this.#tell(BROKEN);
    });
    return socket;
  }

  #take(part: Buffer): void {
    this.#parts.push(part);
    if (this.#wanted === 0) this.#readHead();
    const arrived = this.#parts.reduce((sum, { length }) => sum + length, 0);
    if (this.#wanted === 0 || arrived < this.#wanted) return;
    const all = Buffer.concat(this.#parts);
    this.#tell({ status: Number(all.toString("latin1", 9, 12)), body: all.subarray(this.#bodyAt, this.#wanted) });
  }

  #readHead(): void {
    const all = Buffer.concat(this.#parts);
    const end = all.indexOf(HEAD_END);
    if (end === -1) return;
    const [, length = "0"] = /content-length: (\d+)/i.exec(all.toString("latin1", 0, end)) ?? [];
    this.#bodyAt = end + HEAD_END.length;
    this.#wanted = this.#bodyAt + Number(length);
  }

  #tell(answer: Answer): void {
    const hear = this.#hear;
    this.#hear = undefined;
    this.#parts = [];
    this.#wanted = 0;
    hear?.(answer);
  }
}
