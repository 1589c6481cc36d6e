/** Routes of Express, Fastify, Koa, Hono, Nest and their like; requests of fetch, axios, ky, got and supertest. */
import { type Argument, assignedBefore, listItems, plainText, readPath } from "./call.ts";
import type { ConnectionFile, ConnectionRule, NamedUse } from "./connections.ts";
import { addMount, addRequest, addRoute, argumentNamed, lastName, plainTexts, targetOf, VERBS } from "./route-facts.ts";
import { type WrittenPath, writtenPath, writtenPaths } from "./written-path.ts";

const LANGUAGES = ["javascript", "typescript", "tsx", "flow", "vue", "svelte", "astro", "html"];

const METHODS: Readonly<Record<string, string>> = { ...VERBS, del: "DELETE", all: "ANY" };

/** Names of routers; any other variable must be made by a `MAKER`. */
const ROUTER = /^(?:app|application|server|fastify|router|routes?|instance|hono|\w*(?:Router|Routes|App|Server))$/;
const CLIENT =
  /^(?:axios|\$axios|https?|\$http|api|client|ky|got|superagent|request|needle|agent|instance|fetcher|rest|\w*(?:Api|API|Client|Http|HTTP|Axios|Agent|Request|Fetch))$/;

const TEST_CLIENT = /\b(?:request|supertest|agent|app)\s*\([^()]*(?:\([^()]*\)[^()]*)*\)$/;

const MAX_CLIENT = 300;

/** `.get(path, …, handler)`, or `.route(path).get(handler)`; else a request of a client. */
const CALLS: ConnectionRule = {
  languages: LANGUAGES,
  names: Object.keys(METHODS),
  read(use, file) {
    const chained = routeOfChain(use, file);
    const name = lastName(use.receiver);
    const isTest = use.receiver.endsWith(")") && TEST_CLIENT.test(use.receiver.slice(-MAX_CLIENT));
    // Most calls of `get` are of a map: reading their arguments took 4 % of the time that a file takes.
    if (!chained && !isTest && !CLIENT.test(name) && !isRouter(name, file)) return;
    const args = file.call(use)?.args ?? [];
    const method = METHODS[use.name]!;
    if (chained) {
      const last = args.at(-1);
      if (last === undefined) return;
      const target = targetOf(file, last);
      for (const it of chained.paths) addRoute(file, { at: use.at, methods: [method], ...it, on: chained.on, target });
      return;
    }
    const [first] = args;
    if (first === undefined) return;
    if (args.length > 1 && isRouter(name, file) && isHandler(file.text, args.at(-1)!)) {
      // `this.get("/x", this.show, PERMISSION)`: what follows the handler of a class is no handler.
      const target = targetOf(file, (name === "this" && args.find((it) => isOwn(file.text, it))) || args.at(-1)!);
      for (const written of writtenPaths(file, first))
        if (/^[/\u0001…]|^\*$/.test(written.path) && !isPlainName(file.text, first))
          addRoute(file, { at: use.at, methods: [method], ...written, on: name, target });
      return;
    }
    if (!isTest && !CLIENT.test(name)) return;
    const path = readPath(file.text, first);
    if (path !== undefined) addRequest(file, use, { method, path, relative: !isTest });
  },
};

/** `router.route("/x")` before `.get(…)`, with other methods in between. */
function routeOfChain(
  { receiver, start }: NamedUse,
  file: ConnectionFile,
): { paths: WrittenPath[]; on: string } | undefined {
  const found = /^([\w$.]+)\s*\.route\(/.exec(receiver);
  if (!found) return undefined;
  const [first] = listItems(file.text, { start: start + found[0].length - 1, end: start + receiver.length });
  return first && { paths: writtenPaths(file, first), on: lastName(found[1]!) };
}

function isRouter(name: string, file: ConnectionFile): boolean {
  if (name === "") return false;
  if (ROUTER.test(name) || file.variablesOf(MAKER).has(name)) return true;
  return name === "this" ? ROUTING_CLASS.test(file.text) : file.routerAt(name, 0) !== undefined;
}

/** `class Users extends Controller { constructor() { this.get("/", this.list); } }`. */
const ROUTING_CLASS = /\bclass\s+\w+(?:<[^{]{0,80}>)?\s+extends\s+\w*(?:Controller|Router|Routes|RouteHandler)\b/;

const MAKER = /(?:\bexpress|Router|astify)\(/g;

function isOwn(text: string, { start }: Argument): boolean {
  return text.startsWith("this.", start);
}

/** `app.get(setting, value)`: a variable in lower case is seldom a path. */
function isPlainName(text: string, { start, end }: Argument): boolean {
  const name = /^[a-z][a-z0-9]*$/.exec(text.slice(start, end))?.[0];
  return name !== undefined && !/path|url|route|prefix|endpoint/.test(name);
}

/** A name, a function, a call that makes one; an object or a string is an option of a request. */
function isHandler(text: string, { start, end }: Argument): boolean {
  return !/^[{"'`\d]|^(?:true|false|null|undefined)$/.test(text.slice(start, end));
}

/** `fastify.route({ method, url, handler })`. */
const ROUTE_OBJECT: ConnectionRule = {
  languages: LANGUAGES,
  names: ["route"],
  read(use, file) {
    const [first] = file.call(use)?.args ?? [];
    if (first === undefined || file.text[first.start] !== "{" || !use.receiver) return;
    const items = listItems(file.text, first);
    addRouteObject(file, use.at, items, lastName(use.receiver));
  },
};

function addRouteObject(file: ConnectionFile, at: number, items: readonly Argument[], on?: string): boolean {
  const url = argumentNamed(items, "url", "path");
  const methods = argumentNamed(items, "method", "methods");
  const handler = argumentNamed(items, "handler", "controller", "action");
  const written = url && writtenPath(file, url);
  if (written === undefined || methods === undefined) return false;
  const target = handler && targetOf(file, handler);
  const names = plainTexts(file, methods);
  addRoute(file, { at, methods: names, ...written, ...(on !== undefined && { on }), target });
  return names.length > 0;
}

const KEYED = /["'`](get|post|put|patch|delete|all|head|options) (\/[^\s"'`]*)["'`]\s*:\s*(?=[^\s:,)])/gi;
const LISTED = /\{\s*(?:method|path|url)\s*:\s*["'`]/g;

/** Tables of routes: `"get /users": { controller: users.list }`, `[{ method: "GET", path: "/users", handler: list }]`. */
export function readRouteTables(file: ConnectionFile): void {
  const { language, text } = file;
  if (!LANGUAGES.includes(language)) return;
  if (KEYED_WORD.test(text))
    for (const it of text.matchAll(KEYED)) {
      const start = it.index + it[0].length;
      const isObject = text[start] === "{";
      const items = isObject ? listItems(text, { start, end: text.length }) : [];
      const name = /^[\w$.]+/.exec(text.slice(start, start + 100))?.[0];
      const handler = isObject
        ? argumentNamed(items, "controller", "handler", "action")
        : name && { start, end: start + name.length };
      if (!handler) continue;
      addRoute(file, { at: it.index, methods: [it[1]!], path: it[2]!, on: "table", target: targetOf(file, handler) });
    }
  if (!text.includes("handler") || !text.includes("method")) return;
  for (const it of text.matchAll(LISTED)) {
    if (/\.route\(\s*$/.test(text.slice(Math.max(0, it.index - 20), it.index))) continue;
    const items = listItems(text, { start: it.index, end: text.length });
    if (argumentNamed(items, "handler", "controller") !== undefined) addRouteObject(file, it.index, items, "table");
  }
}

const KEYED_WORD = /["'`](?:get|post|put|patch|delete|GET|POST|PUT|PATCH|DELETE) \//;

/** `app.use("/api", router)`, `fastify.register(plugin, { prefix })`. */
const MOUNTS: ConnectionRule = {
  languages: LANGUAGES,
  names: ["use", "register", "useWithMiddleware"],
  early: true,
  read(use, file) {
    const args = file.call(use)?.args ?? [];
    const made = /^(?:new\s+)?(?:express\.)?Router\(/.test(use.receiver);
    const on = made ? (assignedBefore(file.text, use.start) ?? "") : lastName(use.receiver);
    if (args.length === 0 || !(made || isRouter(on, file))) return;
    const isPlugin = use.name === "register";
    if (isPlugin && /^(?:fastify)?[aA]uto[lL]oad$/.test(file.text.slice(args[0]!.start, args[0]!.end))) {
      addFolder(file, use, args[1]);
      return;
    }
    const last = args.find((it, i) => i > 0 && MADE_ROUTER.test(file.text.slice(it.start, it.end))) ?? args.at(-1)!;
    const mounted = withoutRoutes(file.text, isPlugin ? args[0]! : last);
    const options = isPlugin && args[1] ? argumentNamed(listItems(file.text, args[1]), "prefix") : undefined;
    const written = isPlugin ? options : args.length > 1 ? args[0] : undefined;
    const prefix = written === undefined ? { path: "" } : writtenPath(file, written);
    if (prefix === undefined || (written !== undefined && /^\w+\(/.test(file.text.slice(written.start, written.end))))
      return;
    const text = file.text.slice(mounted.start, mounted.end);
    const required = /^(?:require|import)\(\s*["']([^"']+)["']\s*\)/.exec(text);
    if (/^[\w$.]+$/.test(text)) file.setRouter(lastName(text), use.at, { ...prefix, prefix: prefix.path, parent: on });
    const type = MADE_ROUTER.exec(text);
    const isName = /^[\w$.]+(?:\.\w+\(\))?$/.test(text);
    const target = required
      ? { name: required[1]! }
      : type
        ? file.siteAt(mounted.start + type[0].length - type[1]!.length)
        : isName && targetOf(file, mounted);
    if (target) addMount(file, { at: use.at, ...prefix, on, target });
  },
};

/** `new UserController(config).router` is the router that the class makes. */
const MADE_ROUTER = /^new\s+(?:\w+\.)*([A-Z]\w*)(?=\([\s\S]*\)(?:\.\w+(?:\(\))?)?$)/;

/** The router in Koa's `router.routes()`. */
function withoutRoutes(text: string, range: Argument): Argument {
  const found = /^[\w$.]+(?=\.(?:routes|middleware)\(\)$)/.exec(text.slice(range.start, range.end));
  return found ? { ...range, end: range.start + found[0].length } : range;
}

/** Fastify's autoload: the routes in a folder are under the names of their folders. */
function addFolder(file: ConnectionFile, use: NamedUse, options: Argument | undefined): void {
  const items = options ? listItems(file.text, options) : [];
  const dir = argumentNamed(items, "dir");
  const folder = dir && [...file.text.slice(dir.start, dir.end).matchAll(/["'`]([\w./-]+)["'`]/g)].at(-1)?.[1];
  if (folder === undefined) return;
  const name = `folder:${folder.replace(/^\.?\//, "")}`;
  const inner = argumentNamed(items, "options");
  const prefix = inner && argumentNamed(listItems(file.text, inner), "prefix");
  addMount(file, { at: use.at, path: (prefix && plainText(file.text, prefix)) ?? "", target: { name } });
}

/** Nest's `app.setGlobalPrefix("api")`, and the version that `app.enableVersioning` puts behind it. */
const GLOBAL_PREFIX: ConnectionRule = {
  languages: LANGUAGES,
  names: ["setGlobalPrefix", "enableVersioning"],
  read(use, file) {
    const [first] = file.call(use)?.args ?? [];
    const version = versionSegment(file);
    if (use.name === "enableVersioning" && (version === "" || file.text.includes("setGlobalPrefix("))) return;
    const path = use.name === "enableVersioning" ? "" : first && plainText(file.text, first);
    if (path !== undefined) addMount(file, { at: use.at, path: `${path}${version}`, target: { name: "folder:" } });
  },
};

/** `/~v1` for versions in paths; "" without them. */
function versionSegment({ text }: ConnectionFile): string {
  const options = /\benableVersioning\(\s*(\{[^}]*\})?/.exec(text);
  if (options === null || /VersioningType\.(?!URI\b)/.test(options[1] ?? "")) return "";
  const [, prefix] = /\bprefix\s*:\s*["'](\w*)["']/.exec(options[1] ?? "") ?? [];
  const [, version = ""] = /\bdefaultVersion\s*:\s*["'](\w+)["']/.exec(options[1] ?? "") ?? [];
  return `/~${prefix ?? "v"}.${version}`;
}

/** `[{ path: "/users", route: users }].forEach(({ path, route }) => router.use(path, route))`. */
const LISTED_MOUNTS: ConnectionRule = {
  languages: LANGUAGES,
  names: ["use"],
  early: true,
  read(use, file) {
    const [path, router, ...rest] = file.call(use)?.args ?? [];
    if (path === undefined || router === undefined || rest.length > 0) return;
    const key = lastName(file.text.slice(path.start, path.end));
    const value = lastName(file.text.slice(router.start, router.end));
    if (key === "" || value === "") return;
    const listed = new RegExp(
      `\\b${key}\\s*:\\s*["'\`]([^"'\`]*)["'\`]\\s*,\\s*${value}\\s*:\\s*([\\w.]*?)(\\w+)\\s*[,}]`,
      "g",
    );
    for (const it of file.text.matchAll(listed)) {
      const at = it.index + it[0].lastIndexOf(it[3]!);
      addMount(file, { at, path: it[1]!, on: lastName(use.receiver), target: file.siteAt(at) });
    }
  },
};

/** Functions that send a request to their first argument. */
const REQUESTS: ConnectionRule = {
  languages: LANGUAGES,
  names: ["fetch", "axios", "$fetch", "useFetch", "useSWR", "ky", "got", "apiFetch", "fetchJson"],
  read(use, file) {
    const args = file.call(use)?.args ?? [];
    const [first, second] = args;
    if (first === undefined) return;
    const options = listItems(file.text, second ?? first);
    const method = argumentNamed(options, "method", "type");
    const url = file.text[first.start] === "{" ? argumentNamed(options, "url") : first;
    const path = url && readPath(file.text, url);
    if (path === undefined) return;
    const relative = use.name !== "fetch" && use.name !== "useSWR";
    addRequest(file, use, { method: (method && plainText(file.text, method)) ?? "GET", path, relative });
  },
};

export const ECMASCRIPT_ROUTES = [CALLS, ROUTE_OBJECT, MOUNTS, LISTED_MOUNTS, GLOBAL_PREFIX, REQUESTS];
