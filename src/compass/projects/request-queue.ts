/**
 * First come, first served: so many questions are in work at once, the others wait in line. Without a line a busy
 * server answers what is quick at once and lets searches, which have a thread of their own, wait for all the rest.
 */
import { isLongTurn, nextTurn } from "../../model/event-loop.ts";

/** Enough for the reader threads and for this one to be never idle. */
const IN_WORK = 8;

export class RequestQueue {
  readonly #most: number;
  readonly #line = new Set<() => void>();
  #inWork = 0;

  constructor(most = IN_WORK) {
    this.#most = most;
  }

  /** Who gives up while waiting loses the place. */
  async take<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    if (this.#inWork < this.#most) this.#inWork++;
    else await this.#turn(signal);
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  #turn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = () => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        if (this.#line.delete(start)) reject(signal!.reason);
      };
      this.#line.add(start);
      signal?.addEventListener("abort", leave, { once: true });
    });
  }

  /** Whoever waits longest takes over the place. One after the other would keep everybody else from being heard. */
  #next(): void {
    if (this.#line.size > 0 && isLongTurn()) void nextTurn().then(() => this.#hand());
    else this.#hand();
  }

  #hand(): void {
    const [start] = this.#line;
    if (start === undefined) {
      this.#inWork--;
      return;
    }
    this.#line.delete(start);
    start();
  }
}
