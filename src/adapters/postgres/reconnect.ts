/** Waits for a server that went away, and asks again: one that restarts after a crash answers within a few seconds. */
import { Aborted, isUnreachable } from "./failures.ts";

const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 400;

export class Patience {
  readonly #mostMs: number;
  /** Whether it is worth waiting for: it has answered, and was not waited for in vain since. */
  #expected = false;

  constructor(mostMs: number) {
    this.#mostMs = mostMs;
  }

  answered(): void {
    this.#expected = true;
  }

  async until<T>(signal: AbortSignal | undefined, run: () => Promise<T>): Promise<T> {
    const end = performance.now() + this.#mostMs;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        return await run();
      } catch (error) {
        if (!isUnreachable(error) || !this.#expected) throw error;
        if (performance.now() > end) {
          // Whoever ends a job that failed by this has more to say, and each word would be waited for again.
          this.#expected = false;
          throw error;
        }
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
      if (signal?.aborted) throw new Aborted(signal.reason);
    }
  }
}
