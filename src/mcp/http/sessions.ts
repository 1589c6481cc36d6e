/**
 * Sessions over HTTP. A session is a key and the little its handshake said; nothing is kept for requests that have
 * none. The number is bounded: the one that was not heard of for longest goes first, and its client starts anew.
 */
import { randomUUID } from "node:crypto";

export interface HttpSession {
  readonly key: string;
  /** Whether its client asked for S3's job reports. */
  readonly jobReports: boolean;
  readonly version: string;
  /** Whose it is; empty where callers are not told apart. */
  readonly owner: string;
}

const MOST = 4_096;

export class Sessions {
  readonly #known = new Map<string, HttpSession>();
  readonly #onEnd: (key: string) => void;

  constructor(onEnd: (key: string) => void = () => {}) {
    this.#onEnd = onEnd;
  }

  open(given: Omit<HttpSession, "key">): HttpSession {
    const session = { key: randomUUID(), ...given };
    this.#keep(session);
    return session;
  }

  /** A session that its handshake opened; undefined when it never was, was forgotten or is another's. */
  find(key: string, owner: string): HttpSession | undefined {
    const session = this.#known.get(key);
    if (session?.owner !== owner) return undefined;
    this.#keep(session);
    return session;
  }

  #keep(session: HttpSession): void {
    // A map remembers the order of insertion: the first was not heard of for longest.
    this.#known.delete(session.key);
    this.#known.set(session.key, session);
    if (this.#known.size <= MOST) return;
    const [oldest] = this.#known.keys();
    this.#known.delete(oldest!);
    this.#onEnd(oldest!);
  }
}

/** A name that a client without sessions gives itself. */
export function ownSessionName(header: string | string[] | undefined, owner: string): string | undefined {
  return typeof header === "string" && /^[\x21-\x7e]{1,128}$/.test(header) ? `own:${owner}:${header}` : undefined;
}
