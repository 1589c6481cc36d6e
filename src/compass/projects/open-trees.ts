/**
 * The trees that are open in this process: the warm ones and those in use. When work trees are more than are worth their
 * watchers, or published repositories more than fit in memory, the least recently used one is closed; the next query opens
 * it again.
 */
import type { Env } from "../../ports/env.ts";
import type { WorkspaceRow } from "../../ports/registry.ts";
import type { Tree } from "./tree.ts";

export const WARMSET_CAPACITY = 3;
/** Work trees that may stay open beyond the warm set. */
const LEFT_OPEN = 5;
/**
 * Memory for published repositories, as `Tree.heldBytes` estimates it. A query over many opens up to 32: where only eight
 * stayed open, the ninth made every query reload them (0.8 to 2.2 s instead of 0.2 to 0.5 s).
 */
const MOST_HELD_BYTES = 512 << 20;

export class OpenTrees {
  /** A map remembers the order of insertion: the last is the one that was used last. */
  readonly #trees = new Map<string, Tree>();
  readonly #users = new Map<string, number>();
  readonly #make: (row: WorkspaceRow) => Tree;
  readonly capacity: number;

  constructor(make: (row: WorkspaceRow) => Tree, capacity = WARMSET_CAPACITY) {
    this.#make = make;
    this.capacity = capacity;
  }

  /** The tree of a row, opened where it is not. */
  take(row: WorkspaceRow): Tree {
    const tree = this.#trees.get(row.id) ?? this.#make(row);
    this.#trees.delete(row.id);
    this.#trees.set(row.id, tree);
    return tree;
  }

  /** Uses a tree; meanwhile it is not closed. */
  async use<T>(row: WorkspaceRow, work: (tree: Tree) => Promise<T>): Promise<T> {
    const tree = this.take(row);
    this.#users.set(row.id, (this.#users.get(row.id) ?? 0) + 1);
    try {
      return await work(tree);
    } finally {
      const left = this.#users.get(row.id)! - 1;
      if (left > 0) this.#users.set(row.id, left);
      else this.#users.delete(row.id);
      this.#tidy();
    }
  }

  get isInUse(): boolean {
    return this.#users.size > 0;
  }

  /** The trees that were used last, the latest first. */
  warm(): readonly Tree[] {
    return this.all().slice(0, this.capacity);
  }

  /** Every open tree, the one used last first. */
  all(): readonly Tree[] {
    return [...this.#trees.values()].reverse();
  }

  /** Closes a tree; false when it is in use or a job runs in it. */
  async closeIdle(row: WorkspaceRow): Promise<boolean> {
    if (this.#users.has(row.id)) return false;
    const tree = this.#trees.get(row.id) ?? this.#make(row);
    const busy = (await tree.activeJob().catch(() => undefined)) !== undefined;
    if (busy || this.#users.has(row.id)) return false;
    this.#trees.delete(row.id);
    await tree.close();
    return true;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#trees.values()].map((tree) => tree.close()));
  }

  #tidy(): void {
    const trees = [...this.#trees.values()];
    let [count, bytes] = [0, 0];
    for (const { heldBytes } of trees) {
      if (heldBytes === undefined) count++;
      else bytes += heldBytes;
    }
    for (const [id, tree] of this.#trees) {
      const { heldBytes } = tree;
      const isTooMuch = heldBytes === undefined ? count > this.capacity + LEFT_OPEN : bytes > MOST_HELD_BYTES;
      if (!isTooMuch || this.#users.has(id) || tree.activeRun() !== undefined) continue;
      if (heldBytes === undefined) count--;
      else bytes -= heldBytes;
      this.#trees.delete(id);
      tree.close().catch(() => {});
    }
  }
}

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

  /** Notes a use: `rest` is called once, between one and two `REST_MS` after the last use. */
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
