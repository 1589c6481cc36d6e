/** Routes of Flask, FastAPI and Django; requests of requests, httpx and test clients. */

import { CONSTANT } from "../../model/connections.ts";
import type { TextRange } from "../file-names.ts";
import { type Argument, listItems, plainText, readCall, readPath } from "./call.ts";
import type { ConnectionFile, ConnectionRule } from "./connections.ts";
import { addMount, addRequest, addRoute, argumentNamed, lastName, plainTexts, targetOf, VERBS } from "./route-facts.ts";
import { writtenPath, writtenPaths } from "./written-path.ts";

const LANGUAGES = ["python"];
const FUNCTIONS = new Set(["fn", "method"]);

/** `@app.get("/x")`, `@bp.route("/x", methods=["POST"])`. */
const DECORATORS: ConnectionRule = {
  languages: LANGUAGES,
  names: [...Object.keys(VERBS), "route", "api_route", "websocket"],
  read(use, file) {
    if (!use.receiver || !file.isAnnotation(use)) return;
    const args = file.call(use)?.args ?? [];
    const written = writtenPath(file, argumentNamed(args, "path", "rule") ?? args[0] ?? EMPTY);
    const symbol = file.symbolAfter(use.end, ({ kind }) => FUNCTIONS.has(kind));
    if (written === undefined || symbol === undefined || !isRoutePath(written.path)) return;
    const listed = argumentNamed(args, "methods");
    const verb = VERBS[use.name] ?? (use.name === "websocket" ? "WS" : "GET");
    const methods = listed ? plainTexts(file, listed) : [verb];
    addRoute(file, { at: use.at, methods, ...written, on: lastName(use.receiver), target: { symbol } });
  },
};

/** `@mock.patch("shop.orders.total")` has the form of a route, too. */
function isRoutePath(path: string): boolean {
  return path === "" || path.startsWith("/") || path.startsWith("…") || path.startsWith(CONSTANT);
}

const EMPTY: TextRange = { start: 0, end: 0 };

const MAKER =
  /^[ \t]*(?:self\.)?(\w+)\s*(?::[^=\n]*)?=\s*(?:\w+\.)*(?:Blueprint|\w*APIRouter|APIBlueprint|Namespace)(?=\()/gm;

/** `Blueprint("x", __name__, url_prefix="/x")`, `APIRouter(prefix="/x")` and classes that are named after these. */
export function readPythonRouters(file: ConnectionFile): void {
  const { language, text } = file;
  if (
    language !== "python" ||
    !(text.includes("Router(") || text.includes("Blueprint(") || text.includes("Namespace("))
  )
    return;
  for (const it of text.matchAll(MAKER)) {
    const call = readCall(text, it.index + it[0].length, { bare: false });
    const range = argumentNamed(call?.args ?? [], "url_prefix", "prefix", "path");
    const written = range && writtenPath(file, range);
    const variable = it[1]!;
    if (written === undefined) continue;
    const at = it.index + it[0].indexOf(variable);
    const symbol = file.symbols.findIndex((it) => it.name === variable && it.parent === undefined && it.kind !== "use");
    // Other files may define routes on it.
    if (symbol >= 0) addMount(file, { at, ...written, on: variable, target: { symbol } });
    else file.setRouter(variable, at, { ...written, prefix: written.path });
  }
}

/** `app.register_blueprint(bp, url_prefix="/x")`, `app.include_router(users.router, prefix="/users")`. */
const MOUNTS: ConnectionRule = {
  languages: LANGUAGES,
  names: ["register_blueprint", "include_router", "mount"],
  early: true,
  read(use, file) {
    const args = file.call(use)?.args ?? [];
    const isMount = use.name === "mount";
    const router = isMount ? args[1] : args[0];
    const written = isMount ? args[0] : argumentNamed(args, "url_prefix", "prefix");
    if (router === undefined) return;
    const path = written === undefined ? { path: "" } : writtenPath(file, written);
    // A prefix that is computed is not known.
    const prefix = path ?? { path: "", open: true as const };
    addMount(file, { at: use.at, ...prefix, on: lastName(use.receiver), target: targetOf(file, router) });
  },
};

/** `app.add_url_rule("/x", view_func=f)`, `router.add_api_route("/x", f)`. */
const ADDED: ConnectionRule = {
  languages: LANGUAGES,
  names: ["add_url_rule", "add_api_route", "add_route"],
  read(use, file) {
    const args = file.call(use)?.args ?? [];
    const written = args[0] && writtenPath(file, args[0]);
    const handler = argumentNamed(args, "view_func", "endpoint") ?? args.filter((it) => it.name === undefined).at(-1);
    if (written === undefined || !/^[/\u0001]/.test(written.path) || handler === undefined) return;
    const listed = argumentNamed(args, "methods");
    const methods = listed ? plainTexts(file, listed) : ["GET"];
    addRoute(file, { at: use.at, methods, ...written, on: lastName(use.receiver), target: targetOf(file, handler) });
  },
};

/** Flask-RESTful's `api.add_resource(Users, "/users", "/users/<int:id>")`. */
const RESOURCES: ConnectionRule = {
  languages: LANGUAGES,
  names: ["add_resource"],
  read(use, file) {
    addResource(file, use.at, lastName(use.receiver), file.call(use)?.args ?? []);
    // `def add_org_resource(self, resource, *urls): self.add_resource(resource, *urls)` passes what it is given.
    const around = file.symbols[file.symbolAround(use.at)];
    if (around === undefined || !FUNCTIONS.has(around.kind) || !/^\s*\(\s*\w+\s*,\s*\*/.test(file.text.slice(use.end)))
      return;
    for (const it of file.text.matchAll(new RegExp(`\\b(\\w+)\\.${around.name}(?=\\()`, "g"))) {
      const call = readCall(file.text, it.index + it[0].length, { bare: false });
      addResource(file, it.index, it[1]!, call?.args ?? []);
    }
  },
};

function addResource(file: ConnectionFile, at: number, on: string, args: readonly Argument[]): void {
  const [resource, ...paths] = args.filter((it) => it.name === undefined);
  if (resource === undefined) return;
  const target = targetOf(file, resource);
  for (const it of paths)
    for (const written of writtenPaths(file, it))
      if (/^[/\u0001]/.test(written.path)) addRoute(file, { at, methods: ["ANY"], ...written, on, target });
}

/** Django REST framework's `router.register("users", UserViewSet)`. */
const VIEW_SETS: ConnectionRule = {
  languages: LANGUAGES,
  names: ["register"],
  read(use, file) {
    const [written, type] = file.call(use)?.args ?? [];
    if (!/[rR]outer$/.test(use.receiver) || written === undefined || type === undefined) return;
    const path = patternText(file, written);
    const target = targetOf(file, type);
    if (path === undefined || target === undefined) return;
    for (const rest of ["", "/{}"])
      addRoute(file, { at: use.at, methods: ["ANY"], path: `${path}${rest}`, on: lastName(use.receiver), target });
    addMount(file, { at: use.at, path, on: lastName(use.receiver), target });
  },
};

/** `@action(detail=True, methods=["post"], url_path="close")` of a view set, under the paths that the set is registered with. */
const VIEW_ACTIONS: ConnectionRule = {
  languages: LANGUAGES,
  names: ["action"],
  read(use, file) {
    if (use.receiver || !file.isAnnotation(use)) return;
    const args = file.call(use)?.args ?? [];
    const detail = argumentNamed(args, "detail");
    const symbol = file.symbolAfter(use.end, ({ kind }) => FUNCTIONS.has(kind));
    const type = symbol === undefined ? undefined : file.symbols[file.symbols[symbol]!.parent ?? -1];
    if (detail === undefined || type === undefined) return;
    const listed = argumentNamed(args, "methods");
    const url = argumentNamed(args, "url_path");
    const path = (url && patternText(file, url)) ?? file.symbols[symbol!]!.name;
    const isOne = file.text.slice(detail.start, detail.end) === "True";
    const methods = listed ? methodsIn(file, listed) : ["GET"];
    addRoute(file, {
      at: use.at,
      methods,
      path: `${isOne ? "{}/" : ""}${path}`,
      on: type.name,
      target: { symbol: symbol! },
    });
  },
};

/** `["get", "post"]`, `[HTTPMethod.GET]`. */
function methodsIn(file: ConnectionFile, range: Argument): string[] {
  return listItems(file.text, range).flatMap(
    (it) => /\w+(?=["']?$)/.exec(file.text.slice(it.start, it.end))?.[0] ?? [],
  );
}

/** `[path(…), *router.urls]`, `urlpatterns += router.urls`. */
const ROUTER_URLS: ConnectionRule = {
  languages: LANGUAGES,
  names: ["urls"],
  read(use, file) {
    if (!/^\w+$/.test(use.receiver) || !/\burlpatterns\b/.test(file.text)) return;
    const before = file.text.slice(Math.max(0, use.start - 80), use.start);
    if (!/(?:[[,(]\s*\*|\burlpatterns[^\n=]*\+?=\s*|\]\s*\+\s*)$/.test(before)) return;
    addMount(file, { at: use.at, path: "", on: "urlpatterns", target: file.siteAt(use.start) });
  },
};

/** Django's `path("users/<int:pk>/", views.detail)` in a list of `urlpatterns`. */
const PATTERNS: ConnectionRule = {
  languages: LANGUAGES,
  names: ["path", "re_path", "url"],
  read(use, file) {
    if (use.receiver || !/\burlpatterns\b/.test(file.text)) return;
    const [written, view] = file.call(use)?.args ?? [];
    if (written === undefined || view === undefined) return;
    const path = patternText(file, written);
    const around = file.symbols[file.symbolAround(use.at)];
    // A list of patterns is a router: `include(api_urls)`.
    const on = around && VARIABLES.has(around.kind) ? around.name : "urlpatterns";
    if (/^include\(/.test(file.text.slice(view.start, view.end))) includePatterns(file, { at: use.at, path, on }, view);
    else if (path !== undefined)
      addRoute(file, { at: use.at, methods: ["ANY"], path, on, target: targetOf(file, view) });
  },
};

const VARIABLES: ReadonlySet<string> = new Set(["var", "const", "field", "property"]);

function patternText(file: ConnectionFile, range: Argument): string | undefined {
  const written = file.text.slice(range.start, range.end);
  const text =
    plainText(file.text, range) ??
    plainText(file.text, { start: range.start + (/^\w*_?\(/.exec(written)?.[0].length ?? 0), end: range.end - 1 });
  return (text ?? readPath(file.text, range))
    ?.replace(/^\^|\$$/g, "")
    .replace(/\((?:\?P<\w+>)?(?:[^()]|\([^()]*\))*\)\??/g, "{}")
    .replace(/\/\?(?=$|\{)/g, "")
    .replace(/\\(.)/g, "$1");
}

/** `include("app.urls")`, `include(router.urls)`, `include([path(…)])`. */
function includePatterns(
  file: ConnectionFile,
  { at, path, on }: { readonly at: number; readonly path: string | undefined; readonly on: string },
  view: Argument,
): void {
  const open = file.text.indexOf("(", view.start);
  const [first] = listItems(file.text, { start: open, end: view.end });
  if (first === undefined) return;
  const [inner] = file.text[first.start] === "(" ? listItems(file.text, first) : [first];
  if (inner === undefined) return;
  const mount = { at, path: path ?? "", on, ...(path === undefined && { open: true as const }) };
  const module = plainText(file.text, inner);
  if (module !== undefined) addMount(file, { ...mount, target: { name: module } });
  else if (file.text[inner.start] === "[") file.blocks.push({ start: inner.start, end: inner.end, prefix: path ?? "" });
  else {
    // `users.router.urls` is the router.
    const name = /^\w+(?:\.\w+)*?(?=\.urls$|$)/.exec(file.text.slice(inner.start, inner.end))?.[0].length ?? 0;
    addMount(file, { ...mount, target: targetOf(file, { start: inner.start, end: inner.start + name }) });
  }
}

const CLIENT = /^(?:requests|httpx|session|http|c|\w*[cC]lient|\w*_?session|async_client|api)$/;

const REQUESTS: ConnectionRule = {
  languages: LANGUAGES,
  names: [...Object.keys(VERBS), "request"],
  read(use, file) {
    if (!CLIENT.test(lastName(use.receiver)) || file.isAnnotation(use)) return;
    const args = file.call(use)?.args ?? [];
    const [first, second] = args;
    const url = argumentNamed(args, "url") ?? (use.name === "request" ? second : first);
    const path = url && readPath(file.text, url);
    const method = VERBS[use.name] ?? (first && plainText(file.text, first));
    if (path !== undefined && method !== undefined) addRequest(file, use, { method, path, relative: false });
  },
};

export const PYTHON_ROUTES = [
  ...[DECORATORS, MOUNTS, ADDED, RESOURCES, VIEW_SETS, VIEW_ACTIONS, ROUTER_URLS, PATTERNS, REQUESTS],
];
