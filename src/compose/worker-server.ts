/** The worker's end: serves the methods of an API to the process or thread that started this one. */
import { parentPort, workerData } from "node:worker_threads";
import {
  type Arguments,
  type CallMessage,
  type CallOutcome,
  cancellation,
  type FromWorker,
  fromWire,
  type MaybePromise,
  type Methods,
  type Name,
  type ReplyMessage,
  type Result,
  type ToWorker,
  Transfer,
  toWire,
} from "./worker-protocol.ts";

/** One call as the worker sees it. */
export interface ServerCall<Client = object> {
  readonly signal: AbortSignal;
  request<M extends Name<Client>>(method: M, ...args: Arguments<Client[M]>): Promise<Result<Client[M]>>;
  notify<M extends Name<Client>>(method: M, ...args: Arguments<Client[M]>): void;
}

export type Handlers<Api, Client = object> = {
  readonly [M in keyof Api]: (
    call: ServerCall<Client>,
    ...args: Arguments<Api[M]>
  ) => MaybePromise<Result<Api[M]> | Transfer<Result<Api[M]>>>;
};

type AnyHandler = (call: ServerCall, ...args: readonly unknown[]) => unknown;

interface RunningCall {
  readonly controller: AbortController;
  readonly replies: Map<number, PromiseWithResolvers<unknown>>;
}

/** Serves the API to whichever process or thread started this one. `create` gets the data it was started with. */
export function serveParent<Data, Api extends Methods<Api>, Client extends Methods<Client> = object>(
  create: (data: Data) => { readonly handlers: Handlers<Api, Client>; readonly close?: () => Promise<void> },
): void {
  onParent((data, channel) => {
    const { handlers, close } = create(data as Data);
    const server = new Server(handlers as Readonly<Record<string, AnyHandler>>, channel);
    return (message) => {
      if (message.type === "call") void server.serve(message);
      else if (message.type === "cancel") server.cancel(message.id);
      else if (message.type === "reply") server.settle(message);
      else void Promise.resolve(close?.()).finally(() => channel.close());
    };
  });
}

class Server {
  readonly #handlers: Readonly<Record<string, AnyHandler>>;
  readonly #channel: Channel;
  readonly #served = new Map<number, RunningCall>();
  #lastReply = 0;

  constructor(handlers: Readonly<Record<string, AnyHandler>>, channel: Channel) {
    this.#handlers = handlers;
    this.#channel = channel;
  }

  async serve({ id, method, args, stop }: CallMessage): Promise<void> {
    const served = { controller: new AbortController(), replies: new Map() };
    this.#served.set(id, served);
    try {
      if (!Object.hasOwn(this.#handlers, method)) throw new Error(`a worker has no method ${method}`);
      const result = await this.#handlers[method]!(this.#callOf(id, served, stop), ...args);
      if (result instanceof Transfer) this.#reply(id, { value: result.value }, result.buffers);
      else this.#reply(id, { value: result });
    } catch (error) {
      this.#reply(id, { error: toWire(error) });
    } finally {
      this.#served.delete(id);
    }
  }

  /** A call that waits for its caller ends, too. */
  cancel(id: number): void {
    const served = this.#served.get(id);
    served?.controller.abort(cancellation());
    for (const { reject } of served?.replies.values() ?? []) reject(served?.controller.signal.reason);
    served?.replies.clear();
  }

  settle({ call, id, outcome }: ReplyMessage): void {
    const replies = this.#served.get(call)?.replies;
    const waiting = replies?.get(id);
    replies?.delete(id);
    if ("error" in outcome) waiting?.reject(fromWire(outcome.error));
    else waiting?.resolve(outcome.value);
  }

  #callOf(call: number, { controller, replies }: RunningCall, stop: SharedArrayBuffer | undefined): ServerCall {
    const post = (id: number, method: string, args: readonly unknown[]) =>
      this.#channel.post({ type: "callback", call, id, method, args });
    return {
      signal: stop === undefined ? controller.signal : sharedSignal(controller, stop),
      request: (method: string, ...args: readonly unknown[]) => {
        const id = ++this.#lastReply;
        const waiting = Promise.withResolvers<unknown>();
        replies.set(id, waiting);
        post(id, method, args);
        return waiting.promise as Promise<never>;
      },
      notify: (method: string, ...args: readonly unknown[]) => post(0, method, args),
    };
  }

  #reply(call: number, outcome: CallOutcome, buffers?: readonly ArrayBuffer[]): void {
    if (call !== 0) this.#channel.post({ type: "result", call, outcome }, buffers);
  }
}

/** A busy thread receives no message, but it can look at shared memory whenever it checks the signal. */
export function sharedSignal(controller: AbortController, stop: SharedArrayBuffer): AbortSignal {
  const cell = new Int32Array(stop);
  const { signal } = controller;
  const look = () => {
    if (!signal.aborted && Atomics.load(cell, 0) === 1) controller.abort(cancellation());
    return signal;
  };
  return {
    get aborted() {
      return look().aborted;
    },
    get reason() {
      return look().reason;
    },
    throwIfAborted: () => look().throwIfAborted(),
    addEventListener: signal.addEventListener.bind(signal),
    removeEventListener: signal.removeEventListener.bind(signal),
  } as unknown as AbortSignal;
}

interface Channel {
  post(message: FromWorker, buffers?: readonly ArrayBuffer[]): void;
  close(): void;
}

/** `connect` gets the data that this worker was started with and returns the listener for the messages that follow. */
function onParent(connect: (data: unknown, channel: Channel) => (message: ToWorker) => void): void {
  const port = parentPort;
  if (port !== null) {
    const channel = {
      post: (message: FromWorker, buffers: readonly ArrayBuffer[] = []) => port.postMessage(message, buffers),
      close: () => port.close(),
    };
    port.on("message", connect(workerData, channel));
    return;
  }
  // A parent that is gone is noticed by `disconnect`.
  const post = (message: FromWorker) => void process.send?.(message, undefined, undefined, () => {});
  process.once("message", (data) => {
    const listener = connect(data, { post, close: () => process.disconnect() });
    process.on("message", (message) => listener(message as ToWorker));
  });
  // No worker outlives its client; whatever was not published is done again by the next one.
  process.on("disconnect", () => process.exit());
  // A terminal signals all its processes; the parent decides what to do about it.
  process.on("SIGINT", () => {});
}
