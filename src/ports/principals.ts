/** Access control of a shared store: which token may read which repositories. */

export interface Principal {
  readonly name: string;
  /** Names of repositories; `*` stays inside one part of a name, `**` does not. */
  readonly globs: readonly string[];
  /** Number of repositories that match now. */
  readonly repositories: number;
  readonly createdAt: number;
  readonly expiresAt?: number;
}

export interface Principals {
  /** Returns the token, which is not stored. Refuses a name that is taken. */
  add(principal: NewPrincipal): Promise<string>;
  /** Replaces the repositories that the principal may read; its token stays. False when there is no such principal. */
  setGlobs(name: string, globs: readonly string[]): Promise<boolean>;
  /** By name. */
  list(): Promise<readonly Principal[]>;
  /** Revokes the token at once. False when there is no such principal. */
  remove(name: string): Promise<boolean>;
  close(): Promise<void>;
}

export interface NewPrincipal {
  readonly name: string;
  readonly globs: readonly string[];
  readonly expiresAt?: number;
}

/** Looks up the owner of a token, for a server. */
export interface PrincipalTokens {
  /** Throws if the store is not prepared for principals, or this login may not act for them. */
  check(): Promise<void>;
  /** Undefined for a token that belongs to no principal or has expired. */
  ownerOf(token: string): Promise<TokenOwner | undefined>;
  close(): Promise<void>;
}

/** A principal that presented its token. */
export interface TokenOwner {
  readonly id: number;
  /** Sent to the store with every statement as proof of the token. Never logged and never part of a message. */
  readonly secret: string;
}
