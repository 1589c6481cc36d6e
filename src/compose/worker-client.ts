/**
 * The caller's end of a worker: `call` sends a request and awaits its result. The worker starts with the first call and
 * is closed when it is idle. If it dies, every open call is rejected with a `WorkerExit`, and the next call starts
 * another one.
 */
import { AsyncResource } from "node:async_hooks";
import { CompassError } from "../model/errors.ts";
import { afterAwake } from "../model/event-loop.ts";
import {
  type Arguments,
  type CallbackMessage,
  type Callbacks,
  type CallOutcome,
  type FromWorker,
  fromWire,
  type Methods,
  type Name,
  type Result,
  type StartTransport,
  Transfer,
  type Transport,
  toWire,
} from "./worker-protocol.ts";

export interface CallOptions<Client> {
  readonly signal?: AbortSignal | undefined;
  readonly callbacks?: Callbacks<Client>;
}

export interface WorkerOptions {
  /** Close the worker when it had no call for this long; absent: it stays until `close`. */
  readonly idleMs?: number;
  /** Terminate a worker that has calls and answered none of them for this long. */
  readonly hangTimeoutMs?: number;
  /** Reject a cancelled call at once, and terminate a worker that does not confirm it in this time. */
  readonly cancelMs?: number;
  /** For workers that are busy for long: they see a cancellation in shared memory, before they read its message. */
  readonly sharedCancel?: true;
  /** Called once for each worker that ended or was closed, before its calls are rejected. */
  readonly onExit?: () => void;
}

/** The worker ended before it answered. */
export class WorkerExit extends CompassError {
  constructor(reason: string) {
    super("internal_error", { reason });
  }
}

interface OpenCall {
  readonly settle: (outcome: CallOutcome) => void;
  readonly fail: (error: Error) => void;
  /** Runs a callback in the async context of the call: it holds the principal whose rights apply. */
  readonly invoke: (method: string, args: readonly unknown[]) => unknown;
}

interface Connection {
  readonly transport: Transport;
  readonly calls: Map<number, OpenCall>;
  readonly exited: Promise<void>;
}

export class WorkerClient<Api extends Methods<Api>, Client extends Methods<Client> = object> {
  readonly #startTransport: StartTransport;
  readonly #options: WorkerOptions;
  #connection: Connection | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #hangTimer: NodeJS.Timeout | undefined;
  #lastId = 0;

  constructor(start: StartTransport, options: WorkerOptions = {}) {
    this.#startTransport = start;
    this.#options = options;
  }

  /** Calls that the worker has not answered; a cancelled one counts until the worker confirms it. */
  get pending(): number {
    return this.#connection?.calls.size ?? 0;
  }

  /** Starts the worker before there is a call for it. */
  start(): void {
    if (this.#connection !== undefined) return;
    this.#connection = this.#connect();
    this.#afterCall(this.#connection);
  }

  call<M extends Name<Api>>(
    method: M,
    args: Arguments<Api[M]>,
    { signal, callbacks }: CallOptions<Client> = {},
  ): Promise<Result<Api[M]>> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    clearTimeout(this.#idleTimer);
    this.#connection ??= this.#connect();
    const connection = this.#connection;
    const { transport, calls } = connection;
    const id = ++this.#lastId;
    const stop = signal && this.#options.sharedCancel ? new Int32Array(new SharedArrayBuffer(4)) : undefined;
    return new Promise((resolve, reject) => {
      let cancelTimer: NodeJS.Timeout | undefined;
      const cancel = () => {
        if (stop !== undefined) Atomics.store(stop, 0, 1);
        transport.post({ type: "cancel", id });
        if (this.#options.cancelMs === undefined) return;
        cancelTimer = setTimeout(() => transport.terminate(), this.#options.cancelMs).unref();
        reject(signal?.reason);
      };
      const end = () => {
        calls.delete(id);
        clearTimeout(cancelTimer);
        signal?.removeEventListener("abort", cancel);
      };
      const settle = (outcome: CallOutcome) => {
        end();
        if ("error" in outcome) reject(fromWire(outcome.error));
        else resolve(outcome.value as Result<Api[M]>);
        if (connection === this.#connection) this.#afterCall(connection);
      };
      const fail = (error: Error) => {
        end();
        reject(error);
      };
      calls.set(id, { settle, fail, invoke: AsyncResource.bind(invoker(callbacks)) });
      signal?.addEventListener("abort", cancel, { once: true });
      transport.ref();
      this.#watchForHang(connection);
      try {
        transport.post({ type: "call", id, method, args, ...(stop && { stop: stop.buffer }) });
      } catch (error) {
        settle({ error: toWire(error) });
      }
    });
  }

  /** Without an answer, and only if the worker runs. */
  notify<M extends Name<Api>>(method: M, ...args: Arguments<Api[M]>): void {
    this.#connection?.transport.post({ type: "call", id: 0, method, args });
  }

  /** Lets the worker close what it has open, and terminates it after the grace period. */
  async close(graceMs: number): Promise<void> {
    clearTimeout(this.#idleTimer);
    const connection = this.#connection;
    if (connection === undefined) return;
    const timer = setTimeout(() => connection.transport.terminate(), graceMs);
    connection.transport.ref();
    connection.transport.post({ type: "close" });
    await connection.exited;
    clearTimeout(timer);
  }

  async terminate(): Promise<void> {
    const connection = this.#connection;
    connection?.transport.terminate();
    await connection?.exited;
  }

  #connect(): Connection {
    const exited = Promise.withResolvers<void>();
    const calls: Connection["calls"] = new Map();
    const transport = this.#startTransport({
      onMessage: (message) => this.#receive(connection, message),
      onExit: (reason) => {
        this.#detach(connection);
        for (const { fail } of [...calls.values()]) fail(new WorkerExit(reason));
        exited.resolve();
      },
    });
    const connection = { transport, calls, exited: exited.promise };
    return connection;
  }

  /** The next call starts another worker. */
  #detach(connection: Connection): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    clearTimeout(this.#idleTimer);
    clearInterval(this.#hangTimer);
    this.#options.onExit?.();
  }

  #receive(connection: Connection, message: FromWorker): void {
    const call = connection.calls.get(message.call);
    if (message.type === "result") call?.settle(message.outcome);
    else if (call !== undefined) void this.#answerCallback(connection.transport, call, message);
  }

  async #answerCallback(transport: Transport, { invoke }: OpenCall, message: CallbackMessage): Promise<void> {
    const reply = (outcome: CallOutcome, buffers?: readonly ArrayBuffer[]) => {
      if (message.id !== 0) transport.post({ type: "reply", call: message.call, id: message.id, outcome }, buffers);
    };
    try {
      const result = await invoke(message.method, message.args);
      if (result instanceof Transfer) reply({ value: result.value }, result.buffers);
      else reply({ value: result });
    } catch (error) {
      reply({ error: toWire(error) });
    }
  }

  /** A process with nothing else to do may end while its worker is idle. */
  #afterCall(connection: Connection): void {
    this.#watchForHang(connection);
    if (connection.calls.size > 0) return;
    connection.transport.unref();
    const { idleMs } = this.#options;
    if (idleMs === undefined) return;
    this.#idleTimer = setTimeout(() => {
      this.#detach(connection);
      connection.transport.post({ type: "close" });
    }, idleMs).unref();
  }

  #watchForHang({ transport, calls }: Connection): void {
    const { hangTimeoutMs } = this.#options;
    if (hangTimeoutMs === undefined) return;
    clearInterval(this.#hangTimer);
    if (calls.size > 0) this.#hangTimer = afterAwake(hangTimeoutMs, () => transport.terminate()).unref();
  }
}

function invoker(callbacks: object = {}): OpenCall["invoke"] {
  return (method, args) => (callbacks as Record<string, (...args: readonly unknown[]) => unknown>)[method]!(...args);
}
