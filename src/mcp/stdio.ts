/**
 * MCP over stdin and stdout, both eras. The handshake is answered at once; the SDK, the tools and the index are loaded
 * by the first message that needs them.
 */
import type { Readable, Writable } from "node:stream";
import type { Compass } from "../compass/compass.ts";
import { errorStack } from "../model/errors.ts";
import type { ToolSettings } from "../tools/define.ts";
import { answerHandshake, DEFAULT_SURFACE, identity, isPlainPing, type Surface } from "./handshake.ts";
import { JsonRpcStream } from "./json-rpc-stream.ts";
import { errorReply, INTERNAL_ERROR, type RpcId, type RpcNotification, type RpcRequest } from "./message.ts";
import {
  claimStdout,
  type Log,
  onceUnlessFailed,
  openStdin,
  rateLimited,
  surviveBugs,
  watchLifetime,
  within,
} from "./process.ts";
import type { SdkSession, SessionOptions } from "./session.ts";
import type { DirectHandler } from "./tool-call.ts";

export interface StdioOptions {
  /** Opens the core; called by the first tool call, never before. */
  readonly open: () => Promise<Compass>;
  /** A function where finding out touches the disk. */
  readonly settings: ToolSettings | (() => Promise<ToolSettings>);
  readonly version: string;
  readonly surface?: Surface | (() => Promise<Surface>);
  /** Load what later calls need after the first answer. Default: true. */
  readonly prewarm?: boolean;
  /** Stops the server, like SIGTERM. */
  readonly signal?: AbortSignal;
  /** Default: the process's own streams, signals and parent. */
  readonly input?: Readable;
  readonly output?: Writable;
  readonly log?: Log;
}

/** Requests that still run when the input ends get this long, and then as long again without the jobs they wait for. */
const DRAIN_MS = 2_500;
const CLOSE_MS = 1_000;
const BATCH_VERSIONS = new Set(["2025-03-26", "2024-11-05", "2024-10-07"]);

/** Serves until the input ends or the process is signalled; the caller then exits. */
export function serveStdio(options: StdioOptions): Promise<void> {
  return new StdioServer(options).serve();
}

class StdioServer {
  readonly #options: StdioOptions;
  readonly #log: Log;
  readonly #wire: JsonRpcStream;
  readonly #stopRequested = Promise.withResolvers<void>();
  readonly #orphaned = Promise.withResolvers<void>();
  readonly #openCompass: () => Promise<Compass>;
  readonly #readSettings: () => Promise<ToolSettings>;
  #opened = false;
  #session: Promise<SdkSession> | undefined;
  #replay: RpcRequest | undefined;
  #closing: Promise<void> | undefined;
  readonly #direct: () => Promise<DirectHandler>;
  /** Tool calls under way outside the session. */
  readonly #calls = new Map<RpcId, AbortController>();

  constructor(options: StdioOptions) {
    this.#options = options;
    const { settings } = options;
    this.#openCompass = onceUnlessFailed(() => {
      this.#opened = true;
      return options.open();
    });
    this.#direct = onceUnlessFailed(() => this.#openDirect());
    this.#readSettings = onceUnlessFailed(() => (typeof settings === "function" ? settings() : settings));
    this.#log =
      options.log ??
      rateLimited(
        (text) => process.stderr.write(text),
        () => performance.now(),
      );
    const { input = openStdin(), output = process.stdout } = options;
    const events = {
      onRequest: (request: RpcRequest) => this.#request(request),
      onNotification: (notification: RpcNotification) => this.#notification(notification),
      onInputEnd: this.#stopRequested.resolve,
      onBroken: this.#orphaned.resolve,
    };
    this.#wire = new JsonRpcStream(input, output, events, options.output === undefined ? claimStdout() : undefined);
  }

  async serve(): Promise<void> {
    const { input, signal } = this.#options;
    if (input === undefined) surviveBugs(this.#log);
    const lifetime = { onStopRequested: this.#stopRequested.resolve, onOrphaned: this.#orphaned.resolve };
    const release = input === undefined ? watchLifetime(lifetime) : () => {};
    signal?.addEventListener("abort", () => this.#stopRequested.resolve(), { once: true });
    this.#wire.start();
    await Promise.race([this.#stopRequested.promise, this.#orphaned.promise]);
    this.#wire.stopReading();
    await Promise.race([this.#finish(), this.#orphaned.promise]);
    await within(
      CLOSE_MS,
      this.#close().catch((error: unknown) => this.#log(`cannot close: ${String(error)}`)),
    );
    release();
  }

  async #finish(): Promise<void> {
    const drained = this.#wire.drained();
    await within(DRAIN_MS, drained);
    // Remaining requests probably wait for an index job; without it they report its progress and end.
    this.#closeCompass().catch(() => {});
    await within(DRAIN_MS, drained);
    await within(DRAIN_MS, this.#wire.flushed());
  }

  #request(request: RpcRequest): void {
    if (isPlainPing(request)) this.#wire.send({ result: {}, jsonrpc: "2.0", id: request.id });
    else if (request.method === "tools/call" && this.#replay !== undefined) this.#call(request);
    else if (this.#session !== undefined) this.#forward(request);
    else this.#opening(request);
  }

  /** A tool call after a legacy handshake. */
  #call(request: RpcRequest): void {
    const calling = new AbortController();
    this.#calls.set(request.id, calling);
    const answered = this.#direct().then((direct) => direct(request, calling.signal) ?? this.#forward(request));
    answered
      .catch((error: unknown) => this.#cannotStart(request, error))
      .finally(() => {
        if (this.#calls.get(request.id) === calling) this.#calls.delete(request.id);
      });
  }

  #opening(request: RpcRequest): void {
    const opening = answerHandshake(request, identity(this.#options.version));
    if (opening === undefined) {
      this.#forward(request);
      return;
    }
    if (opening.replay !== undefined) this.#replay = opening.replay;
    if (opening.version !== undefined) this.#wire.allowBatches = BATCH_VERSIONS.has(opening.version);
    this.#wire.send(opening.reply);
  }

  #notification(notification: RpcNotification): void {
    // The SDK does not need it, and many probes end with it.
    if (notification.method === "notifications/initialized") return;
    if (notification.method === "notifications/cancelled") {
      const id = notification.params?.requestId;
      if (typeof id === "string" || typeof id === "number") {
        this.#calls.get(id)?.abort();
        this.#wire.cancelled(id);
      }
    }
    if (this.#session !== undefined) this.#forward(notification);
  }

  /** Messages keep their order: callbacks of one promise run in the order of their registration. */
  #forward(message: RpcRequest | RpcNotification): void {
    this.#session ??= this.#open();
    this.#session.then(
      (session) => session.receive(message),
      (error: unknown) => this.#cannotStart(message, error),
    );
  }

  #cannotStart(message: RpcRequest | RpcNotification, error: unknown): void {
    this.#log(`cannot start: ${errorStack(error)}`);
    if ("id" in message) this.#wire.send(errorReply(message.id as RpcId, INTERNAL_ERROR, "The server cannot start"));
  }

  async #open(): Promise<SdkSession> {
    const { openSession } = await import("./session.ts");
    return openSession({
      ...(await this.#serverOptions()),
      ...(this.#replay !== undefined && { replay: this.#replay }),
    });
  }

  async #openDirect(): Promise<DirectHandler> {
    const { directCalls } = await import("./tool-call.ts");
    return directCalls({ ...(await this.#serverOptions()), handshake: this.#replay! });
  }

  async #serverOptions(): Promise<Omit<SessionOptions, "replay">> {
    const { surface = DEFAULT_SURFACE, version, prewarm = true } = this.#options;
    return {
      compass: this.#openCompass,
      settings: this.#readSettings,
      surface: typeof surface === "function" ? await surface() : surface,
      prewarm,
      version,
      // One process, one client, one session.
      session: "stdio",
      log: this.#log,
      send: (message) => this.#wire.send(message),
    };
  }

  async #close(): Promise<void> {
    for (const calling of this.#calls.values()) calling.abort();
    await (await this.#session?.catch(() => undefined))?.close();
    await this.#closeCompass();
  }

  /** Closes at most once. */
  #closeCompass(): Promise<void> {
    this.#closing ??= (async () => {
      if (this.#opened) await (await this.#openCompass().catch(() => undefined))?.close();
    })();
    return this.#closing;
  }
}
