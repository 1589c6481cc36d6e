/**
 * A shard that cannot be reached, or answers late: the engine asks all of them or none, so that what the others hold is
 * asked for by itself until it is looked for again. Whoever asks says what is missing.
 */
import { isMissingSchema, shardOf } from "./failures.ts";

/** One that could not be reached is not looked for again at once. */
const AWAY_MS = 5_000;
/** An answer that was begun without it may still be under way: it is called missing for a while longer. */
const MISSED_MS = 5_000;

export class Away {
  #lost: { readonly shard: string; readonly until: number } | undefined;

  get shard(): string | undefined {
    return this.#lostBefore(0);
  }

  /** Also one that was away a moment ago. */
  get missed(): string | undefined {
    return this.#lostBefore(MISSED_MS);
  }

  #lostBefore(ms: number): string | undefined {
    return this.#lost !== undefined && performance.now() < this.#lost.until + ms ? this.#lost.shard : undefined;
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
