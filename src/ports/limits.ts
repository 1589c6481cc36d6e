/** Deadline and cancellation of a query. */
export interface Limits {
  /** Milliseconds from now after which the call gives up with what it has, flagged. */
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
}
