/**
 * A shard that cannot be reached: the engine asks all of them or none, so that what the others hold is asked for by itself
 * until it is looked for again. Whoever asks says what is missing.
 */
import { isMissingSchema, shardOf } from "./failures.ts";

/** One that could not be reached is not looked for again at once. */
const AWAY_MS = 5_000;

export class Away {
  #lost: { readonly shard: string; readonly until: number } | undefined;

  get shard(): string | undefined {
    return this.#lost !== undefined && performance.now() < this.#lost.until ? this.#lost.shard : undefined;
  }

  /** What the shards that are there hold together: see `deploy/postgres/shards.sql`. */
  reachable(sql: string): string {
    return this.shard === undefined ? sql : sql.replaceAll("codecompass.", `without_${this.shard}.`);
  }

  /** Asks again where a shard turns out to be away; `run` asks for what is reachable then. */
  async without<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      const shard = shardOf(error);
      if (shard === undefined || this.shard !== undefined) throw error;
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
