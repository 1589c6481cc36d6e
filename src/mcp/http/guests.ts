/** Callers that are told apart by their tokens: each asks with rights of its own. */

export interface PrincipalSession {
  /** Tells it from others; never shown. */
  readonly name: string;
  run<T>(work: () => Promise<T>): Promise<T>;
}

export interface PrincipalAuth {
  /** Undefined for a token that is nobody's. */
  authenticate(token: string): Promise<PrincipalSession | undefined>;
  /** Whose request it is that runs now; undefined outside of one. */
  current(): string | undefined;
  close(): Promise<void>;
}
