/** What the rows of all frameworks share: paths, prefixes, handlers and requests. */
import { BASE, CONSTANT, type ConnectionTarget, joinRoutes, routeKey, VERSION } from "../../model/connections.ts";
import type { TextRange } from "../file-names.ts";
import { type Argument, listItems, plainText, readCall } from "./call.ts";
import type { ConnectionFile, NamedUse, RoutePrefix } from "./connections.ts";

export const VERBS: Readonly<Record<string, string>> = {
  get: "GET",
  post: "POST",
  put: "PUT",
  patch: "PATCH",
  delete: "DELETE",
  head: "HEAD",
  options: "OPTIONS",
};

/** The same with a capital, as functions and annotations are called. */
export const CAPITAL_VERBS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(VERBS).map(([name, method]) => [name[0]!.toUpperCase() + name.slice(1), method]),
);

export interface RouteDefinition {
  readonly at: number;
  readonly methods: readonly string[];
  readonly path: string;
  /** The variable that the route is defined on. */
  readonly on?: string;
  readonly target?: ConnectionTarget | undefined;
  /** Replaces words in the whole path. */
  fill?(path: string): string;
  /** What `CONSTANT` in the path represents. */
  readonly constant?: ConnectionTarget | undefined;
  /** The path is not under the prefixes around it. */
  readonly absolute?: true;
  /** There may be a prefix that is not known. */
  readonly open?: true;
}

export function addRoute(file: ConnectionFile, { at, methods, path, on, target, ...rest }: RouteDefinition): void {
  const { prefix: around, root, constant } = prefixAt(file, at, on);
  const prefix = rest.absolute ? "" : (rest.fill?.(around) ?? around);
  const named = prefix.includes(CONSTANT) ? constant : rest.constant;
  const isOpen = rest.open || (root !== undefined && !isApplication(file, root) && !isClosed(root));
  for (const method of methods)
    file.add(at, {
      side: "definition",
      kind: "route",
      key: joinRoutes(prefix, routeKey(method, path)),
      ...(target && { target }),
      ...(root !== undefined && { on: root }),
      ...(isOpen && { open: true as const }),
      ...(named && { constant: named }),
    });
}

/** Not a router that may be mounted under an unknown prefix. */
function isClosed(root: string): boolean {
  return root.startsWith(VERSION) || root.startsWith(BASE);
}

/** A prefix that this file gives to the routes of another. */
export function addMount(file: ConnectionFile, it: Omit<RouteDefinition, "methods">): void {
  const { at, path, on, target, open } = it;
  if (target === undefined) return;
  const { prefix, root, constant } = prefixAt(file, at, on);
  const named = prefix.includes(CONSTANT) ? constant : it.constant;
  file.add(at, {
    side: "mount",
    kind: "route",
    key: joinRoutes(prefix, routeKey("ANY", path)),
    target,
    ...(root !== undefined && { on: root }),
    ...(open && { open }),
    ...(named && { constant: named }),
  });
}

interface PrefixAt extends RoutePrefix {
  readonly root: string | undefined;
}

/** The prefixes of the blocks and groups around a route, and the variable at the root of the groups. */
function prefixAt(file: ConnectionFile, at: number, on?: string): PrefixAt {
  let [prefix, root] = ["", on];
  let constant: ConnectionTarget | undefined;
  for (let depth = 0; root !== undefined && depth < MAX_GROUPS; depth++) {
    const group = file.routerAt(root, at);
    if (group === undefined) break;
    prefix = `${group.prefix}/${prefix}`;
    constant = group.constant ?? constant;
    if (group.parent === undefined || group.parent === root) break;
    root = group.parent;
  }
  const around = file.blocks.filter((it) => it.start <= at && at < it.end);
  constant = around.find((it) => it.constant)?.constant ?? constant;
  return { prefix: [...around.map((it) => it.prefix), prefix].join("/"), root, ...(constant && { constant }) };
}

/** Groups inside groups. */
const MAX_GROUPS = 8;

const APPLICATION =
  /\b(?:express|[fF]astify|Flask|FastAPI|Starlette|Quart|gin\.(?:Default|New)|echo\.New|fiber\.New)\(|\bnew\s+(?:Hono|Koa|Elysia)\b|\bWebApplication\./g;

/** Whether a variable is the whole application, which nothing mounts. */
function isApplication(file: ConnectionFile, name: string): boolean {
  return name === "" || file.variablesOf(APPLICATION).has(name);
}

/** The last name of a receiver: `this.app` is `app`; "" for calls. */
export function lastName(receiver: string): string {
  const end = receiver.slice(-MAX_NAME);
  return /(?:^|[.>:\s])([A-Za-z_$][\w$]*)$/.exec(end)?.[1] ?? "";
}

/** A receiver may be a chain of a thousand lines. */
const MAX_NAME = 100;

/**
 * What serves a route: the name at the end of an argument, inside wrappers (`wrap(users.list)`), lists and functions that do
 * nothing but call it. Undefined for a function that is written there.
 */
export function targetOf(file: ConnectionFile, range: TextRange, depth = 0): ConnectionTarget | undefined {
  const { text } = file;
  if (depth > MAX_WRAPPERS) return undefined;
  const inner = { start: range.start, end: range.end };
  const written = text.slice(inner.start, inner.end).replace(BOUND, "");
  if (/^(?:\(?[\w\s,:{}]*\)?\s*=>|async\b|function\b|func\s*\(|lambda\b|fn\s*\()/.test(written)) return undefined;
  const name = /^&?[A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][\w$]*)*$/.exec(written);
  if (name) {
    const last = /[A-Za-z_$][\w$]*$/.exec(written)!;
    return file.siteAt(inner.start + last.index);
  }
  if (written.startsWith("[")) {
    const last = listItems(text, inner).at(-1);
    return last && targetOf(file, last, depth + 1);
  }
  const open = written.search(/[(<]/);
  if (open <= 0 || !written.endsWith(")")) return undefined;
  const call = readCall(text, inner.start + open, { bare: false });
  // `allow(users.list, "users:read")`: a string is an option of the wrapper.
  const last = call?.args.findLast((it) => it.name === undefined && !isText(text, it));
  // Without a function to wrap, the call makes what serves: `login.Handler()`, `serveFile("index.html")`.
  if (call && (last === undefined || isText(text, call.args[0]!)))
    return targetOf(file, { start: inner.start, end: inner.start + open }, depth + 1);
  return last && targetOf(file, last, depth + 1);
}

function isText(text: string, { start }: TextRange): boolean {
  return text[start] === '"' || text[start] === "'";
}

const MAX_WRAPPERS = 4;
/** `list.bind(this)` and `View.as_view()` are `list` and `View`. */
const BOUND = /(?<=^[\w$.]+)\.(?:bind|as_view|asView|as_asgi)\([\s\S]*\)$/;

/** Strings in an argument that is a string or a list of them. */
export function plainTexts(file: ConnectionFile, range: TextRange): string[] {
  return listItems(file.text, range).flatMap((it) => plainText(file.text, it) ?? []);
}

export function argumentNamed(args: readonly Argument[], ...names: string[]): Argument | undefined {
  return args.find(({ name }) => name !== undefined && names.includes(name));
}

/** A request that a client sends. `relative`: the client may have a base URL. */
export function addRequest(
  file: ConnectionFile,
  { at }: NamedUse,
  { method, path, relative }: { readonly method: string; readonly path: string; readonly relative: boolean },
): void {
  const local = withoutHost(path, relative);
  if (local === undefined) return;
  file.add(at, { side: "use", kind: "route", key: routeKey(method, local), ...(relative && { open: true as const }) });
}

/** The path of a URL. Undefined for public hosts: the application does not serve them. */
function withoutHost(path: string, relative: boolean): string | undefined {
  const url = /^(?:https?|wss?):\/\/([^/]*)(.*)$/.exec(path);
  if (url) {
    const isLocal =
      /^(?:localhost|127\.|0\.0\.0\.0|\[::1\]|[\w-]+(?::|$)|test(?:server)?\b|example\.com|[^/]*\{\})/.test(url[1]!);
    return isLocal ? url[2] || "/" : undefined;
  }
  if (path.startsWith("/") && !path.startsWith("//")) return path;
  if (path.startsWith("…")) return /^…\/?[\w{]/.test(path) ? path.replace(/^…(?!\/)/, "…/") : undefined;
  return relative && /^[\w-]+(?:\/|$)/.test(path) ? `/${path}` : undefined;
}
