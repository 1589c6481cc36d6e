/**
 * Typed requests to a worker thread or a child process. An API is an interface: its methods are what the worker serves,
 * so an unknown method or a wrong argument is a compile error on both sides. Arguments and results are structured clones.
 *
 * This file has the messages and the transports; `worker-client.ts` and `worker-server.ts` have the two ends.
 */
import { type ChildProcess, fork } from "node:child_process";
import { getCompileCacheDir } from "node:module";
import { fileURLToPath } from "node:url";
import { Worker, type WorkerOptions } from "node:worker_threads";
import { CompassError, causeOf, ERRORS, type ErrorCode, errorMessage } from "../model/errors.ts";

export type Methods<T> = { readonly [M in keyof T]: (...args: never[]) => unknown };
export type Name<T> = keyof T & string;
export type Arguments<F> = F extends (...args: infer A) => unknown ? A : never;
export type Result<F> = F extends (...args: never[]) => infer R ? Awaited<R> : never;
export type MaybePromise<T> = T | Promise<T>;

/** A value some of whose buffers are moved to the other side instead of copied. */
export class Transfer<T> {
  readonly value: T;
  readonly buffers: readonly ArrayBuffer[];

  constructor(value: T, buffers: readonly ArrayBuffer[]) {
    this.value = value;
    this.buffers = buffers;
  }
}

/** What the caller offers to the worker for the time of one call. */
export type Callbacks<T> = {
  readonly [M in keyof T]: (...args: Arguments<T[M]>) => MaybePromise<Result<T[M]> | Transfer<Result<T[M]>>>;
};

export interface CallMessage {
  readonly type: "call";
  /** 0: no answer is wanted. */
  readonly id: number;
  readonly method: string;
  readonly args: readonly unknown[];
  readonly stop?: SharedArrayBuffer;
}

export interface ReplyMessage {
  readonly type: "reply";
  readonly call: number;
  readonly id: number;
  readonly outcome: CallOutcome;
}

export interface CallbackMessage {
  readonly type: "callback";
  readonly call: number;
  /** 0: no reply is wanted. */
  readonly id: number;
  readonly method: string;
  readonly args: readonly unknown[];
}

export type ToWorker =
  | CallMessage
  | ReplyMessage
  | { readonly type: "cancel"; readonly id: number }
  | { readonly type: "close" };
export type FromWorker =
  | CallbackMessage
  | { readonly type: "result"; readonly call: number; readonly outcome: CallOutcome };
export type CallOutcome = { readonly value: unknown } | { readonly error: WireError };

/** Errors cross as their code and data. */
type WireError =
  | { readonly code: ErrorCode; readonly data: Readonly<Record<string, unknown>> }
  | { readonly cancelled: true };

export function toWire(error: unknown): WireError {
  // Data of an error is JSON; anything else in it could not cross.
  if (error instanceof CompassError) return { code: error.code, data: JSON.parse(JSON.stringify(error.data)) };
  if (error instanceof Error && error.name === "AbortError") return { cancelled: true };
  const reason = errorMessage(error);
  return { code: "internal_error", data: { reason, ...causeOf(error) } };
}

export function fromWire(error: WireError): Error {
  if ("cancelled" in error) return cancellation();
  return new CompassError(error.code in ERRORS ? error.code : "internal_error", error.data);
}

export function cancellation(): DOMException {
  return new DOMException("The request was cancelled.", "AbortError");
}

export interface Transport {
  post(message: ToWorker, buffers?: readonly ArrayBuffer[]): void;
  /** This process does not end while the worker is referenced. */
  ref(): void;
  unref(): void;
  /** At once, whatever the worker is doing. */
  terminate(): void;
}

export interface TransportEvents {
  onMessage(message: FromWorker): void;
  onExit(reason: string): void;
}

export type StartTransport = (events: TransportEvents) => Transport;

/** The sibling module that a worker runs: TypeScript in a checkout, JavaScript in the built package. */
export function siblingModule(name: string): URL {
  return new URL(`./${name}.${import.meta.url.endsWith(".ts") ? "ts" : "js"}`, import.meta.url);
}

/** A thread that runs `module`, whose compiled code is kept between runs: a small index takes a tenth less CPU time. */
export function startThread(module: URL, options: Omit<WorkerOptions, "argv"> = {}): Worker {
  return new Worker(siblingModule("start-worker"), { ...options, argv: [module.href] });
}

/** `name`: what messages call the thread. */
export function threadTransport(name: string, start: () => Worker): StartTransport {
  return ({ onMessage, onExit }) => {
    const worker = start();
    let reason = `the ${name} thread ended`;
    worker.on("message", onMessage);
    worker.on("error", (error) => {
      reason = `the ${name} thread died: ${errorMessage(error)}`;
    });
    worker.on("exit", () => onExit(reason));
    return {
      post: (message, buffers = []) => worker.postMessage(message, buffers),
      ref: () => worker.ref(),
      unref: () => worker.unref(),
      terminate: () => void worker.terminate(),
    };
  };
}

/** The data to start with is the first message: it may hold a password, which must not appear in a list of processes. */
export function processTransport(
  name: string,
  module: URL,
  data: object,
  onStart: (pid: number) => void,
): StartTransport {
  return ({ onMessage, onExit }) => {
    const child = fork(fileURLToPath(module), {
      serialization: "advanced",
      env: { ...process.env, NODE_COMPILE_CACHE: getCompileCacheDir() ?? process.env.NODE_COMPILE_CACHE },
      // Text that is printed by mistake must not mix with the messages on our standard output.
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    if (child.pid !== undefined) onStart(child.pid);
    let reason: string | undefined;
    child.on("message", (message) => onMessage(message as FromWorker));
    child.on("error", (error) => {
      reason ??= `the ${name} process failed: ${error.message}`;
    });
    child.on("close", (code, signal) => onExit(reason ?? `the ${name} process ended with ${signal ?? code}`));
    send(child, data);
    return {
      post: (message) => send(child, message),
      ref: () => {
        child.ref();
        child.channel?.ref();
      },
      unref: () => {
        child.unref();
        child.channel?.unref();
      },
      terminate: () => void child.kill("SIGKILL"),
    };
  };
}

/** A process that has ended is reported by its `close` event. */
function send(child: ChildProcess, message: object): void {
  if (child.connected) child.send(message, () => {});
}
