/**
 * Remembers what was worked out for a state of a view. Answers that were made while a file was missing, or inside a circle
 * that is not closed yet, are not kept.
 */
import type { World } from "./world.ts";

export class Memo {
  private readonly world: World;
  private readonly making = new Set<string>();
  private readonly circles = new Set<string>();

  constructor(world: World) {
    this.world = world;
  }

  /** An answer that is needed to make itself is none. */
  remember<T extends readonly unknown[]>(key: string, make: () => T): T {
    const known = this.world.memo.get(key);
    if (known !== undefined) return known as T;
    if (this.making.has(key)) {
      this.circles.add(key);
      return NOTHING as unknown as T;
    }
    this.making.add(key);
    const { misses } = this.world;
    const made = make();
    this.making.delete(key);
    this.circles.delete(key);
    if (this.world.misses === misses && this.circles.size === 0) this.world.memo.set(key, made);
    return made;
  }
}

const NOTHING: readonly unknown[] = [];
