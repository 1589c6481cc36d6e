/**
 * Parts of a store that fail by themselves, such as databases that hold the content of some repositories. A read that needs
 * a part which is known to be out fails at once, and no other read does. A slow part is probed, and is out if it is silent.
 */
import { Aborted } from "./segments.ts";

/** A part of the store is out, or too slow to wait for. */
export class PartUnavailable extends Error {
  readonly part: string;

  constructor(part: string, cause?: unknown) {
    super(`data node ${part} does not answer`, { cause });
    this.part = part;
  }
}

export interface OutageOptions {
  /** Whether the part answers. Fails where the store itself does not answer. */
  readonly probe: (part: string) => Promise<boolean>;
  /** Whether a failed read means that its part is out. */
  readonly isOutage: (error: unknown) => boolean;
}

/** A read that runs for this long has its part probed, then again after twice as long. */
const SLOW_MS = 300;
/** A part that is out is probed again after this long. */
const RETRY_MS = 5_000;
/** An answer that was begun without the part may still be under way: it is called missing for a while longer. */
const MISSED_MS = 5_000;

interface Outage {
  /** When the part is probed again. */
  retryAt: number;
  /** When a probe found it back. */
  backAt?: number;
}

export class Outages {
  readonly #options: OutageOptions;
  readonly #outages = new Map<string, Outage>();
  readonly #probing = new Map<string, Promise<boolean>>();

  constructor(options: OutageOptions) {
    this.#options = options;
  }

  /** Parts that are out, or were when an answer that is still under way was begun. */
  get missing(): readonly string[] {
    const now = performance.now();
    const missing = [...this.#outages].filter(([, { backAt }]) => backAt === undefined || now < backAt + MISSED_MS);
    return missing.map(([part]) => part);
  }

  /** Throws `PartUnavailable` where the part is out or turns out to be. */
  async run<T>(part: string | undefined, read: () => Promise<T>): Promise<T> {
    if (part === undefined) return read();
    if (this.#isOut(part)) throw new PartUnavailable(part);
    try {
      return await this.#unlessSlow(part, read());
    } catch (error) {
      if (!(error instanceof PartUnavailable || this.#options.isOutage(error))) throw error;
      this.#outages.set(part, { retryAt: performance.now() + RETRY_MS });
      throw error instanceof PartUnavailable ? error : new PartUnavailable(part, error);
    }
  }

  /** Reads that come while the part is probed again do not wait for the probe. */
  #isOut(part: string): boolean {
    const outage = this.#outages.get(part);
    if (outage === undefined || outage.backAt !== undefined) return false;
    const now = performance.now();
    if (now >= outage.retryAt) {
      outage.retryAt = now + RETRY_MS;
      void this.#answers(part).then((answers) => {
        if (answers) outage.backAt = performance.now();
      });
    }
    return true;
  }

  async #unlessSlow<T>(part: string, answer: Promise<T>): Promise<T> {
    const done = answer.then(yes, yes);
    for (let reconnectMs = SLOW_MS; ; reconnectMs *= 2) {
      if (await within(reconnectMs, done)) return answer;
      if (!(await Promise.race([done, this.#answers(part)]))) throw new PartUnavailable(part);
    }
  }

  /** Reads that wait for the same part share a probe. Where the store itself fails, the part is not to blame. */
  #answers(part: string): Promise<boolean> {
    const probing =
      this.#probing.get(part) ??
      this.#options
        .probe(part)
        .catch(yes)
        .finally(() => this.#probing.delete(part));
    this.#probing.set(part, probing);
    return probing;
  }
}

const yes = () => true;

/** False where no answer comes in time. */
export async function within(mostMs: number, answer: Promise<boolean>): Promise<boolean> {
  const { promise: over, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), mostMs);
  return Promise.race([answer, over]).finally(() => clearTimeout(timer));
}

const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 400;

/** Waits for a database server that restarts, and not for one that was waited for in vain. */
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
