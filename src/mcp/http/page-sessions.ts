/**
 * Sessions of browsers. A browser exchanges a token for a cookie that scripts cannot read; the cookie then represents the
 * bearer token, which is checked again on every request. The launch token of `codecompass ui` works once.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

const MOST_SESSIONS = 256;

export interface LaunchToken {
  /** Works once. */
  readonly token: string;
  /** The bearer token that its session gets. */
  readonly bearer: string;
}

export class PageSessions {
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
