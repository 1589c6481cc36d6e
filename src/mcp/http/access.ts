/**
 * Access checks of a request. A page in a browser can reach a local server under a host name of its own (DNS
 * rebinding), so Host and Origin are compared as exact names: never by prefix, suffix or resolved address.
 */
import { createHash, timingSafeEqual } from "node:crypto";

/** Unusual spellings of addresses (2130706433, 0x7f.1, 127.1) are deliberately not accepted. */
const AUTHORITY = /^(\[[0-9a-f:.]+\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)(?::\d{1,5})?$/i;
const ORIGIN = /^https?:\/\/(.+)$/i;

const LOOPBACK_NAMES = ["localhost", "127.0.0.1", "[::1]"];

export interface HostNames {
  /** Lower case; IPv6 in brackets. */
  readonly allowed: ReadonlySet<string>;
  /** Also accept the local address of the connection, which a wildcard bind does not know in advance. */
  readonly ownAddress: boolean;
}

interface RequestOrigin {
  readonly host: readonly string[] | undefined;
  readonly origin: readonly string[] | undefined;
  /** The server's address on this connection. */
  readonly localAddress: string | undefined;
}

export function allowedHostNames(bind: string, more: readonly string[], machine: string): HostNames {
  const own = isLoopback(bind) ? [bracketed(bind)] : [bracketed(bind), machine];
  const allowed = [...LOOPBACK_NAMES, ...own, ...more].map((name) => name.toLowerCase());
  return { allowed: new Set(allowed), ownAddress: !isLoopback(bind) };
}

export function isLoopback(bind: string): boolean {
  return /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1|\[::1\])$/i.test(bind);
}

/** Why the request is refused; undefined when both names are ours. A client that is no browser sends no Origin. */
export function refusedName(
  { host, origin, localAddress }: RequestOrigin,
  names: HostNames,
): "Host" | "Origin" | undefined {
  const isOurs = (name: string | undefined) =>
    name !== undefined && (names.allowed.has(name) || (names.ownAddress && name === addressName(localAddress)));
  if (host?.length !== 1 || !isOurs(parseHost(host[0]!))) return "Host";
  if (origin === undefined) return undefined;
  const [, authority] = (origin.length === 1 && ORIGIN.exec(origin[0]!)) || [];
  return authority !== undefined && isOurs(parseHost(authority)) ? undefined : "Origin";
}

/** The name of `name:port`, in lower case. */
function parseHost(authority: string): string | undefined {
  return AUTHORITY.exec(authority)?.[1]?.toLowerCase();
}

function addressName(address: string | undefined): string | undefined {
  if (address === undefined) return undefined;
  return bracketed(address.replace(/^::ffff:(?=\d+\.)/i, "")).toLowerCase();
}

function bracketed(address: string): string {
  return address.includes(":") && !address.startsWith("[") ? `[${address}]` : address;
}

export type TokenCheck = (header: string | undefined) => boolean;

/** Whether an Authorization header carries the token; without a token every request passes. */
export function tokenCheck(token: string | undefined): TokenCheck {
  if (token === undefined) return () => true;
  const expected = digest(token);
  return (header) => {
    const given = bearerToken(header);
    // Also compared when absent, and by digest, so that neither its presence nor its length shows.
    return timingSafeEqual(digest(given ?? ""), expected) && given !== undefined;
  };
}

/** What an Authorization header carries. */
export function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(header ?? "")?.[1];
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

export interface PrincipalSession {
  /** Identifies the principal; never shown. */
  readonly name: string;
  run<T>(work: () => Promise<T>): Promise<T>;
}

export interface PrincipalAuth {
  /** Undefined for an unknown token. */
  authenticate(token: string): Promise<PrincipalSession | undefined>;
  /** The principal of the current request; undefined outside of one. */
  current(): string | undefined;
  close(): Promise<void>;
}
