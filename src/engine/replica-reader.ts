/**
 * Reads from a replica that never go back in time: a replica that is behind what this process has seen gets a moment to
 * catch up, then the primary is read. So it is while the replica is unavailable, or cancels a query in favour of its log.
 */
import type { ReadHorizon } from "../ports/store.ts";

/** Streaming replicas are a few milliseconds behind. */
const TIMEOUT_MS = 50;
const LOOK_MS = 5;
/** How often the position of the primary is read: what others publish is seen even where the replica stands still. */
const RAISED_MS = 1_000;
/** One that was away, or too far behind, is not waited for again at once. */
const AVOIDED_MS = 1_000;

export interface ReplicaOptions<Database> {
  readonly replica: Database;
  readonly primary: Database;
  /** How far this process has seen the primary's log. */
  readonly horizon: ReadHorizon;
  /** Up to where the replica shows the log. */
  readonly replayed: () => Promise<number>;
  /** Everything that the primary shows now counts as seen. */
  readonly raise: () => Promise<void>;
  /** Whether the replica, and not the query, is to blame. */
  readonly isReplicas: (error: unknown) => boolean;
}

export class ReplicaReader<Database> {
  readonly #options: ReplicaOptions<Database>;
  /** How far the replica was when it was last asked; it never goes back. */
  #replayed = 0;
  #avoidedUntil = Number.NEGATIVE_INFINITY;
  #catchingUp: Promise<boolean> | undefined;
  #raisedAt = Number.NEGATIVE_INFINITY;

  constructor(options: ReplicaOptions<Database>) {
    this.#options = options;
  }

  async read<T>(read: (database: Database) => Promise<T>): Promise<T> {
    const { replica, primary, raise, isReplicas } = this.#options;
    this.#raiseSoon();
    if (await this.#isCurrent()) {
      try {
        return await read(replica);
      } catch (error) {
        if (!isReplicas(error)) throw error;
        this.#avoid();
      }
    }
    const answer = await read(primary);
    await raise();
    return answer;
  }

  /** In the background: a primary that is down delays no query. */
  #raiseSoon(): void {
    if (performance.now() < this.#raisedAt + RAISED_MS) return;
    this.#raisedAt = Number.POSITIVE_INFINITY;
    void this.#options
      .raise()
      .catch(() => {})
      .finally(() => {
        this.#raisedAt = performance.now();
      });
  }

  async #isCurrent(): Promise<boolean> {
    const wanted = this.#options.horizon.at;
    if (this.#replayed > 0 && this.#replayed >= wanted) return performance.now() >= this.#avoidedUntil;
    this.#catchingUp ??= this.#catchUp().finally(() => {
      this.#catchingUp = undefined;
    });
    // Others may have begun to wait for less.
    return (await this.#catchingUp) && this.#replayed >= wanted;
  }

  async #catchUp(): Promise<boolean> {
    const { horizon, replayed, isReplicas } = this.#options;
    const wanted = horizon.at;
    const start = performance.now();
    const until = start < this.#avoidedUntil ? start : start + TIMEOUT_MS;
    try {
      for (;;) {
        this.#replayed = await replayed();
        if (this.#replayed >= wanted) {
          this.#avoidedUntil = Number.NEGATIVE_INFINITY;
          return true;
        }
        if (performance.now() >= until) break;
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      }
    } catch (error) {
      if (!isReplicas(error)) throw error;
    }
    this.#avoid();
    return false;
  }

  #avoid(): void {
    this.#avoidedUntil = performance.now() + AVOIDED_MS;
  }
}
