/**
 * A shard that cannot be reached, or answers late: the engine asks all of them or none, so that what the others hold is
 * asked for by itself until it is looked for again. Whoever asks says what is missing.
 */
import { isMissingSchema, shardOf } from "./failures.ts";

/** One that could not be reached is not looked for again at once. */
const AWAY_MS = 5_000;
/** An answer that was begun without it may still be under way: it is called missing for a while longer. */
const MISSED_MS = 5_000;

interface Lost {
  readonly shard: string;
  /** When it is looked for again. */
  readonly until: number;
  /** When it was found to be back. */
  readonly backAt?: number;
}

export class Away {
  #lost: Lost | undefined;
  #looking: Promise<void> | undefined;
  readonly #look: (() => Promise<string | undefined>) | undefined;

  /** `look` names a shard that does not answer; without it, the next question finds out. */
  constructor(look?: () => Promise<string | undefined>) {
    this.#look = look;
  }

  /** Whoever asks while it is looked for does not wait for it. */
  get shard(): string | undefined {
    const lost = this.#lost;
    if (lost === undefined || lost.backAt !== undefined) return undefined;
    if (performance.now() < lost.until) return lost.shard;
    if (this.#look === undefined) {
      this.#lost = { ...lost, backAt: lost.until };
      return undefined;
    }
    this.#looking ??= this.#lookFor(lost, this.#look);
    return lost.shard;
  }

  /** Also one that was away a moment ago. */
  get missed(): string | undefined {
    const { shard, backAt = Number.POSITIVE_INFINITY } = this.#lost ?? {};
    return this.shard ?? (performance.now() < backAt + MISSED_MS ? shard : undefined);
  }

  async #lookFor(lost: Lost, look: () => Promise<string | undefined>): Promise<void> {
    const late = await look().catch(() => undefined);
    const now = performance.now();
    this.#lost = late === lost.shard ? { ...lost, until: now + AWAY_MS } : { ...lost, backAt: now };
    this.#looking = undefined;
  }

  /** What the shards that are there hold together: see `deploy/postgres/shards.sql`. */
  reachable(sql: string): string {
    return this.shard === undefined ? sql : sql.replaceAll("codecompass.", `without_${this.shard}.`);
  }

  /** Asks again where a shard turns out to be away; `run` asks for what is reachable then. */
  async without<T>(run: () => Promise<T>): Promise<T> {
    const before = this.shard;
    try {
      return await run();
    } catch (error) {
      const shard = shardOf(error);
      // Another than the one that is left out already: there is nothing to ask without both.
      if (shard === undefined || before !== undefined || (this.shard ?? shard) !== shard) throw error;
      this.#lost = { shard, until: performance.now() + AWAY_MS };
      return await run().catch((later: unknown) => {
        if (!isMissingSchema(later)) throw later;
        // Prepared before there was anything to ask instead.
        this.#lost = undefined;
        throw error;
      });
    }
  }
}
