/** The part of the language server protocol that an oracle needs: requests, notifications, and replies to server requests. */
import type { ChildProcess } from "node:child_process";

export interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: unknown;
  readonly params?: unknown;
}

export interface Location {
  readonly uri: string;
  readonly range: {
    readonly start: { readonly line: number; readonly character: number };
    readonly end: { readonly line: number; readonly character: number };
  };
}

/** Handles a notification or request of the server; the result is the reply. */
export type Listener = (method: string, params: unknown) => unknown;

export class Client {
  private readonly process: ChildProcess;
  private readonly listen: Listener;
  private readonly open = new Map<number, (result: unknown) => void>();
  private buffer = Buffer.alloc(0);
  private last = 0;

  constructor(process: ChildProcess, listen: Listener) {
    this.process = process;
    this.listen = listen;
    process.stdout!.on("data", (bytes: Buffer) => this.hear(bytes));
  }

  request(method: string, params: unknown): Promise<unknown> {
    const id = ++this.last;
    return new Promise((answer) => {
      this.open.set(id, answer);
      this.send({ id, method, params });
    });
  }

  notify(method: string, params: unknown): void {
    this.send({ method, params });
  }

  close(): void {
    this.process.kill();
  }

  private send(message: object): void {
    const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
    this.process.stdin!.write(Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]));
  }

  private hear(bytes: Buffer): void {
    this.buffer = Buffer.concat([this.buffer, bytes]);
    for (;;) {
      const end = this.buffer.indexOf("\r\n\r\n");
      const head = this.buffer.subarray(0, Math.max(0, end)).toString();
      const length = Number(/Content-Length: (\d+)/i.exec(head)?.[1] ?? Number.NaN);
      if (end < 0 || !(this.buffer.length >= end + 4 + length)) return;
      const message = JSON.parse(this.buffer.subarray(end + 4, end + 4 + length).toString()) as Message;
      this.buffer = this.buffer.subarray(end + 4 + length);
      this.take(message);
    }
  }

  private take({ id, method, result, params }: Message): void {
    if (method !== undefined) {
      const answer = this.listen(method, params) ?? null;
      if (id !== undefined) this.send({ id, result: answer });
      return;
    }
    this.open.get(id!)?.(result ?? null);
    this.open.delete(id!);
  }
}

export function positionOf(text: string, offset: number): { line: number; character: number } {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length - 1, character: offset - before.lastIndexOf("\n") - 1 };
}

export function keyOf({ uri, range }: Location): string {
  return `${uri}:${range.start.line}:${range.start.character}`;
}
