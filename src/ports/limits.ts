/** How long a question may take, and how its asker takes it back. */
export interface Limits {
  /** Milliseconds from now after which the call gives up with what it has, flagged. */
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
}
