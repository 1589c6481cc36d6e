/** Routes in nested blocks without brackets: Rails and Phoenix. */
import type { ConnectionTarget } from "../../model/connections.ts";
import type { TextRange } from "../file-names.ts";
import { type Argument, listItems, plainText } from "./call.ts";
import type { ConnectionFile, ConnectionRule, NamedUse } from "./connections.ts";
import { addRoute, argumentNamed, VERBS } from "./route-facts.ts";

/** One of the blocks around a route, as its framework reads it. */
interface RouteBlock extends TextRange {
  readonly prefix: string;
  /** Of one resource: what `member` and nested resources add to the prefix. */
  readonly item?: string;
  /** `collection do`: without the item of the resource around it. */
  readonly collection?: true;
  /** `member do`. */
  readonly member?: true;
  /** Module of the controllers. */
  readonly module?: string;
  readonly controller?: string;
}

const blocksOf = new WeakMap<ConnectionFile, RouteBlock[]>();

function blocks(file: ConnectionFile): RouteBlock[] {
  let known = blocksOf.get(file);
  if (known === undefined) {
    known = [];
    blocksOf.set(file, known);
  }
  return known;
}

function around(file: ConnectionFile, at: number): RouteBlock[] {
  return blocks(file).filter((it) => it.start < at && at < it.end);
}

/** The end of the block that begins after a call: the `end` that is indented as the line of the call. */
function blockEnd({ text }: ConnectionFile, at: number, after: number): number | undefined {
  const opener = /^\s*(?:do\b|\{)/.exec(text.slice(after, after + 20));
  if (!opener) return undefined;
  const start = text.lastIndexOf("\n", at) + 1;
  const indent = /^[ \t]*/.exec(text.slice(start))![0];
  const close = new RegExp(`\\n${indent}(?:end\\b|\\})`, "g");
  close.lastIndex = after;
  return close.exec(text)?.index ?? text.length;
}

/** The path before a route in its blocks. `own`: where the route is in the innermost resource. */
function prefixOf(within: readonly RouteBlock[], own: "nested" | "member" | "collection"): string {
  return within
    .map(({ prefix, item = "" }, i) => {
      const next = within[i + 1];
      const last = within.findLastIndex((it) => it.item !== undefined);
      if (item === "" || next?.collection) return prefix;
      return i === last && own === "collection" ? prefix : prefix + item;
    })
    .join("/");
}

const NAMED_VERBS: Readonly<Record<string, string>> = { ...VERBS, match: "", live: "GET", forward: "ANY", root: "GET" };

// Rails

const isRails = ({ path, text }: ConnectionFile) =>
  /(?:^|\/)config\/routes\b/.test(path) || text.includes("routes.draw");

/** A string or a symbol. */
function word(file: ConnectionFile, range: TextRange | undefined): string | undefined {
  if (range === undefined) return undefined;
  const text = file.text.slice(range.start, range.end);
  return /^:(\w+[?!]?)$/.exec(text)?.[1] ?? plainText(file.text, range);
}

function words(file: ConnectionFile, range: TextRange | undefined): string[] | undefined {
  if (range === undefined) return undefined;
  const list = /^%[iw]\[([^\]]*)\]$/.exec(file.text.slice(range.start, range.end));
  if (list) return list[1]!.trim().split(/\s+/);
  return listItems(file.text, range).flatMap((it) => word(file, it) ?? []);
}

const ACTIONS: readonly (readonly [method: string, path: string, action: string])[] = [
  ["GET", "", "index"],
  ["POST", "", "create"],
  ["GET", "/new", "new"],
  ["GET", "/:id/edit", "edit"],
  ["GET", "/:id", "show"],
  ["PATCH", "/:id", "update"],
  ["PUT", "/:id", "update"],
  ["DELETE", "/:id", "destroy"],
];

const RAILS_BLOCKS: ConnectionRule = {
  languages: ["ruby"],
  names: ["namespace", "scope", "resources", "resource", "member", "collection", "controller"],
  read(use, file) {
    if (!isRails(file) || use.receiver) return;
    const call = file.call(use) ?? { args: [], end: use.end };
    const { args } = call;
    const names = args.filter(({ name }) => name === undefined).flatMap((it) => word(file, it) ?? []);
    const end = blockEnd(file, use.at, call.end);
    const path = pathOption(file, argumentNamed(args, "path"));
    const range = end === undefined ? undefined : { start: call.end, end };
    const add = (block: Omit<RouteBlock, "start" | "end">) => range && blocks(file).push({ ...range, ...block });
    const module = word(file, argumentNamed(args, "module"));
    if (use.name === "namespace") add({ prefix: path ?? names[0] ?? "", module: names[0] ?? "" });
    else if (use.name === "member") add({ prefix: "", member: true });
    else if (use.name === "collection") add({ prefix: "", collection: true });
    else if (use.name === "controller") add({ prefix: "", controller: names[0]! });
    else if (use.name === "scope") {
      const controller = word(file, argumentNamed(args, "controller"));
      add({ prefix: path ?? names[0] ?? "", ...(module && { module }), ...(controller && { controller }) });
    } else for (const name of names) railsResource(file, use, { name, args, path, add });
  },
};

/** `path: nil` leaves the name out of the path. */
function pathOption(file: ConnectionFile, range: TextRange | undefined): string | undefined {
  return range && file.text.slice(range.start, range.end) === "nil" ? "" : word(file, range);
}

interface RailsResource {
  readonly name: string;
  readonly args: readonly Argument[];
  readonly path: string | undefined;
  add(block: Omit<RouteBlock, "start" | "end">): void;
}

function railsResource(file: ConnectionFile, use: NamedUse, { name, args, path, add }: RailsResource): void {
  const within = around(file, use.at);
  const isOne = use.name === "resource";
  const controller = word(file, argumentNamed(args, "controller")) ?? (isOne ? plural(name) : name);
  const module = word(file, argumentNamed(args, "module"));
  const [only, except] = [words(file, argumentNamed(args, "only")), words(file, argumentNamed(args, "except"))];
  const prefix = path ?? name;
  const base = `${prefixOf(within, "nested")}/${prefix}`;
  for (const [method, rest, action] of ACTIONS) {
    if (isOne && action === "index") continue;
    if ((only && !only.includes(action)) || except?.includes(action)) continue;
    const target = railsTarget(
      [...within, ...(module ? [{ start: 0, end: 0, prefix: "", module }] : [])],
      controller,
      action,
    );
    addRoute(file, {
      at: use.at,
      methods: [method],
      path: `${base}${isOne ? rest.replace("/:id", "") : rest}`,
      target,
    });
  }
  const param = word(file, argumentNamed(args, "param")) ?? "id";
  add({ prefix, controller, ...(module && { module }), item: isOne ? "" : `/:${param}` });
}

function plural(name: string): string {
  if (/[^aeiou]y$/.test(name)) return `${name.slice(0, -1)}ies`;
  if (/(?:ss|x|ch|sh|status|alias|bus)$/.test(name)) return `${name}es`;
  return name.endsWith("s") ? name : `${name}s`;
}

function railsTarget(within: readonly RouteBlock[], controller: string, action: string): ConnectionTarget {
  const modules = within.flatMap(({ module }) => (module ? module.split("/") : []));
  const type = [...modules, ...controller.replace(/^\//, "").split("/")].map(camel).join("::");
  // Rails means the one type of the whole name.
  return { name: `::${type}Controller#${action.replaceAll("-", "_")}` };
}

function camel(name: string): string {
  return name.replace(/(?:^|_)([a-z])/g, (_, first: string) => first.toUpperCase());
}

const RAILS_ROUTES: ConnectionRule = {
  languages: ["ruby"],
  names: [...Object.keys(VERBS), "match", "root"],
  read(use, file) {
    if (!isRails(file) || use.receiver) return;
    const call = file.call(use);
    if (call === undefined) return;
    const { args } = call;
    const within = around(file, use.at);
    // `get "/x" => "home#index"`: the pair is the first argument.
    const paired = /^[\s(]*(?:"([^"]*)"|'([^']*)'|:(\w+))\s*=>\s*["']([^"']*)["']/.exec(
      file.text.slice(use.end, call.end),
    );
    const names = paired
      ? [paired[1] ?? paired[2] ?? paired[3]!]
      : args.filter(({ name }) => name === undefined).flatMap((it) => word(file, it) ?? []);
    const isRoot = use.name === "root";
    const to = paired?.[4] ?? word(file, argumentNamed(args, "to")) ?? (isRoot ? names[0] : undefined);
    const via = words(file, argumentNamed(args, "via"));
    const methods = via ? via.map((it) => (it === "all" ? "ANY" : it)) : [NAMED_VERBS[use.name] || "ANY"];
    const on = word(file, argumentNamed(args, "on"));
    const own =
      on === "member" || on === "collection"
        ? on
        : within.at(-1)?.collection
          ? "collection"
          : within.at(-1)?.item !== undefined
            ? "nested"
            : "member";
    const served = argumentNamed(args, "to");
    const isInline = served !== undefined && /^(?:proc|lambda|->)/.test(file.text.slice(served.start, served.end));
    if (served && to === undefined && !isInline) return;
    for (const name of isRoot ? [""] : names) {
      const target = isInline ? undefined : railsTargetOf(within, { name, to, args, file });
      if (target === undefined && !isInline) continue;
      // Parts in brackets may be left out.
      const tail = isOwnAction(file, name, args, within, own) ? "" : name;
      const path = `${prefixOf(within, own)}/${tail}`.replace(/\(\.?:?format\)/g, "");
      for (const one of optionalPaths(path)) addRoute(file, { at: use.at, methods, path: one, target });
    }
  },
};

/** `patch :update` of a member or a collection is the path of the resource. */
function isOwnAction(
  file: ConnectionFile,
  name: string,
  [first]: readonly Argument[],
  within: readonly RouteBlock[],
  own: string,
): boolean {
  const last = within.at(-1);
  const isScoped = own !== "nested" || last?.member || last?.collection || last?.item === "";
  return Boolean(isScoped && first && file.text[first.start] === ":" && last && RESOURCE_ACTIONS.has(name));
}

const RESOURCE_ACTIONS: ReadonlySet<string> = new Set(["index", "create", "new", "show", "update", "destroy"]);

interface RailsTarget {
  readonly name: string;
  readonly to: string | undefined;
  readonly args: readonly Argument[];
  readonly file: ConnectionFile;
}

function railsTargetOf(
  within: readonly RouteBlock[],
  { name, to, args, file }: RailsTarget,
): ConnectionTarget | undefined {
  const [controller, action] = to?.includes("#") ? to.split("#") : [undefined, to];
  const owner =
    controller ?? word(file, argumentNamed(args, "controller")) ?? within.findLast((it) => it.controller)?.controller;
  const member = action ?? word(file, argumentNamed(args, "action")) ?? name;
  if (owner !== undefined) return railsTarget(within, owner, member);
  const [, first, second] = /^\/?([\w-]+)\/([\w-]+)$/.exec(name) ?? [];
  return first ? railsTarget(within, first, second!) : undefined;
}

/** `/top(/:length)` with and without what is in brackets. */
function optionalPaths(path: string): string[] {
  const open = path.indexOf("(");
  const close = path.lastIndexOf(")");
  if (open < 0 || close < open) return [path];
  const [before, inner, after] = [path.slice(0, open), path.slice(open + 1, close), path.slice(close + 1)];
  return [`${before}${after}`, ...optionalPaths(`${before}${inner}${after}`)];
}

// Phoenix

const isPhoenix = ({ text }: ConnectionFile) => /,\s*:router\b|Phoenix\.Router/.test(text);

const PHOENIX_SCOPES: ConnectionRule = {
  languages: ["elixir"],
  names: ["scope", "live_session"],
  read(use, file) {
    if (!isPhoenix(file) || use.receiver) return;
    const call = file.call(use);
    const end = call && blockEnd(file, use.at, call.end);
    if (call === undefined || end === undefined) return;
    const [first, second] = call.args.filter(({ name }) => name === undefined);
    const prefix = use.name === "scope" ? ((first && plainText(file.text, first)) ?? "") : "";
    const alias = argumentNamed(call.args, "alias") ?? (prefix === "" && first ? first : second);
    const module = alias && /^[A-Z][\w.]*$/.exec(file.text.slice(alias.start, alias.end))?.[0];
    const path = argumentNamed(call.args, "path");
    blocks(file).push({
      ...{ start: call.end, end, prefix: (path && plainText(file.text, path)) ?? prefix },
      ...(use.name === "scope" && module && { module }),
    });
  },
};

const PHOENIX_ROUTES: ConnectionRule = {
  languages: ["elixir"],
  names: [...Object.keys(VERBS), "match", "live", "resources"],
  read(use, file) {
    if (!isPhoenix(file) || use.receiver) return;
    const call = file.call(use);
    const args = call?.args ?? [];
    const positional = args.filter(({ name }) => name === undefined);
    const [written, type, action] = use.name === "match" ? positional.slice(1) : positional;
    const path = written && plainText(file.text, written);
    const module = type && /^[A-Z][\w.]*$/.exec(file.text.slice(type.start, type.end))?.[0];
    if (path === undefined || module === undefined) return;
    const within = around(file, use.at);
    const owner = [...within.flatMap((it) => it.module ?? []), module].join(".");
    if (use.name === "resources") {
      phoenixResources(file, use, { path, owner, args, end: call!.end });
      return;
    }
    const member = action && /^:(\w+[?!]?)$/.exec(file.text.slice(action.start, action.end))?.[1];
    const name = use.name === "live" ? `${owner}#mount` : `${owner}#${member ?? "call"}`;
    addRoute(file, {
      at: use.at,
      methods: [NAMED_VERBS[use.name] || methodOf(file, positional[0])],
      path: `${prefixOf(within, "nested")}/${path}`,
      target: { name },
    });
  },
};

function methodOf(file: ConnectionFile, range: TextRange | undefined): string {
  return (range && /^:(\w+)$/.exec(file.text.slice(range.start, range.end))?.[1]) ?? "ANY";
}

interface PhoenixResources {
  readonly path: string;
  readonly owner: string;
  readonly args: readonly Argument[];
  readonly end: number;
}

function phoenixResources(file: ConnectionFile, use: NamedUse, { path, owner, args, end }: PhoenixResources): void {
  const within = around(file, use.at);
  const [only, except] = [words(file, argumentNamed(args, "only")), words(file, argumentNamed(args, "except"))];
  const single = argumentNamed(args, "singleton") !== undefined;
  for (const [method, rest, action] of ACTIONS) {
    const named = action === "destroy" ? "delete" : action;
    if ((only && !only.includes(named)) || except?.includes(named) || (single && named === "index")) continue;
    const whole = `${prefixOf(within, "nested")}/${path}${single ? rest.replace("/:id", "") : rest}`;
    addRoute(file, { at: use.at, methods: [method], path: whole, target: { name: `${owner}#${named}` } });
  }
  const close = blockEnd(file, use.at, end);
  if (close !== undefined) blocks(file).push({ start: end, end: close, prefix: path, item: single ? "" : "/:id" });
}

export const BLOCK_ROUTES = [RAILS_BLOCKS, RAILS_ROUTES, PHOENIX_SCOPES, PHOENIX_ROUTES];
