/** The principals of a shared store: for commands that administer them, and for a server whose clients have tokens. */
import { hash } from "node:crypto";
import { CompassError } from "../model/errors.ts";
import type { Principals, PrincipalTokens, TokenOwner } from "../ports/principals.ts";
import { asPrincipal, presentPrincipal } from "./principal-context.ts";
import { isShared } from "./stores.ts";

/** For commands that administer principals. */
export async function openPrincipals(store: string): Promise<Principals> {
  requireShared(store, "principals are known to a shared store");
  const { postgresPrincipals } = await import("../adapters/postgres/principals.ts");
  return postgresPrincipals(store);
}

/** For the owner of the tables: other users may write to them without the right to change them. */
export async function migrateSharedStore(store: string): Promise<number> {
  requireShared(store, "only a shared store has tables to migrate");
  return (await import("../adapters/postgres/migrate.ts")).migrateStore(store);
}

function tooManyLookups(): CompassError {
  return new CompassError("internal_error", { reason: "too many unknown tokens are looked up at once", cause: "busy" });
}

function requireShared(store: string, what: string): void {
  if (isShared(store)) return;
  throw new CompassError("invalid_input", { parameter: "--store", reason: `${what}: give it as --store postgres://…` });
}

/** For the owner of the database, where other users may not create roles. */
export async function rolesSql(): Promise<string> {
  return (await import("../adapters/postgres/roles.ts")).ROLES_SQL;
}

/** The store decides with every request what a token gives access to; only its owner is cached. */
const OWNER_CACHE_MS = 5_000;
const MAX_CACHED_OWNERS = 10_000;
/** Lookups at once of tokens that have not proved valid: a flood of invented ones must not delay the others. */
const MAX_NEW_LOOKUPS = 16;

interface PrincipalContext {
  readonly name: string;
  /** Everything that `work` reads is read with this principal's rights. */
  run<T>(work: () => Promise<T>): Promise<T>;
}

interface TokenAuth {
  /** Undefined for a token that has no owner. */
  authenticate(token: string): Promise<PrincipalContext | undefined>;
  /** The principal of the request that runs now; undefined outside of one. */
  current(): string | undefined;
  close(): Promise<void>;
}

/** Throws where the store has no principals, or does not let this user act for them. */
export async function openPrincipalAuth(store: string, readStore: string): Promise<TokenAuth> {
  const { postgresTokens } = await import("../adapters/postgres/principals.ts");
  const tokens = postgresTokens(store, readStore);
  await tokens.check();
  return principalAuth(tokens, () => performance.now());
}

export function principalAuth(tokens: Pick<PrincipalTokens, "ownerOf" | "close">, now: () => number): TokenAuth {
  /** By the token's hash, so that no token is kept. A map remembers the order of insertion. */
  const owners = new Map<string, { readonly owner: Promise<TokenOwner | undefined>; readonly until: number }>();
  /** Tokens that were valid when they were last looked up. */
  const proven = new Set<string>();
  let newLookups = 0;
  const lookUp = async (token: string, key: string) => {
    const isNew = !proven.has(key);
    if (isNew && newLookups === MAX_NEW_LOOKUPS) throw tooManyLookups();
    if (isNew) newLookups++;
    try {
      const owner = await tokens.ownerOf(token);
      if (owner === undefined) proven.delete(key);
      else if (proven.size < MAX_CACHED_OWNERS) proven.add(key);
      return owner;
    } finally {
      if (isNew) newLookups--;
    }
  };
  const ownerOf = (token: string) => {
    const key = hash("sha256", token);
    const cached = owners.get(key);
    if (cached !== undefined && now() < cached.until) return cached.owner;
    const owner = lookUp(token, key);
    owners.delete(key);
    owners.set(key, { owner, until: now() + OWNER_CACHE_MS });
    if (owners.size > MAX_CACHED_OWNERS) owners.delete(owners.keys().next().value!);
    owner.catch(() => owners.delete(key));
    return owner;
  };
  return {
    authenticate: async (token) => {
      const owner = await ownerOf(token);
      return owner && { name: String(owner.id), run: (work) => asPrincipal(owner, work) };
    },
    current: () => presentPrincipal()?.id.toString(),
    close: () => tokens.close(),
  };
}
