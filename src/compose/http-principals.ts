/** Who comes in over HTTP where every principal has a token of its own: the store knows whose it is. */
import { hash } from "node:crypto";
import type { PrincipalTokens, TokenOwner } from "../ports/principals.ts";
import { asPrincipal, presentPrincipal } from "./asking.ts";

/** What a token opens is decided by the store with every question; this is only whose it is. */
const REMEMBERED_MS = 5_000;
const MOST_REMEMBERED = 10_000;

interface Guest {
  readonly name: string;
  /** Everything that is asked meanwhile is asked with this principal's rights. */
  run<T>(work: () => Promise<T>): Promise<T>;
}

interface Guests {
  /** Undefined for a token that is nobody's. */
  of(token: string): Promise<Guest | undefined>;
  /** Whose request it is that runs now; undefined outside of one. */
  present(): string | undefined;
  close(): Promise<void>;
}

/** Throws where the store knows no principals, or does not let this user speak for them. */
export async function openGuests(store: string): Promise<Guests> {
  const { postgresTokens } = await import("../adapters/postgres/principals.ts");
  const tokens = postgresTokens(store);
  await tokens.check();
  return guestsOf(tokens, () => performance.now());
}

export function guestsOf(tokens: Pick<PrincipalTokens, "ownerOf" | "close">, now: () => number): Guests {
  /** By the token's hash, so that none is kept. A map remembers the order of insertion. */
  const known = new Map<string, { readonly owner: Promise<TokenOwner | undefined>; readonly until: number }>();
  const ownerOf = (token: string) => {
    const key = hash("sha256", token);
    const remembered = known.get(key);
    if (remembered !== undefined && now() < remembered.until) return remembered.owner;
    const owner = tokens.ownerOf(token);
    known.delete(key);
    known.set(key, { owner, until: now() + REMEMBERED_MS });
    if (known.size > MOST_REMEMBERED) known.delete(known.keys().next().value!);
    owner.catch(() => known.delete(key));
    return owner;
  };
  return {
    of: async (token) => {
      const owner = await ownerOf(token);
      return owner === undefined ? undefined : guestOf(owner);
    },
    present: () => presentPrincipal()?.id.toString(),
    close: () => tokens.close(),
  };
}

function guestOf(principal: TokenOwner): Guest {
  return { name: String(principal.id), run: (work) => asPrincipal(principal, work) };
}
