/**
 * MCP over HTTP: `POST /` for both protocol eras, `GET /health`, `GET /metrics`, and the page for people where it is
 * requested. Access is checked before the body is read; messages are parsed and answered as on stdio.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { hostname } from "node:os";
import type { Compass } from "../../compass/compass.ts";
import { CompassError, errorStack } from "../../model/errors.ts";
import type { ToolSettings } from "../../tools/define.ts";
import type { Surface } from "../handshake.ts";
import { type Log, onceUnlessFailed, within } from "../process.ts";
import {
  allowedHostNames,
  bearerToken,
  type HostNames,
  isLoopback,
  type PrincipalAuth,
  type PrincipalSession,
  refusedName,
  type TokenCheck,
  tokenCheck,
} from "./access.ts";
import { HttpConnections } from "./connections.ts";
import { createServer, isRefused, refuse, sendJson, sendText } from "./exchange.ts";
import { healthAnswer } from "./health.ts";
import { METRICS_TYPE, ServerMetrics } from "./metrics.ts";
import { Page, type PageOptions } from "./page.ts";
import { PostHandler } from "./post.ts";
import { Quota } from "./quota.ts";

export interface HttpOptions {
  readonly bind: string;
  readonly port: number;
  /** Needed for every address that others can reach. */
  readonly token?: string;
  /** For `GET /metrics` instead of `token`. With principals and without it, there are no metrics. */
  readonly metricsToken?: string;
  /** Instead of one token for all: a token per principal, with the principal's rights. */
  readonly principals?: PrincipalAuth;
  /** Further names under which this server is reached, for example behind a proxy. */
  readonly allowedHosts?: readonly string[];
  /** Also serves the page for people. */
  readonly page?: PageOptions;
  readonly open: () => Promise<Compass>;
  readonly settings: () => Promise<ToolSettings>;
  readonly surface: () => Promise<Surface>;
  readonly version: string;
  readonly prewarm: boolean;
  readonly log: Log;
  /** It is time to leave. */
  readonly signal: AbortSignal;
  readonly onListening?: (address: AddressInfo) => void;
}

const HEADERS_MS = 10_000;
const REQUEST_MS = 60_000;
/** Longer than clients keep a connection they do not use, so that none is closed under a request. */
const IDLE_MS = 65_000;
const CHECK_MS = 2_000;
/** Connections beyond this backlog are dropped by the kernel and retried seconds later. */
const BACKLOG = 4_096;
/** During shutdown, requests on open connections are still answered for this long, with `connection: close`. */
const FAREWELL_MS = 1_500;
/** Requests that still run then get this long. */
const DRAIN_MS = 5_000;
const HANG_UP_MS = 20;
const CLOSE_MS = 1_000;
/** How long metrics wait for the shared store. */
const LAG_MS = 1_000;

/** Serves until `signal` is aborted. Refuses to listen on a public address without a token. */
export async function serveHttp(options: HttpOptions): Promise<void> {
  if (!isLoopback(options.bind) && !options.token && !options.principals) {
    throw new CompassError("invalid_input", {
      parameter: "--bind",
      reason: `--bind ${options.bind} is reachable by others and needs --token or CODECOMPASS_TOKEN`,
    });
  }
  await new HttpServer(options).serve();
}

class HttpServer {
  readonly #options: HttpOptions;
  readonly #names: HostNames;
  readonly #isAllowed: TokenCheck;
  /** Undefined: there are no metrics. */
  readonly #mayReadMetrics: TokenCheck | undefined;
  readonly #metrics = new ServerMetrics();
  readonly #server: Server;
  readonly #connections: HttpConnections;
  readonly #compass: () => Promise<Compass>;
  readonly #settings: () => Promise<ToolSettings>;
  readonly #post: PostHandler;
  readonly #page: Page | undefined;
  readonly #quota = new Quota();
  #leaving = false;
  #trouble: string | undefined;

  constructor(options: HttpOptions) {
    this.#options = options;
    this.#names = allowedHostNames(options.bind, options.allowedHosts ?? [], hostname());
    this.#isAllowed = tokenCheck(options.token);
    const { metricsToken = options.principals === undefined ? options.token : undefined } = options;
    const isOpen = metricsToken !== undefined || options.principals === undefined;
    this.#mayReadMetrics = isOpen ? tokenCheck(metricsToken) : undefined;
    this.#server = createServer({
      headersTimeout: HEADERS_MS,
      requestTimeout: REQUEST_MS,
      keepAliveTimeout: IDLE_MS,
      connectionsCheckingInterval: CHECK_MS,
      // Refused by us, with a reason.
      requireHostHeader: false,
    });
    this.#connections = new HttpConnections(this.#server);
    this.#compass = onceUnlessFailed(options.open);
    this.#settings = onceUnlessFailed(options.settings);
    const shared = {
      compass: this.#compass,
      settings: this.#settings,
      prewarm: options.prewarm,
      version: options.version,
      log: options.log,
      connections: () => this.#connections.count,
      onAnswer: (...answer: Parameters<ServerMetrics["observeTool"]>) => this.#metrics.observeTool(...answer),
      admit: (request: IncomingMessage, response: ServerResponse) => {
        if (this.#connections.isFull()) return false;
        this.#connections.serving(request, response);
        return true;
      },
      ...(options.principals !== undefined && { callers: "readers" as const }),
    };
    this.#post = new PostHandler({
      ...shared,
      surface: onceUnlessFailed(options.surface),
      ...(options.principals !== undefined && { principal: () => options.principals!.current() }),
    });
    const accepts = (token: string) => this.#accepts(token);
    this.#page = options.page && new Page(options.page, { ...shared, accepts });
  }

  async serve(): Promise<void> {
    const { signal, log, prewarm } = this.#options;
    await this.#listen();
    if (prewarm) {
      this.#compass().then(
        (compass) => compass.prewarm(),
        (error: unknown) => log(`cannot open the index: ${String(error)}`),
      );
    }
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    await this.#leave();
  }

  #listen(): Promise<void> {
    const { port, bind, onListening } = this.#options;
    const handle = (request: IncomingMessage, response: ServerResponse) => this.#handle(request, response);
    this.#server.on("request", handle);
    // `Expect: 100-continue`: refuse before the body is sent.
    this.#server.on("checkContinue", handle);
    return new Promise((resolve, reject) => {
      this.#server.once("error", (error) => reject(cannotListen(error, bind, port)));
      this.#server.listen({ port, host: bind.replace(/^\[|\]$/g, ""), backlog: BACKLOG }, () => {
        onListening?.(this.#server.address() as AddressInfo);
        resolve();
      });
    });
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    if (isRefused(request.socket)) return;
    this.#connections.arriving(request);
    response.on("error", () => {});
    if (this.#leaving) response.setHeader("connection", "close");
    const started = performance.now();
    response.once("close", () => this.#metrics.observeRequest(response.statusCode, performance.now() - started));
    const { principals } = this.#options;
    const authorization = this.#page?.authorization(request) ?? request.headers.authorization;
    const work =
      requestPath(request) === "/metrics" && this.#mayReadMetrics !== undefined
        ? this.#answer(request, response, this.#mayReadMetrics(authorization))
        : principals === undefined
          ? this.#answer(request, response, this.#isAllowed(authorization))
          : this.#answerPrincipal(request, response, principals, authorization);
    work.catch((error: unknown) => this.#fail(error, response));
  }

  async #answerPrincipal(
    request: IncomingMessage,
    response: ServerResponse,
    auth: PrincipalAuth,
    authorization: string | undefined,
  ): Promise<void> {
    // Check the host name before looking up the token.
    const token = this.#wrongName(request) === undefined ? bearerToken(authorization) : undefined;
    const principal = token === undefined ? undefined : await this.#authenticate(token, auth);
    if (principal === "unavailable") return refuse(response, "unavailable");
    if (principal === undefined) return this.#answer(request, response, false);
    return principal.run(() => this.#inTurn(request, response, principal));
  }

  /** Whether a token may be exchanged for a session. */
  async #accepts(token: string): Promise<boolean> {
    const { principals } = this.#options;
    if (principals === undefined) return this.#isAllowed(`Bearer ${token}`);
    return typeof (await this.#authenticate(token, principals)) === "object";
  }

  /** The reason of a failed lookup goes to the log, not to an unauthenticated client. */
  async #authenticate(token: string, auth: PrincipalAuth): Promise<PrincipalSession | undefined | "unavailable"> {
    try {
      return await auth.authenticate(token);
    } catch (error) {
      if (!(error instanceof CompassError)) throw error;
      this.#options.log(`token: ${error.message}`);
      return "unavailable";
    }
  }

  async #inTurn(request: IncomingMessage, response: ServerResponse, { name }: PrincipalSession): Promise<void> {
    const answer = () => this.#answer(request, response, true);
    if (!(await this.#quota.use(name, answer, () => response.closed))) refuse(response, "quota");
  }

  async #answer(request: IncomingMessage, response: ServerResponse, isAllowed: boolean): Promise<void> {
    const refusal = this.#refusal(request, isAllowed);
    const route = this.#page?.route(request);
    if (refusal !== undefined) {
      const isPost = route === undefined ? requestPath(request) === "/" : route.kind !== "file";
      refuse(response, refusal, refusal === "method" ? { allow: isPost ? "POST" : "GET" } : {});
      return;
    }
    if (route !== undefined) return this.#page!.answer(request, response, route);
    if (requestPath(request) === "/") return this.#post.serve(request, response);
    this.#connections.serving(request, response);
    return requestPath(request) === "/metrics" ? this.#sendMetrics(response) : this.#health(response, isAllowed);
  }

  /** In this order: is it for us, may it come in, is there such a thing, is there room. */
  #refusal(request: IncomingMessage, isAllowed: boolean) {
    const wrong = this.#wrongName(request);
    if (wrong !== undefined) return wrong === "Host" ? "host" : "origin";
    const route = this.#page?.route(request);
    if (route !== undefined) return this.#page!.refusal(request, route, isAllowed);
    const path = requestPath(request);
    if (path !== "/health" && !isAllowed) return "token";
    if (!this.#isServed(path)) return "path";
    if (request.method !== (path === "/" ? "POST" : "GET")) return "method";
    return path === "/" && this.#connections.isFull() ? "crowded" : undefined;
  }

  #isServed(path: string): boolean {
    return path === "/" || path === "/health" || (path === "/metrics" && this.#mayReadMetrics !== undefined);
  }

  #wrongName(request: IncomingMessage) {
    const { host, origin } = request.headersDistinct;
    return refusedName({ host, origin, localAddress: request.socket.localAddress }, this.#names);
  }

  async #health(response: ServerResponse, isAllowed: boolean): Promise<void> {
    const { version } = this.#options;
    const context = async () => ({
      compass: await this.#compass(),
      settings: await this.#settings(),
      version,
      connections: this.#connections.count,
    });
    const { status, body, trouble } = await healthAnswer(context, isAllowed);
    this.#tell(trouble);
    sendJson(response, status, body);
  }

  /** A store that cannot be reached takes nothing but its own figure away. */
  async #sendMetrics(response: ServerResponse): Promise<void> {
    const lag = this.#compass().then((compass) => compass.ingestLagMs());
    const lagMs = await within(
      LAG_MS,
      lag.catch(() => undefined),
    );
    const text = this.#metrics.text({
      connections: this.#connections.count,
      uptimeSeconds: process.uptime(),
      residentBytes: process.memoryUsage.rss(),
      ingestLagSeconds: lagMs === undefined ? undefined : lagMs / 1000,
    });
    sendText(response, 200, text, METRICS_TYPE);
  }

  /** Logs changes only: a probe calls every few seconds. */
  #tell(trouble: string | undefined): void {
    if (trouble === this.#trouble) return;
    this.#trouble = trouble;
    this.#options.log(trouble === undefined ? "health: ready again" : `health: ${trouble}`);
  }

  #fail(error: unknown, response: ServerResponse): void {
    this.#options.log(`request: ${errorStack(error)}`);
    if (response.headersSent) response.destroy();
    else sendJson(response, 500, INTERNAL);
  }

  async #leave(): Promise<void> {
    // Answer clients that have already connected, also on kept-alive connections.
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
    this.#leaving = true;
    await this.#farewell();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    // A connection becomes idle when its request is answered.
    const hangUp = setInterval(() => this.#server.closeIdleConnections(), HANG_UP_MS);
    await within(DRAIN_MS, closed);
    clearInterval(hangUp);
    this.#server.closeAllConnections();
    await within(CLOSE_MS, this.#close());
  }

  /** Waits for idle connections: closing one would reset a request that is on its way. */
  async #farewell(): Promise<void> {
    const end = performance.now() + FAREWELL_MS;
    while (this.#connections.count > 0 && performance.now() < end)
      await new Promise((resolve) => setTimeout(resolve, HANG_UP_MS));
  }

  async #close(): Promise<void> {
    await this.#post.close();
    await (await this.#compass().catch(() => undefined))?.close();
    await this.#options.principals?.close();
  }
}

const INTERNAL = {
  jsonrpc: "2.0",
  id: null,
  error: { code: -32603, message: "Internal error", data: { code: "internal_error" } },
};

function requestPath({ url = "" }: IncomingMessage): string {
  const query = url.indexOf("?");
  return query === -1 ? url : url.slice(0, query);
}

function cannotListen(error: NodeJS.ErrnoException, bind: string, port: number): Error {
  const why: Record<string, string> = {
    EADDRINUSE: `port ${port} of ${bind} is in use; choose another with --port, or 0 for any`,
    EACCES: `port ${port} needs more rights; choose one above 1023`,
    EADDRNOTAVAIL: `${bind} is not an address of this machine`,
    ENOTFOUND: `${bind} is not an address of this machine`,
  };
  const reason = why[error.code ?? ""];
  return reason === undefined ? error : new CompassError("invalid_input", { parameter: "--port", reason });
}
