/**
 * Cuts a byte stream into lines. A line above the cap is reported once, as soon as it is too long, and then skipped up
 * to its end: the memory held is bounded whatever a client sends. (The SDK's reader ends the session at 10 MB.)
 */

export interface LineEvents {
  onLine(line: string): void;
  onTooLong(): void;
}

const NEWLINE = 0x0a;

export class LineReader {
  readonly #maxBytes: number;
  readonly #events: LineEvents;
  #parts: Buffer[] = [];
  #held = 0;
  #skipping = false;

  constructor(maxBytes: number, events: LineEvents) {
    this.#maxBytes = maxBytes;
    this.#events = events;
  }

  /** The chunk may be overwritten afterwards: what is kept is copied. */
  push(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      this.#hold(chunk.subarray(from, end));
      this.#finish();
      from = end + 1;
    }
    if (from < chunk.length) this.#hold(chunk.subarray(from), Buffer.from);
  }

  /** The last line may lack its newline. */
  end(): void {
    this.#finish();
  }

  #hold(part: Buffer, kept: (part: Buffer) => Buffer = (same) => same): void {
    if (this.#skipping) return;
    this.#held += part.length;
    if (this.#held <= this.#maxBytes) {
      this.#parts.push(kept(part));
      return;
    }
    this.#skipping = true;
    this.#parts = [];
    this.#events.onTooLong();
  }

  #finish(): void {
    const line = this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#held = 0;
    this.#skipping = false;
    if (line.length > 0) this.#events.onLine(line.toString("utf8"));
  }
}
