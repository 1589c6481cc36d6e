/**
 * The page for people: its files, and `POST /ui/call/TOOL`, which runs a tool as MCP does. The files hold no secrets and
 * are served to anyone that may reach the server; every call needs the server's token or a session.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { fileURLToPath } from "node:url";
import { findTool } from "../../tools/index.ts";
import { compactJson } from "../../tools/json.ts";
import { findPageTool } from "../../tools/page.ts";
import { isObject } from "../message.ts";
import { callTool, type ServerOptions } from "../tool-call.ts";
import { isJson, readBody, refuse, sendEmpty, sendText } from "./exchange.ts";

export interface PageOptions {
  readonly launch?: LaunchToken;
}

interface PageServer extends Omit<ServerOptions, "surface"> {
  readonly admit: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Whether a bearer token is one of this server. */
  readonly accepts: (token: string) => Promise<boolean>;
}

const CALL = "/ui/call/";
const SESSION = "/ui/session";
/** Each of them is the page; it reads the address itself. */
const VIEWS = new Set(["/", "/search", "/file", "/symbol", "/compare", "/why", "/index"]);
/** A file of the page is as large as an indexed file may be. */
const ANSWER_BYTES = 64 << 20;

const SECURITY_HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-cache",
} as const;

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};

type PageRoute =
  | { readonly kind: "file"; readonly name: string }
  | { readonly kind: "session" }
  | { readonly kind: "call"; readonly tool: string };

export class Page {
  readonly #server: PageServer;
  readonly #sessions: PageSessions;
  readonly #bodies = { held: 0 };
  readonly #files = pageFiles();

  constructor({ launch }: PageOptions, server: PageServer) {
    this.#server = server;
    this.#sessions = new PageSessions(launch);
  }

  /** Undefined for a path that is not the page's. */
  route({ method, url = "" }: IncomingMessage): PageRoute | undefined {
    const path = url.replace(/\?.*$/s, "");
    if (path === SESSION) return { kind: "session" };
    if (path.startsWith(CALL)) return { kind: "call", tool: path.slice(CALL.length) };
    if (VIEWS.has(path)) return path === "/" && method === "POST" ? undefined : { kind: "file", name: "index.html" };
    const name = path.startsWith("/ui/") ? path.slice("/ui/".length) : "";
    return this.#files.has(name) ? { kind: "file", name } : undefined;
  }

  /** The authorization of a call's session; undefined where it has none. */
  authorization(request: IncomingMessage): string | undefined {
    return this.route(request)?.kind === "call" ? this.#sessions.authorization(request) : undefined;
  }

  /** Why a request is refused before it is read. Ports of one host share cookies, so the whole origin is compared. */
  refusal(request: IncomingMessage, route: PageRoute, isAllowed: boolean): "origin" | "token" | "method" | undefined {
    const { origin, host = "", "sec-fetch-site": site } = request.headers;
    if (route.kind === "file") return request.method === "GET" ? undefined : "method";
    const isOwn = origin === undefined || origin.replace(/^https?:\/\//i, "").toLowerCase() === host.toLowerCase();
    if (!isOwn || (site !== undefined && site !== "same-origin" && site !== "none")) return "origin";
    if (route.kind === "call" && !isAllowed) return "token";
    return request.method === "POST" ? undefined : "method";
  }

  async answer(request: IncomingMessage, response: ServerResponse, route: PageRoute): Promise<void> {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
    if (route.kind === "file") return this.#sendFile(route.name, response);
    if (!isJson(request)) return refuse(response, "type");
    const over = new AbortController();
    response.once("close", () => {
      if (!response.writableFinished) over.abort();
    });
    const body = await readBody(request, this.#bodies);
    if ("problem" in body) return body.problem === "aborted" ? undefined : refuse(response, body.problem);
    if (!this.#server.admit(request, response)) return refuse(response, "crowded");
    const given = parseObject(body.text);
    if (given === undefined) return refuse(response, "notJson");
    if (route.kind === "session") return this.#openSession(given, request, response);
    return this.#call(route.tool, given, response, over.signal);
  }

  #sendFile(name: string, response: ServerResponse): void {
    const bytes = this.#files.get(name);
    if (bytes === undefined) {
      sendText(response, 503, "The page is not built: run `npm run build`.", "text/plain");
      return;
    }
    response.writeHead(200, { "content-type": TYPES[name.split(".").at(-1)!]!, "content-length": bytes.length });
    response.end(bytes);
  }

  async #openSession({ token }: PageInput, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const bearer = this.#sessions.exchange(typeof token === "string" ? token : "");
    if (!(await this.#server.accepts(bearer))) return refuse(response, "token");
    response.setHeader("set-cookie", this.#sessions.open(bearer, request.socket.localPort ?? 0));
    sendEmpty(response, 204);
  }

  /** With `format: "text"` the answer has the lines that a reader wants to see; with `as_text` it is that text. */
  async #call(name: string, given: PageInput, response: ServerResponse, signal: AbortSignal): Promise<void> {
    const tool = findTool(name, this.#server.callers) ?? findPageTool(name);
    if (tool === undefined) return refuse(response, "path");
    const { as_text: asText, ...input } = given;
    const settings = async () => ({ ...(await this.#server.settings()), maxResponseBytes: ANSWER_BYTES });
    const caller = { signal, notify: () => {}, jobReports: false };
    const surface = { tools: "all", format: "json" } as const;
    const reply = await callTool(tool, input, caller, { ...this.#server, settings, surface });
    if (signal.aborted) return;
    const isText = asText === true && !reply.isError;
    const text = isText || reply.format === "json" ? reply.text : compactJson(reply.body);
    sendText(response, reply.isError ? 400 : 200, text, isText ? "text/plain; charset=utf-8" : "application/json");
  }
}

type PageInput = Readonly<Record<string, unknown>>;

function parseObject(text: string): PageInput | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Of the build beside this file, or of the last one where this file runs as source. */
function pageFiles(): ReadonlyMap<string, Buffer> {
  const folders = ["../../ui/", "../../../dist/ui/"].map((at) => fileURLToPath(new URL(at, import.meta.url)));
  const folder = folders.find((at) => existsSync(at));
  if (folder === undefined) return new Map();
  return new Map(readdirSync(folder).map((name) => [name, readFileSync(`${folder}/${name}`)]));
}

/**
 * Sessions of browsers. A browser exchanges a token for a cookie that scripts cannot read; the cookie then represents the
 * bearer token, which is checked again on every request. The launch token of `codecompass ui` works once.
 */
const MOST_SESSIONS = 256;

interface LaunchToken {
  /** Works once. */
  readonly token: string;
  /** The bearer token that its session gets. */
  readonly bearer: string;
}

class PageSessions {
  /** By id; a map remembers the order of insertion. */
  readonly #bearers = new Map<string, string>();
  #launch: LaunchToken | undefined;

  constructor(launch: LaunchToken | undefined) {
    this.#launch = launch;
  }

  /** The bearer token for which a token is exchanged; a launch token is void from then on. */
  exchange(token: string): string {
    if (this.#launch === undefined || !isSame(token, this.#launch.token)) return token;
    const { bearer } = this.#launch;
    this.#launch = undefined;
    return bearer;
  }

  /** The `set-cookie` header of a new session. */
  open(bearer: string, port: number): string {
    const id = randomBytes(32).toString("base64url");
    this.#bearers.set(id, bearer);
    if (this.#bearers.size > MOST_SESSIONS) this.#bearers.delete(this.#bearers.keys().next().value!);
    return `${cookieName(port)}=${id}; Path=/ui; HttpOnly; SameSite=Strict`;
  }

  /** What the session of a request may send as `Authorization`. */
  authorization({ headers, socket }: IncomingMessage): string | undefined {
    const name = cookieName(socket.localPort ?? 0);
    const pairs = (headers.cookie ?? "").split(/; */);
    const id = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
    const bearer = id === undefined ? undefined : this.#bearers.get(id);
    return bearer === undefined ? undefined : `Bearer ${bearer}`;
  }
}

/** Browsers send the cookies of a host to all of its ports. */
function cookieName(port: number): string {
  return `codecompass-${port}`;
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHash("sha256").update(text).digest());
  return timingSafeEqual(a!, b!);
}
