/**
 * Connections that no compiler sees: two places that name the same thing in a text, such as an HTTP route and the request
 * that reaches it. A file version stores its sides as facts; `navigate/connections.ts` matches their keys inside a view.
 * How to add a kind is in docs/connections.md.
 */

/** Append only: the order is not stored, the words are. */
export const CONNECTION_KINDS = [
  "route",
  "table",
  "env",
  "event",
  "script",
  "resource",
  "injection",
  "element",
  "rpc",
  "graphql",
  "config",
] as const;
export type ConnectionKind = (typeof CONNECTION_KINDS)[number];

/** `literal_key`: both sides write the same key. `partial_key`: a parameter or an unknown prefix was needed to match them. */
export const KEY_MATCHES = ["literal_key", "partial_key"] as const;
export type KeyMatch = (typeof KEY_MATCHES)[number];

/**
 * What a definition leads to: a symbol of the file, the use of a name at a position of the file, or a name as the
 * framework reads it, with the type before a `#`: `UsersController#show`.
 */
export type ConnectionTarget =
  | { readonly symbol: number }
  | { readonly line: number; readonly column: number; readonly word: string }
  | { readonly name: string };

/** One side of a connection in a file. */
export interface ConnectionFact {
  /** `mount`: a prefix for the definitions of its target; `constant`: its target holds the path. */
  readonly side: "definition" | "use" | "mount" | "constant";
  readonly kind: ConnectionKind;
  /** Normalised, see `routeKey` for routes; other kinds use the name as it is compared. */
  readonly key: string;
  /** 1-based. */
  readonly line: number;
  /** Innermost symbol around it, -1 for none. */
  readonly from: number;
  readonly target?: ConnectionTarget;
  /** The router or group that a route is defined on, where another file may mount it; see also `BASE` and `VERSION`. */
  readonly on?: string;
  /** The key may have a prefix that this file does not show. */
  readonly open?: true;
  /** The name of the constant that `CONSTANT` represents in the key. */
  readonly constant?: ConnectionTarget;
}

/** A part of a path that a constant holds, perhaps in another file. */
export const CONSTANT = "\u0001";

/** The key with the value of its constant. Without one, what it holds is left out: a prefix is often empty. */
export function withConstant(key: string, value: string | undefined): string {
  if (!key.includes(CONSTANT)) return key;
  const space = key.indexOf(" ");
  const path = key.slice(space + 1);
  const after = path.slice(path.indexOf(CONSTANT) + 1);
  const isPrefix = value === undefined && /^\/?\u0001\/[^/]/.test(path);
  const filled = value !== undefined ? path.replace(CONSTANT, value) : isPrefix ? after : `…${after}`;
  return routeKey(key.slice(0, space), filled.replaceAll(CONSTANT, PARAMETER));
}

/**
 * `on` of a route in a class without a prefix of its own: `base:Base Name`. The prefix of `Base` is a mount whose target has the
 * name `base:Base`; in it, `OWN_NAME` is the name of the class that inherits it.
 */
export const BASE = "base:";
export const OWN_NAME = "~";

/** `on` of a route with a version of its own: `version:2`. A mount has the default version in a segment that begins with `~`. */
export const VERSION = "version:";

/** Names under which `Snapshot.mentions` finds the files of a fact. */
export function connectionMentions(facts: readonly ConnectionFact[]): string[] {
  return facts.flatMap((fact) => {
    if (fact.side === "mount" || fact.side === "constant") return [definitionsMention(fact.kind)];
    if (fact.side === "definition") return [definitionsMention(fact.kind), ...namesServing(fact).map(servedMention)];
    return useWords(fact).map((word) => usesMention(fact.kind, word));
  });
}

/** Names of what may serve a definition; none if it is a symbol of its own file. */
export function namesServing({ target }: ConnectionFact): string[] {
  if (target === undefined || "symbol" in target) return [];
  if ("word" in target) return [target.word];
  return target.name.split("#").flatMap((part) => part.split(/::|[.\\/]/).findLast((it) => it !== "") ?? []);
}

/** Files with a definition that something of the name may serve. */
export function servedMention(name: string): string {
  return `#served ${name}`;
}

/** Files that define or mount a connection of the kind. */
export function definitionsMention(kind: ConnectionKind): string {
  return `#${kind}`;
}

/** Files that use a key with the word. */
export function usesMention(kind: ConnectionKind, word: string): string {
  return `#${kind} ${word}`;
}

/** Words of which each definition that may match has `definitionWord`. */
function useWords({ kind, key }: Pick<ConnectionFact, "kind" | "key">): string[] {
  if (kind !== "route") return [key];
  return [...new Set(["", ...literalSegments(key)])];
}

/** The word that every use of the key has. */
export function definitionWord(kind: ConnectionKind, key: string): string {
  return kind === "route" ? (literalSegments(key).at(-1) ?? "") : key;
}

function literalSegments(key: string): string[] {
  const { segments } = parseRouteKey(key);
  return segments.filter((it) => !it.includes(PARAMETER)).slice(-MAX_WORDS);
}

const MAX_WORDS = 8;

/** Any value of one segment; `{*}` is the rest of the path. */
const PARAMETER = "{}";
const REST = "{*}";

const METHOD = /^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|TRACE|CONNECT|ANY|WS)$/;

/** `GET /users/:id?x=1` as `GET /users/{}`. `…` is a prefix that is not known. */
export function routeKey(method: string, path: string): string {
  const verb = method.toUpperCase();
  return `${METHOD.test(verb) ? verb : "ANY"} ${PLAIN_PATH.test(path) ? path : normalisePath(path)}`;
}

/** Most paths have nothing to normalise, and `joinRoutes` normalises twice. */
const PLAIN_PATH = /^(?:\/|(?:\/(?:[A-Za-z0-9_-]+|\{\}))+)$/;

/** Ways to write a parameter: `:id`, `{id}`, `<int:id>`, `[id]`, `$id`, `(?P<id>\d+)`, and the rest of the path. */
function normalisePath(path: string): string {
  const open = path.startsWith("…");
  const segments = path
    .replace(/^…/, "")
    // What may be left out is a parameter all the same: `{id?}`, `:id?`.
    .replace(/(\{\w+|:\w+)\?(?=[}/]|$)/g, "$1")
    .replace(/[?#](?!P?<).*$/s, "")
    .split("/")
    .filter((it) => it !== "" && it !== ".")
    .map(normaliseSegment);
  return `${open ? "…" : ""}/${segments.join("/")}`;
}

function normaliseSegment(segment: string): string {
  if (
    /^(?:\*\*?\w*|:\w+\*|:\w+\(\.\*\)|\{\*+\w*\}|\{\w+:(?:path|\.\*|\.\+|\*)\}|\{\w+:?\.\.\.\}|<path:\w+>|\[\[?\.\.\.\w+\]\]?)$/.test(
      segment,
    )
  )
    return REST;
  return segment
    .replace(/\{[^{}]*\}|<[^<>]*>|:[A-Za-z_]\w*(?:\([^)]*\))?\??|\[\w+\]|\$\w+/g, PARAMETER)
    .replace(/\(\?\)/g, "");
}

interface RouteKey {
  readonly method: string;
  readonly segments: readonly string[];
  readonly open: boolean;
}

export function parseRouteKey(key: string): RouteKey {
  const space = key.indexOf(" ");
  const path = key.slice(space + 1);
  const open = path.startsWith("…");
  return {
    method: key.slice(0, space),
    segments: path
      .split("/")
      .slice(1)
      .filter((it) => it !== ""),
    open,
  };
}

export function joinRoutes(prefix: string, key: string): string {
  const space = key.indexOf(" ");
  return routeKey(key.slice(0, space), `${prefix}/${key.slice(space + 1)}`);
}

/** A setting as it is compared: `Jwt:Signing-Key`, `jwt.signingKey` and `jwt.signing_key` are one. */
export function configKey(written: string): string {
  return written.replace(/:|__/g, ".").replace(/[-_]/g, "").toLowerCase();
}

/** How well a use matches a definition: 0 not at all, more is better. `keyMatch` reads it. */
export function rankMatch(kind: ConnectionKind, use: ConnectionKey, definition: ConnectionKey): number {
  if (kind !== "route") return use.key === definition.key ? LITERAL : 0;
  const [one, other] = [parseRouteKey(use.key), parseRouteKey(definition.key)];
  const sameMethod = one.method === other.method;
  if (!sameMethod && one.method !== "ANY" && other.method !== "ANY") return 0;
  const exact = sameMethod ? 0.5 : 0;
  const whole = one.open || other.open ? 0 : rankSegments(one.segments, other.segments);
  if (whole > 0) return whole + exact;
  // A prefix that one side does not show: the other side must end with all that it does show.
  const isUseShort = one.segments.length < other.segments.length;
  const [long, short] = isUseShort ? [other.segments, one.segments] : [one.segments, other.segments];
  const mayLack = isUseShort ? use.open || one.open : definition.open || other.open;
  const mayLackEqually = long.length === short.length && (one.open || other.open);
  const tail = long.slice(long.length - short.length);
  // A parameter fits anything: alone it says nothing about a path whose beginning is not known.
  const shared = short.filter((it, i) => it === tail[i] && !it.includes(PARAMETER) && it !== REST).length;
  if (!(mayLack || mayLackEqually) || shared === 0) return 0;
  const [ofUse, ofDefinition] = isUseShort ? [short, tail] : [tail, short];
  return rankSegments(ofUse, ofDefinition) === 0 ? 0 : shared + exact;
}

interface ConnectionKey {
  readonly key: string;
  readonly open?: true | undefined;
}

/** Ranks of matches: both sides write the same; parameters fit; below, a suffix does. */
const LITERAL = 1_000;
const FITTING = 500;

export function keyMatch(rank: number): KeyMatch {
  return rank >= LITERAL ? "literal_key" : "partial_key";
}

function rankSegments(use: readonly string[], definition: readonly string[]): number {
  let same = 0;
  for (const [i, segment] of definition.entries()) {
    if (segment === REST) return FITTING + same;
    const written = use[i];
    if (written === undefined) return 0;
    if (written === segment) same++;
    else if (!fits(written, segment) && !fits(segment, written)) return 0;
  }
  if (use.length !== definition.length) return 0;
  return same === use.length ? LITERAL : FITTING + same;
}

/** `report-{}.pdf` fits `report-7.pdf`. */
function fits(written: string, pattern: string): boolean {
  if (!pattern.includes(PARAMETER)) return false;
  const [first, ...rest] = pattern.split(PARAMETER);
  if (!written.startsWith(first!)) return false;
  let at = first!.length;
  for (const [i, part] of rest.entries()) {
    const found = i === rest.length - 1 ? written.length - part.length : written.indexOf(part, at);
    if (found < at || !written.startsWith(part, found)) return false;
    at = found + part.length;
  }
  return true;
}

/** A connection key where a symbol's name is expected: `GET /users/:id`, `/users`, `env:DATABASE_URL`. */
export function parseConnectionKey(written: string): { kind: ConnectionKind; key: string } | undefined {
  const text = written.trim();
  const route = /^(?:route:\s*)?(?:([A-Za-z]+)\s+)?(\/\S*)$/.exec(text);
  if (route && (route[1] === undefined || METHOD.test(route[1].toUpperCase())))
    return { kind: "route", key: routeKey(route[1] ?? "ANY", route[2]!) };
  const [, kind, key] = /^(\w+):\s*([^\s:/].*)$/.exec(text) ?? [];
  if (kind === "config") return { kind, key: configKey(key!) };
  return kind !== "route" && (CONNECTION_KINDS as readonly (string | undefined)[]).includes(kind)
    ? { kind: kind as ConnectionKind, key: key! }
    : undefined;
}
