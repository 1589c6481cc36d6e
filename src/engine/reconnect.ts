/** Waits for a database server that restarts, and not for one that was waited for in vain. */
import { Aborted } from "./segments.ts";

const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 400;

export class Reconnector {
  readonly #mostMs: number;
  readonly #isLost: (error: unknown) => boolean;
  /** Whether it is worth waiting for: it has answered, and was not waited for in vain since. */
  #expected = false;

  /** `isLost`: whether the connection, and not the request, is to blame. */
  constructor(mostMs: number, isLost: (error: unknown) => boolean) {
    this.#mostMs = mostMs;
    this.#isLost = isLost;
  }

  noteAnswer(): void {
    this.#expected = true;
  }

  async retry<T>(signal: AbortSignal | undefined, run: () => Promise<T>): Promise<T> {
    const end = performance.now() + this.#mostMs;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        return await run();
      } catch (error) {
        if (!this.#isLost(error) || !this.#expected) throw error;
        if (performance.now() > end) {
          // The end of a failed job writes more rows, and each write would wait again.
          this.#expected = false;
          throw error;
        }
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
      if (signal?.aborted) throw new Aborted(signal.reason);
    }
  }
}
