/**
 * One JSON-RPC message per line, in and out. A transport below the SDK that adds what the SDK lacks: bounded lines,
 * validation, error codes of our registry, batches of the older revisions, and a shutdown that waits for running
 * requests.
 */
import type { Readable, Writable } from "node:stream";
import {
  classify,
  errorReply,
  INVALID_REQUEST,
  type Incoming,
  messageJson,
  type RpcId,
  type RpcNotification,
  type RpcRequest,
  readLine,
  tidyError,
} from "./message.ts";

/** A message is at most this long, as over HTTP. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;

interface StreamEvents {
  onRequest(request: RpcRequest): void;
  onNotification(notification: RpcNotification): void;
  /** Nothing more will come; running requests may still be answered. */
  onInputEnd(): void;
  /** The output is closed. */
  onBroken(): void;
}

export class JsonRpcStream {
  readonly #output: Writable;
  readonly #writeText: Writable["write"];
  readonly #input: Readable;
  readonly #events: StreamEvents;
  readonly #running = new Set<RpcId>();
  readonly #batches = new PendingBatches((replies) => this.#write(replies));
  #idle: (() => void) | undefined;
  #broken = false;
  /** Set once a revision with batches was negotiated. */
  allowBatches = false;

  /** `write`: where writing to the output is reserved to the holder of this function. */
  constructor(input: Readable, output: Writable, events: StreamEvents, write?: Writable["write"]) {
    this.#input = input;
    this.#output = output;
    this.#events = events;
    this.#writeText = write ?? output.write.bind(output);
  }

  start(): void {
    const reader = new LineReader(MAX_MESSAGE_BYTES, {
      onLine: (line) => this.#take(readLine(line)),
      onTooLong: () => this.send(errorReply(null, INVALID_REQUEST, `A message is at most ${MAX_MESSAGE_BYTES} bytes`)),
    });
    this.#output.on("error", () => this.#break());
    this.#output.on("drain", () => this.#input.resume());
    this.#input.on("data", (chunk: Buffer | string) =>
      reader.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk),
    );
    this.#input.on("error", () => this.#events.onInputEnd());
    this.#input.on("end", () => {
      reader.end();
      this.#events.onInputEnd();
    });
  }

  stopReading(): void {
    this.#input.pause();
    this.#input.removeAllListeners("data");
  }

  /** Sends a message, or holds it until the rest of its batch is answered. */
  send(message: object): void {
    const reply = tidyError(message);
    const { id } = reply as { id?: RpcId };
    if (id !== undefined && !("method" in reply)) {
      this.settle(id);
      if (this.#batches.take(id, reply)) return;
    }
    this.#write(reply);
  }

  /** A request that was cancelled gets no answer. */
  cancelled(id: RpcId): void {
    this.settle(id);
    this.#batches.drop(id);
  }

  settle(id: RpcId): void {
    this.#running.delete(id);
    if (this.#running.size === 0) this.#idle?.();
  }

  /** Resolves when no request is running. */
  drained(): Promise<void> {
    if (this.#running.size === 0 || this.#broken) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idle = resolve;
    });
  }

  /** Resolves when everything sent has left the process. */
  flushed(): Promise<void> {
    if (this.#broken || this.#output.writableLength === 0) return Promise.resolve();
    return new Promise((resolve) => this.#writeText("", () => resolve()));
  }

  #take(incoming: Incoming): void {
    if (incoming.kind === "request") {
      this.#running.add(incoming.message.id);
      this.#events.onRequest(incoming.message);
    } else if (incoming.kind === "notification") this.#events.onNotification(incoming.message);
    else if (incoming.kind === "batch") this.#takeBatch(incoming.members);
    else if (incoming.kind === "invalid") this.send(incoming.reply);
  }

  #takeBatch(members: readonly unknown[]): void {
    if (!this.allowBatches || members.length === 0) {
      const why = members.length === 0 ? "an empty batch" : "batches are not part of this protocol revision";
      this.send(errorReply(null, INVALID_REQUEST, `Invalid request: ${why}`));
      return;
    }
    const read = members.map(classify).map((one) => (one.kind === "request" ? refuseInitialize(one) : one));
    this.#batches.open(read);
    for (const one of read) if (one.kind !== "invalid") this.#take(one);
  }

  #write(message: object): void {
    if (this.#broken) return;
    const room = this.#writeText(`${messageJson(message)}\n`);
    // A client that floods us without reading its answers waits, not our memory.
    if (!room) this.#input.pause();
  }

  #break(): void {
    if (this.#broken) return;
    this.#broken = true;
    this.#idle?.();
    this.#events.onBroken();
  }
}

function refuseInitialize(one: Incoming & { kind: "request" }): Incoming {
  if (one.message.method !== "initialize") return one;
  return { kind: "invalid", reply: errorReply(one.message.id, INVALID_REQUEST, "initialize cannot be in a batch") };
}

interface LineEvents {
  onLine(line: string): void;
  onTooLong(): void;
}

const NEWLINE = 0x0a;

export class LineReader {
  readonly #maxBytes: number;
  readonly #events: LineEvents;
  #parts: Buffer[] = [];
  #held = 0;
  #skipping = false;

  constructor(maxBytes: number, events: LineEvents) {
    this.#maxBytes = maxBytes;
    this.#events = events;
  }

  /** The chunk may be overwritten afterwards, so parts that are held are copied. */
  push(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      this.#hold(chunk.subarray(from, end));
      this.#finish();
      from = end + 1;
    }
    if (from < chunk.length) this.#hold(chunk.subarray(from), Buffer.from);
  }

  /** The last line may lack its newline. */
  end(): void {
    this.#finish();
  }

  #hold(part: Buffer, kept: (part: Buffer) => Buffer = (same) => same): void {
    if (this.#skipping) return;
    this.#held += part.length;
    if (this.#held <= this.#maxBytes) {
      this.#parts.push(kept(part));
      return;
    }
    this.#skipping = true;
    this.#parts = [];
    this.#events.onTooLong();
  }

  #finish(): void {
    const line = this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#held = 0;
    this.#skipping = false;
    if (line.length > 0) this.#events.onLine(line.toString("utf8"));
  }
}

interface PendingBatch {
  readonly waiting: Set<RpcId>;
  readonly replies: object[];
}

class PendingBatches {
  readonly #byId = new Map<RpcId, PendingBatch>();
  readonly #send: (replies: readonly object[]) => void;

  constructor(send: (replies: readonly object[]) => void) {
    this.#send = send;
  }

  open(members: readonly Incoming[]): void {
    const requests = members.flatMap((one) => (one.kind === "request" ? [one.message.id] : []));
    const refused = members.flatMap((one) => (one.kind === "invalid" ? [one.reply] : []));
    const batch: PendingBatch = { waiting: new Set(requests), replies: refused };
    for (const id of batch.waiting) this.#byId.set(id, batch);
    this.#close(batch);
  }

  /** Whether the reply belongs to a batch and is held for it. */
  take(id: RpcId, reply: object): boolean {
    const batch = this.#byId.get(id);
    if (batch === undefined) return false;
    batch.replies.push(reply);
    this.drop(id);
    return true;
  }

  drop(id: RpcId): void {
    const batch = this.#byId.get(id);
    if (batch === undefined) return;
    this.#byId.delete(id);
    batch.waiting.delete(id);
    this.#close(batch);
  }

  #close(batch: PendingBatch): void {
    if (batch.waiting.size === 0 && batch.replies.length > 0) this.#send(batch.replies);
  }
}
