/** Stored bytes that are not what was written. Stores turn it into the refusal their caller understands. */
export class CorruptionError extends Error {
  constructor(what: string, options?: { cause?: unknown }) {
    super(what, options);
    this.name = "CorruptionError";
  }
}
