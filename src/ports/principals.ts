/** Who may see which repositories of a shared store, by the token that they show. */

export interface Principal {
  readonly name: string;
  /** Names of repositories; `*` stays inside one part of a name, `**` does not. */
  readonly globs: readonly string[];
  /** How many repositories of the store these are now. */
  readonly repositories: number;
  readonly createdAt: number;
  readonly expiresAt?: number;
}

export interface Principals {
  /** Returns the token, which is kept nowhere. Refuses a name that is taken. */
  add(asked: NewPrincipal): Promise<string>;
  /** By name. */
  list(): Promise<readonly Principal[]>;
  /** From this moment its token opens nothing. False when there is no such principal. */
  remove(name: string): Promise<boolean>;
  close(): Promise<void>;
}

export interface NewPrincipal {
  readonly name: string;
  readonly globs: readonly string[];
  readonly expiresAt?: number;
}

/** What a server asks: whose token is this? */
export interface PrincipalTokens {
  /** Throws where the store is not prepared for principals, or this user may not speak for them. */
  check(): Promise<void>;
  /** Undefined for a token that belongs to no principal or has expired. */
  ownerOf(token: string): Promise<TokenOwner | undefined>;
  close(): Promise<void>;
}

/** A principal that has shown its token. */
export interface TokenOwner {
  readonly id: number;
  /** Proves to the store, with every statement, that the token was shown. Never logged and never part of a message. */
  readonly secret: string;
}
