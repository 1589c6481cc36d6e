/** `POST /`: from bytes to messages, from messages to the era that answers them. */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createMcpHandler, isLegacyRequest, type McpHttpHandler } from "@modelcontextprotocol/server";
import { answerHandshake, identity, isPlainPing, LEGACY_VERSIONS, type Surface } from "../handshake.ts";
import {
  classify,
  type Incoming,
  isObject,
  type RpcId,
  type RpcNotification,
  type RpcRequest,
  readLine,
} from "../message.ts";
import { createServer, type ServerOptions } from "../server.ts";
import { directCalls } from "../tool-call.ts";
import { HttpReply, isJson, isTooLarge, readBody, refuse, refuseMessage, sendEmpty, sendJson } from "./exchange.ts";
import { type RequestBatch, serveLegacy, serveModern, webRequest } from "./sdk-exchange.ts";

interface PostOptions extends Omit<ServerOptions, "surface"> {
  readonly surface: () => Promise<Surface>;
  /** The principal of the current request; absent: callers are not distinguished. */
  readonly principal?: () => string | undefined;
  /** Takes up a request that is all here, if there is room for one more. */
  readonly admit: (request: IncomingMessage, response: ServerResponse) => boolean;
}

/** The only revision of Streamable HTTP that has batches; a client that names no revision uses it. */
const BATCH_VERSION = "2025-03-26";
const MOST_IN_BATCH = 100;

interface PostExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Aborted when the client disconnects or cancels the request. */
  readonly over: AbortController;
}

type BatchMember = Extract<Incoming, { kind: "request" | "notification" | "invalid" | "ignored" }>;

export class PostHandler {
  readonly #options: PostOptions;
  readonly #sessions = new Sessions();
  readonly #bodies = { held: 0 };
  /** Requests that can be cancelled, by session and id. */
  readonly #running = new Map<string, AbortController>();
  #modern: McpHttpHandler | undefined;

  constructor(options: PostOptions) {
    this.#options = options;
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isJson(request)) return refuse(response, "type");
    const over = new AbortController();
    response.once("close", () => {
      // Not after the answer was sent: creating an abort error costs more than a small answer.
      if (!response.writableFinished) over.abort();
    });
    if (isTooLarge(request)) return refuse(response, "tooLarge");
    if (request.headers.expect !== undefined) response.writeContinue();
    const body = await readBody(request, this.#bodies);
    if ("problem" in body) return body.problem === "aborted" ? undefined : refuse(response, body.problem);
    if (body.text.trim() === "") return refuse(response, "empty");
    if (!this.#options.admit(request, response)) return refuse(response, "crowded");
    await this.#take(readLine(body.text), { request, response, over });
  }

  async close(): Promise<void> {
    await this.#modern?.close();
  }

  async #take(incoming: Incoming, exchange: PostExchange): Promise<void> {
    const { request, response } = exchange;
    if (incoming.kind === "invalid") return refuseMessage(response, incoming.reply);
    const body =
      incoming.kind === "batch" ? batchMessages(incoming) : "message" in incoming ? incoming.message : undefined;
    // A response to a request that this server never sent.
    if (body === undefined) return sendEmpty(response, 202);
    if (!isPlainlyLegacy(request, body) && !(await isLegacyRequest(webRequest(request), body))) {
      return serveModern(body, {
        handler: await this.#modernHandler(),
        request,
        response,
        signal: exchange.over.signal,
      });
    }
    const version = request.headers["mcp-protocol-version"];
    if (version !== undefined && !LEGACY_VERSIONS.some((known) => known === version))
      return refuse(response, "version");
    if (incoming.kind === "request" && incoming.message.method === "initialize") {
      return this.#initialize(incoming.message, response);
    }
    const session = this.#sessionOf(request);
    if (session === "unknown") return refuse(response, "session");
    if (incoming.kind === "batch") return this.#batch(incoming.members, session, exchange);
    if (incoming.kind === "notification") this.#heard(incoming.message, session);
    if (incoming.kind !== "request") return sendEmpty(response, 202);
    return this.#answer({ requests: [incoming.message] }, session, exchange);
  }

  #initialize(request: RpcRequest, response: ServerResponse): void {
    const { reply, version } = answerHandshake(request, identity(this.#options.version))!;
    if (version !== undefined) {
      const { capabilities } = request.params ?? {};
      const experimental = isObject(capabilities) ? capabilities.experimental : undefined;
      const jobReports = isObject(experimental) && "progress" in experimental;
      response.setHeader("mcp-session-id", this.#sessions.open({ version, jobReports, owner: this.#principal() }).key);
    }
    sendJson(response, 200, reply);
  }

  async #batch(members: readonly unknown[], session: HttpSession | undefined, exchange: PostExchange): Promise<void> {
    const { request, response } = exchange;
    const version = request.headers["mcp-protocol-version"] ?? session?.version ?? BATCH_VERSION;
    if (version !== BATCH_VERSION) return refuse(response, "noBatch");
    if (members.length === 0 || members.length > MOST_IN_BATCH) return refuse(response, "batch");
    const read = members.map(classify) as BatchMember[];
    for (const one of read) if (one.kind === "notification") this.#heard(one.message, session);
    const requests = read.flatMap((one) => (one.kind === "request" ? [one.message] : []));
    const refused = read.flatMap((one) => (one.kind === "invalid" ? [one.reply] : []));
    if (requests.length + refused.length === 0) return sendEmpty(response, 202);
    return this.#answer({ requests, refused }, session, exchange);
  }

  async #answer(
    batch: RequestBatch,
    session: HttpSession | undefined,
    { request, response, over }: PostExchange,
  ): Promise<void> {
    const reply = new HttpReply(response, (request.headers.accept ?? "").includes("text/event-stream"));
    const { requests, refused } = batch;
    const [only] = requests;
    if (refused === undefined && isPlainPing(only!)) {
      return reply.end({ result: {}, jsonrpc: "2.0", id: only!.id });
    }
    const options = {
      ...this.#options,
      surface: await this.#options.surface(),
      ...(session !== undefined && { session: session.key, jobReports: session.jobReports }),
    };
    const keys = requests.map(({ id }) => runningKey(session, id, this.#principal()));
    for (const key of keys) this.#running.set(key, over);
    try {
      const { signal } = over;
      const direct = refused === undefined ? directly(only!, options, reply, signal) : undefined;
      await (direct ?? serveLegacy(batch, { server: createServer(options), reply, signal }));
    } finally {
      for (const key of keys) if (this.#running.get(key) === over) this.#running.delete(key);
    }
    if (over.signal.aborted && !response.writableEnded) response.destroy();
  }

  /** A request can be cancelled by its own session. */
  #heard({ method, params }: RpcNotification, session: HttpSession | undefined): void {
    if (method !== "notifications/cancelled" || session === undefined) return;
    this.#running.get(runningKey(session, params?.requestId as RpcId, this.#principal()))?.abort();
  }

  #sessionOf({ headers }: IncomingMessage): HttpSession | undefined | "unknown" {
    const key = headers["mcp-session-id"];
    const owner = this.#principal();
    if (typeof key === "string") return this.#sessions.find(key, owner) ?? "unknown";
    const own = ownSessionName(headers["x-codecompass-session"], owner);
    return own === undefined ? undefined : { key: own, jobReports: false, version: BATCH_VERSION, owner };
  }

  #principal(): string {
    return this.#options.principal?.() ?? "";
  }

  async #modernHandler(): Promise<McpHttpHandler> {
    const surface = await this.#options.surface();
    const { log } = this.#options;
    this.#modern ??= createMcpHandler(
      ({ requestInfo }) => {
        const session = ownSessionName(
          requestInfo?.headers.get("x-codecompass-session") ?? undefined,
          this.#principal(),
        );
        return createServer({ ...this.#options, surface, ...(session !== undefined && { session }) });
      },
      // Rejected requests are the client's affair; they are answered, not logged.
      { legacy: "reject", onerror: (error) => (error.message.startsWith("Rejected") ? undefined : log(error.message)) },
    );
    return this.#modern;
  }
}

/** A plain tool call needs nothing of the SDK. */
function directly(
  request: RpcRequest,
  options: ServerOptions,
  reply: HttpReply,
  signal: AbortSignal,
): Promise<void> | undefined {
  if (request.method !== "tools/call") return undefined;
  const capabilities = options.jobReports === true ? { experimental: { progress: {} } } : {};
  const handshake: RpcRequest = { jsonrpc: "2.0", id: 0, method: "initialize", params: { capabilities } };
  const send = (message: object) => ("method" in message ? reply.notify(message) : reply.end(message));
  return directCalls({ ...options, send, handshake })(request, signal);
}

/** Neither the headers nor the body claim the stateless era; where one of them might, the SDK decides. */
function isPlainlyLegacy({ headers }: IncomingMessage, body: unknown): boolean {
  if (Array.isArray(body)) return body.length === 0;
  const version = headers["mcp-protocol-version"];
  if (version !== undefined && !LEGACY_VERSIONS.some((known) => known === version)) return false;
  const { params } = body as RpcRequest;
  return params?._meta === undefined || (isObject(params._meta) && !Object.keys(params._meta).some(isModernMeta));
}

function isModernMeta(key: string): boolean {
  return key.startsWith("io.modelcontextprotocol/");
}

function batchMessages({ members }: Extract<Incoming, { kind: "batch" }>): readonly unknown[] {
  return members.map(classify).flatMap((one) => ("message" in one ? [one.message] : []));
}

function runningKey(session: HttpSession | undefined, id: RpcId, principal: string): string {
  return `${principal}\0${session?.key ?? ""}\0${typeof id} ${id}`;
}

interface HttpSession {
  readonly key: string;
  /** Whether its client asked for S3's job reports. */
  readonly jobReports: boolean;
  readonly version: string;
  /** Its principal; empty if callers are not distinguished. */
  readonly owner: string;
}

const MOST = 4_096;
/** A principal's own sessions make room for its next ones, and never those of others. */
const MOST_OF_ONE = 256;

class Sessions {
  readonly #known = new Map<string, HttpSession>();
  readonly #onEnd: (key: string) => void;

  constructor(onEnd: (key: string) => void = () => {}) {
    this.#onEnd = onEnd;
  }

  open(given: Omit<HttpSession, "key">): HttpSession {
    const session = { key: randomUUID(), ...given };
    const own = given.owner === "" ? [] : [...this.#known.values()].filter(({ owner }) => owner === given.owner);
    if (own.length >= MOST_OF_ONE) this.#end(own[0]!.key);
    this.#keep(session);
    return session;
  }

  /** A session that its handshake opened; undefined when it never was, was forgotten or is another's. */
  find(key: string, owner: string): HttpSession | undefined {
    const session = this.#known.get(key);
    if (session?.owner !== owner) return undefined;
    this.#keep(session);
    return session;
  }

  #keep(session: HttpSession): void {
    // A map keeps insertion order, so the first session is the least recently used.
    this.#known.delete(session.key);
    this.#known.set(session.key, session);
    if (this.#known.size <= MOST) return;
    const [oldest] = this.#known.keys();
    this.#end(oldest!);
  }

  #end(key: string): void {
    this.#known.delete(key);
    this.#onEnd(key);
  }
}

/** A name that a client without sessions gives itself. */
function ownSessionName(header: string | string[] | undefined, owner: string): string | undefined {
  return typeof header === "string" && /^[\x21-\x7e]{1,128}$/.test(header) ? `own:${owner}:${header}` : undefined;
}
