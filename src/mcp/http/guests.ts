/** Callers that are told apart by their tokens: each asks with rights of its own. */

export interface Guest {
  /** Tells it from others; never shown. */
  readonly name: string;
  run<T>(work: () => Promise<T>): Promise<T>;
}

export interface Guests {
  /** Undefined for a token that is nobody's. */
  of(token: string): Promise<Guest | undefined>;
  /** Whose request it is that runs now; undefined outside of one. */
  present(): string | undefined;
  close(): Promise<void>;
}
