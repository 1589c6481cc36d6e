/** Routes that are defined by calls in Go, C#, Rust and PHP: Gin, Echo, chi, net/http, minimal APIs, Axum and Laravel. */
import { type Argument, listItems, plainText, readPath } from "./call.ts";
import type { ConnectionFile, ConnectionRule, NamedUse } from "./connections.ts";
import {
  addMount,
  addRequest,
  addRoute,
  argumentNamed,
  CAPITAL_VERBS,
  lastName,
  plainTexts,
  targetOf,
  VERBS,
} from "./route-facts.ts";
import { type WrittenPath, writtenPath } from "./written-path.ts";

/** `router.GET("/x", …, handler)`: one row per way to write it. */
interface CallRow {
  readonly languages: readonly string[];
  readonly methods: Readonly<Record<string, string>>;
  /** Which argument is the handler: the last one, or the one after the path. */
  readonly handler: "last" | "second";
  /** Gives a prefix to what is defined on its result: `v1 := router.Group("/v1")`. */
  readonly groups: readonly string[];
}

const upper = Object.fromEntries(Object.values(VERBS).map((method) => [method, method]));

const ROWS: readonly CallRow[] = [
  {
    languages: ["go"],
    methods: { ...upper, ...CAPITAL_VERBS, Any: "ANY", All: "ANY", HandleFunc: "", Handle: "", Match: "" },
    handler: "last",
    groups: ["Group", "Route", "PathPrefix"],
  },
  {
    languages: ["csharp"],
    methods: Object.fromEntries(Object.entries(CAPITAL_VERBS).map(([name, method]) => [`Map${name}`, method])),
    handler: "second",
    groups: ["MapGroup"],
  },
];

function callRules({ languages, methods, handler, groups }: CallRow): ConnectionRule[] {
  return [
    {
      languages,
      names: groups,
      early: true,
      read(use, file) {
        const call = file.call(use);
        const [first, second] = call?.args ?? [];
        const written = first && writtenPath(file, first);
        if (written === undefined || !use.receiver) return;
        const group = { prefix: written.path, ...(written.constant && { constant: written.constant }) };
        const parent = lastName(use.receiver);
        const before = file.text.slice(Math.max(0, use.start - 80), use.start);
        const [assigned, variable, sign] = /(\w+)\s*(:?=)\s*$/.exec(before) ?? [];
        if (variable !== undefined) {
          file.setRouter(variable, use.at, { ...group, parent });
          addHandedOn(file, variable, use.at);
          // A variable of the package, or a field: other files may define routes on it.
          if (sign === "=")
            addMount(file, { at: use.at, ...written, on: parent, target: file.siteAt(use.start - assigned!.length) });
        } else if (second !== undefined && /^func\b/.test(file.text.slice(second.start, second.end))) {
          const inner = /^func\s*\(\s*(\w+)/.exec(file.text.slice(second.start, second.end))?.[1];
          if (inner !== undefined && inner !== parent) file.setRouter(inner, second.start, { prefix: "", parent });
          file.blocks.push({ start: second.start, end: second.end, ...group });
        } else addArgument(file, use, written, parent);
      },
    },
    {
      languages,
      names: Object.keys(methods),
      read(use, file) {
        const all = file.call(use)?.args ?? [];
        const listed = listedMethods(file, use, all);
        const args = listed ? all.slice(1) : all;
        const [first] = args;
        const last = handler === "last" ? args.at(-1) : args[1];
        if (first === undefined || last === undefined || last === first || !use.receiver) return;
        const plain = plainText(file.text, first);
        const written = plain === undefined ? writtenPath(file, first) : { path: plain };
        if (written === undefined) return;
        const [, verb, path] = /^(?:([A-Z]+) )?(\S*)$/.exec(written.path) ?? [];
        const text = file.text.slice(last.start, last.end);
        if (path === undefined || !isHandler(text)) return;
        if (methods[use.name] === "" && !/^[/{\u0001]/.test(path) && verb === undefined) return;
        // `g.Group("/users").Use(auth).POST("", create)`
        const [, root, chained] = /^([\w.]+)\s*\.(?:Map)?Group\(\s*"([^"]*)"/.exec(use.receiver) ?? [];
        addRoute(file, {
          ...written,
          at: use.at,
          methods: listed ?? [methods[use.name] || verb || methodsAfter(file, last.end)],
          path: chained === undefined ? path : `${chained}/${path}`,
          on: lastName(root ?? use.receiver),
          target: isLocal(file, text, use.at) ? undefined : targetOf(file, last),
        });
      },
    },
  ];
}

/** Methods before the path: `Match([]string{"GET"}, "/x", h)`, `Handle("GET", "/x", h)` of Gin. */
function listedMethods(file: ConnectionFile, { name }: NamedUse, args: readonly Argument[]): string[] | undefined {
  const [first, second] = args;
  if (first === undefined || second === undefined) return undefined;
  if (name === "Match") return plainTexts(file, afterType(file.text, first));
  if (name !== "Handle" || args.length < 3 || plainText(file.text, second) === undefined) return undefined;
  return [methodIn(file, first)];
}

/** The items of `[]string{"GET", "HEAD"}`. */
function afterType(text: string, range: Argument): Argument {
  const open = text.indexOf("{", range.start);
  return open < 0 || open >= range.end ? range : { ...range, start: open };
}

/** A string, a number or an object is an argument of something else. */
function isHandler(text: string): boolean {
  return !/^(?:["'`\d&{]|nil$|null$|true$|false$|ctx$|body$|map\[|strings?\.|bytes\.|url\.)/.test(text);
}

/** gorilla/mux: `.HandleFunc("/x", h).Methods("GET")`. */
function methodsAfter({ text }: ConnectionFile, at: number): string {
  return /^\s*\)\s*\.Methods\(\s*"([A-Z]+)"/.exec(text.slice(at, at + 80))?.[1] ?? "ANY";
}

/** `users.Register(v1.Group("/users"))`: the group belongs to what is called. */
function addArgument(file: ConnectionFile, use: NamedUse, written: WrittenPath, on: string): void {
  const before = file.text.slice(Math.max(0, use.start - 120), use.start);
  const callee = /([A-Za-z_]\w*)\((?:[\w.]+,\s*)*$/.exec(before);
  if (!callee) return;
  addMount(file, { at: use.at, ...written, on, target: file.siteAt(use.start - before.length + callee.index) });
}

/** A function that a variable of the function around it holds. */
function isLocal(file: ConnectionFile, name: string, at: number): boolean {
  const around = /^\w+$/.test(name) ? file.symbols[file.symbolAround(at)] : undefined;
  return around !== undefined && new RegExp(`\\b${name}\\s*:=`).test(file.text.slice(around.span.start, at));
}

/** `handler.Register(v1)` hands a group to a function that defines routes on it. */
function addHandedOn(file: ConnectionFile, variable: string, from = -1): void {
  const calls = new RegExp(`\\b([A-Za-z_]\\w*)\\((?:[\\w.]+,\\s*)*${variable}(?:\\s*,[^()]*)?\\)`, "g");
  for (const it of file.text.matchAll(calls))
    if (from < 0 || file.routerAt(variable, it.index) === file.routerAt(variable, from))
      addMount(file, { at: it.index, path: "", on: variable, target: file.siteAt(it.index) });
}

const GO_ROUTERS =
  /\b(\w+)\s+\*?(?:gin\.(?:RouterGroup|Engine|IRouter|IRoutes)|echo\.(?:Group|Echo)|fiber\.(?:Router|App)|chi\.(?:Router|Mux)|mux\.Router|http\.ServeMux)\b/g;

/** Parameters and variables of Go that are routers, passed to functions: `api.Users(v1)`. */
export function readGoRouters(file: ConnectionFile): void {
  const { language, text } = file;
  if (
    language !== "go" ||
    !/\b(?:gin|echo|fiber|chi|mux|http)\.(?:Router|Engine|IRoute|Group|Echo|App|Mux|ServeMux)/.test(text)
  )
    return;
  const names = new Set([...text.matchAll(GO_ROUTERS)].map((it) => it[1]!));
  for (const name of names) addHandedOn(file, name);
}

/** chi's `r.Mount("/users", users.Router())`. */
const CHI_MOUNT: ConnectionRule = {
  languages: ["go"],
  names: ["Mount"],
  early: true,
  read(use, file) {
    const [first, router] = file.call(use)?.args ?? [];
    const path = first && plainText(file.text, first);
    if (path === undefined || router === undefined || !use.receiver) return;
    addMount(file, { at: use.at, path, on: lastName(use.receiver), target: targetOf(file, router) });
  },
};

const AXUM_METHOD = /(?:^|[.\s:(])(get|post|put|patch|delete|head|options|any)\s*\(/g;

/** Axum's `.route("/x", get(show).post(create))`. */
const AXUM: ConnectionRule = {
  languages: ["rust"],
  names: ["route"],
  read(use, file) {
    const [first, second] = file.call(use)?.args ?? [];
    const path = first && readPath(file.text, first);
    if (second === undefined) {
      if (first !== undefined) addActixRoute(file, use, "", first);
      return;
    }
    const text = file.text.slice(second.start, second.end);
    if (path !== undefined && ACTIX_METHOD.test(text)) addActixRoute(file, use, path, second);
    if (!path?.startsWith("/") || ACTIX_METHOD.test(text)) return;
    for (const it of text.matchAll(AXUM_METHOD)) {
      if (depthAt(text, it.index) > 0) continue;
      const open = second.start + it.index + it[0].length - 1;
      const [handler] = listItems(file.text, { start: open, end: second.end });
      addRoute(file, { at: use.at, methods: [it[1]!], path, target: handler && targetOf(file, handler) });
    }
  },
};

function depthAt(text: string, end: number): number {
  let depth = 0;
  for (let i = 0; i < end; i++) depth += "([{".includes(text[i]!) ? 1 : ")]}".includes(text[i]!) ? -1 : 0;
  return depth;
}

const ACTIX_METHOD = /^(?:web::)?(get|post|put|patch|delete|head|method|route)\s*\([^()]*\)[\s\S]*?\.\s*to\s*\(/;

/** Actix: `.route("/x", web::get().to(list))` of a scope, `.route(web::get().to(list))` of a resource. */
function addActixRoute(file: ConnectionFile, use: NamedUse, path: string, written: Argument): void {
  const found = ACTIX_METHOD.exec(file.text.slice(written.start, written.end));
  if (!found) return;
  const [handler] = listItems(file.text, { start: written.start + found[0].length - 1, end: written.end });
  const method = /\bMethod::([A-Z]+)/.exec(found[0])?.[1] ?? found[1]!;
  const target = handler && targetOf(file, handler);
  addRoute(file, { at: use.at, methods: [method], path: `${scopeOf(use)}/${path}`, target });
}

/** The path at the beginning of a chain of Actix: `web::scope("/users").service(…)`. */
function scopeOf({ receiver }: NamedUse): string {
  return /^(?:\w+::)*(?:scope|resource)\(\s*"([^"]*)"\s*\)/.exec(receiver)?.[1] ?? "";
}

/** What is served or configured in a scope is under its path. */
const SCOPES: ConnectionRule = {
  languages: ["rust"],
  names: ["service", "configure"],
  early: true,
  read(use, file) {
    const [first] = file.call(use)?.args ?? [];
    const prefix = scopeOf(use);
    if (first === undefined) return;
    if (/^[\w:]+$/.test(file.text.slice(first.start, first.end)))
      addMount(file, { at: use.at, path: prefix, target: targetOf(file, first) });
    else if (prefix !== "") file.blocks.push({ start: first.start, end: first.end, prefix });
  },
};

/** Axum's `.nest("/api", users::router())`, `.merge(users::router())`. */
const NESTED: ConnectionRule = {
  languages: ["rust"],
  names: ["nest", "merge"],
  early: true,
  read(use, file) {
    const args = file.call(use)?.args ?? [];
    const router = args.at(-1);
    const path = use.name === "nest" ? args[0] && plainText(file.text, args[0]) : "";
    if (router === undefined || path === undefined) return;
    const callee = /^[\w:]*?(\w+)\([^()]*\)$/.exec(file.text.slice(router.start, router.end));
    if (callee) {
      const at = router.start + callee[0].indexOf("(") - callee[1]!.length;
      addMount(file, { at: use.at, path, target: file.siteAt(at) });
    } else file.blocks.push({ start: router.start, end: router.end, prefix: path });
  },
};

const RESOURCE: readonly (readonly [method: string, path: string, action: string, api: boolean])[] = [
  ["GET", "", "index", true],
  ["GET", "/create", "create", false],
  ["POST", "", "store", true],
  ["GET", "/{id}", "show", true],
  ["GET", "/{id}/edit", "edit", false],
  ["PUT", "/{id}", "update", true],
  ["PATCH", "/{id}", "update", true],
  ["DELETE", "/{id}", "destroy", true],
];

const LARAVEL_METHODS: Readonly<Record<string, string>> = { ...VERBS, any: "ANY", match: "", view: "GET" };
const isRoute = ({ receiver }: NamedUse) => /^\\?(?:[\w\\]*\\)?Route\b|\$router\b|\$route\b/.test(receiver);

/** Prefixes of Laravel: in the chain before a call, of the groups around it, and `/api` of `routes/api.php`. */
const LARAVEL_GROUPS: ConnectionRule = {
  languages: ["php"],
  names: ["group"],
  early: true,
  read(use, file) {
    if (!isRoute(use)) return;
    const args = file.call(use)?.args ?? [];
    const body = args.at(-1);
    if (body === undefined) return;
    const options = args.length > 1 ? argumentNamed(listItems(file.text, args[0]!), "prefix") : undefined;
    const prefix = `${chainPrefix(use)}/${(options && plainText(file.text, options)) ?? ""}`;
    const owner = /\bcontroller\(\s*\\?([\w\\]+)::class/.exec(use.receiver)?.[1];
    file.blocks.push({ start: body.start, end: body.end, prefix, ...(owner && { owner }) });
  },
};

function chainPrefix({ receiver }: NamedUse): string {
  return [...receiver.matchAll(/\bprefix\(\s*["']([^"']*)["']\s*\)/g)].map((it) => it[1]).join("/");
}

const LARAVEL: ConnectionRule = {
  languages: ["php"],
  names: [...Object.keys(LARAVEL_METHODS), "resource", "apiResource", "singleton", "apiSingleton", "livewire"],
  read(use, file) {
    if (!isRoute(use)) return;
    const args = file.call(use)?.args ?? [];
    const offset = use.name === "match" ? 1 : 0;
    const [first, second] = [args[offset], args[offset + 1]];
    const path = first && readPath(file.text, first);
    if (path === undefined) return;
    const isApi = file.path.endsWith("routes/api.php");
    if (isApi && !file.blocks.some(({ start }) => start < 0))
      file.blocks.unshift({ start: -1, end: file.text.length, prefix: "/api" });
    const prefix = chainPrefix(use);
    const method = LARAVEL_METHODS[use.name];
    const type = second && /^\\?([\w\\]+)::class$/.exec(file.text.slice(second.start, second.end))?.[1];
    if (method === undefined) {
      if (type !== undefined) addResource(file, use, { path: `${prefix}/${path}`, type: imported(file, type) });
      return;
    }
    const methods = method ? [method] : plainTexts(file, args[0]!);
    const owner = file.blocks.findLast((it) => it.owner && it.start <= use.at && use.at < it.end)?.owner;
    const target =
      second && use.name !== "view" ? laravelTarget(file, file.text.slice(second.start, second.end), owner) : undefined;
    addRoute(file, { at: use.at, methods, path: `${prefix}/${path}`, target });
  },
};

/** The full name of a class, as the file imports it. */
function imported({ text }: ConnectionFile, type: string): string {
  const [, name, alias] =
    new RegExp(`\\buse\\s+([\\w\\\\]*?\\b\\w+)(?:\\s+as\\s+(${type}))?\\s*;(?<=\\b${type}\\s*;)`).exec(text) ?? [];
  return alias !== undefined || name?.endsWith(type) ? name! : type;
}

function laravelTarget(file: ConnectionFile, written: string, owner: string | undefined): { name: string } | undefined {
  const pair = /^\[\s*\\?([\w\\]+)::class\s*,\s*["'](\w+)["']\s*,?\s*\]$/.exec(written);
  if (pair) return { name: `${imported(file, pair[1]!)}#${pair[2]}` };
  const text = /^["']\\?([\w\\]+)@(\w+)["']$/.exec(written);
  if (text) return { name: `${text[1]}#${text[2]}` };
  const type = /^(?:["']\\?([\w\\]+)["']|\\?([\w\\]+)::class)$/.exec(written);
  if (type && owner !== undefined && type[1]) return { name: `${imported(file, owner)}#${type[1]}` };
  return type ? { name: `${imported(file, type[1] ?? type[2]!)}#__invoke` } : undefined;
}

/** The routes of `Route::resource("photos", PhotoController::class)`. */
function addResource(file: ConnectionFile, use: NamedUse, { path, type }: { path: string; type: string }): void {
  const chain = file.text.slice(use.end, use.end + 600).split(";")[0]!;
  const listed = (name: string) => {
    const found = new RegExp(`(?:->${name}\\(|["']${name}["']\\s*=>)\\s*(\\[[^\\]]*\\]|["']\\w+["'])`).exec(chain)?.[1];
    return found && [...found.matchAll(/["'](\w+)["']/g)].map((it) => it[1]!);
  };
  const [only, except] = [listed("only"), listed("except")];
  // `photos.comments` is nested: `photos/{photo}/comments`.
  const nested = path.replace(/\.(?=\w)/g, "/{id}/");
  for (const [method, rest, action, isApi] of RESOURCE) {
    if ((use.name === "apiResource" && !isApi) || (only && !only.includes(action)) || except?.includes(action))
      continue;
    addRoute(file, { at: use.at, methods: [method], path: `${nested}${rest}`, target: { name: `${type}#${action}` } });
  }
}

/** Requests of Go, Java, C#, Rust and PHP: the name, the method, and which argument is the URL. */
interface RequestRow {
  readonly languages: readonly string[];
  readonly names: Readonly<Record<string, string>>;
  readonly receiver: RegExp;
  readonly url: number;
}

const CLIENT =
  /(?:^|[.>:])_?\$?(?:this|http|client|\w*[cC]lient|rest|restTemplate|\w*RestTemplate|reqwest|Http|api|server|mvc|mockMvc)(?:\(\))?$/;

const REQUEST_ROWS: readonly RequestRow[] = [
  {
    languages: ["go"],
    names: { Get: "GET", Post: "POST", Head: "HEAD", PostForm: "POST" },
    receiver: /^(?:http|\w*[cC]lient)$/,
    url: 0,
  },
  { languages: ["go"], names: { NewRequest: "", NewRequestWithContext: "" }, receiver: /^(?:http|httptest)$/, url: 1 },
  {
    languages: ["java", "kotlin"],
    names: {
      getForObject: "GET",
      getForEntity: "GET",
      postForObject: "POST",
      postForEntity: "POST",
      postForLocation: "POST",
      patchForObject: "PATCH",
    },
    receiver: CLIENT,
    url: 0,
  },
  {
    languages: ["csharp"],
    names: {
      GetAsync: "GET",
      GetStringAsync: "GET",
      GetFromJsonAsync: "GET",
      PostAsync: "POST",
      PostAsJsonAsync: "POST",
      PutAsync: "PUT",
      PutAsJsonAsync: "PUT",
      PatchAsync: "PATCH",
      DeleteAsync: "DELETE",
    },
    receiver: CLIENT,
    url: 0,
  },
  { languages: ["rust"], names: VERBS, receiver: /(?:reqwest|[cC]lient)(?:\(\))?$/, url: 0 },
  {
    languages: ["php"],
    names: { ...VERBS, getJson: "GET", postJson: "POST", putJson: "PUT", patchJson: "PATCH", deleteJson: "DELETE" },
    receiver: /^(?:\$this|Http|\$\w*[cC]lient)/,
    url: 0,
  },
  {
    languages: ["ruby"],
    names: VERBS,
    receiver: /^(?:conn|connection|client|@?\w*[cC]lient|Faraday|HTTParty|RestClient|HTTP)$/,
    url: 0,
  },
];

function requestRule({ languages, names, receiver, url }: RequestRow): ConnectionRule {
  return {
    languages,
    names: Object.keys(names),
    read(use, file) {
      if (!receiver.test(use.receiver)) return;
      const args = file.call(use)?.args ?? [];
      const at = use.name === "NewRequestWithContext" ? url + 1 : url;
      const written = args[at];
      const path = written && readPath(file.text, written);
      if (path === undefined) return;
      const method = names[use.name] || methodIn(file, args[at - 1]);
      addRequest(file, use, { method, path, relative: true });
    },
  };
}

/** `"GET"` or `http.MethodGet`. */
function methodIn(file: ConnectionFile, range: { start: number; end: number } | undefined): string {
  const text = range ? file.text.slice(range.start, range.end) : "";
  return /(?:Method)?([A-Za-z]+)"?$/.exec(text)?.[1]?.replace(/^Method/, "") ?? "GET";
}

export const CALL_ROUTES = [
  ...ROWS.flatMap(callRules),
  ...[CHI_MOUNT, AXUM, NESTED, SCOPES, LARAVEL_GROUPS, LARAVEL],
  ...REQUEST_ROWS.map(requestRule),
];
