/** When nobody has used anything for a while, what was kept for the next question is let go of. */
import type { Env } from "../../ports/env.ts";

/** Agents think between two questions, seldom this long. */
const REST_MS = 30_000;

export class IdleRelease {
  readonly #env: Env;
  readonly #rest: () => Promise<void>;
  #uses = 0;
  #waiting = false;

  constructor(env: Env, rest: () => Promise<void>) {
    this.#env = env;
    this.#rest = rest;
  }

  /** Somebody used something now: `rest` comes between once and twice `REST_MS` after the last use, once. */
  used(): void {
    this.#uses++;
    if (this.#waiting) return;
    this.#waiting = true;
    void this.#whenQuiet().finally(() => {
      this.#waiting = false;
    });
  }

  async #whenQuiet(): Promise<void> {
    for (let seen = -1; seen !== this.#uses; ) {
      seen = this.#uses;
      await this.#env.sleep(REST_MS);
    }
    // To rest is never a reason to fail.
    await this.#rest().catch(() => {});
  }
}
