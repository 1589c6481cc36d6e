/** The vectors that queries have needed so far, loaded from the backend. */
import { Arena } from "../embed/arena.ts";
import type { Kernel } from "../embed/kernel.ts";
import type { Content } from "../ports/backend.ts";
import type { DensePage, DenseQuery } from "../ports/candidates.ts";
import type { Limits } from "../ports/limits.ts";
import { CorruptionError } from "../segment/bytes.ts";
import { decodeVectors } from "../segment/stored-content.ts";
import { keyOf, nearestIn, newShelf, onlyAlso, planFor, type Shelf, sumOf, type ViewPlan } from "./vector-cache.ts";
import type { ViewState } from "./view-state.ts";

/** A remote answer is held in memory while it is taken in. */
const VERSIONS_AT_ONCE = 1_000;
/** Above this ratio of rows that no view shows, the memory is filled again. */
const MOST_WASTE = 2;

export class VectorSearch {
  readonly #content: Content;
  readonly #kernelOf: () => Kernel;
  readonly #shelves = new Map<string, Shelf>();
  /** One query loads at a time: the memory is shared. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(content: Content, kernelOf: () => Kernel) {
    this.#content = content;
    this.#kernelOf = kernelOf;
  }

  nearest(state: ViewState, query: DenseQuery, limits?: Limits): Promise<DensePage> {
    const answer = this.#last.then(() => this.#nearest(state, query, limits));
    this.#last = answer.catch(() => {});
    return answer;
  }

  async #nearest(state: ViewState, query: DenseQuery, limits?: Limits): Promise<DensePage> {
    const shelf = this.#shelf(query.model);
    if (query.limit === 0 && query.least === undefined) {
      const ids = (query.also ?? []).map(({ id }) => id);
      await this.#load(shelf, ids, limits);
      return onlyAlso(shelf, query);
    }
    return nearestIn(shelf, await this.#planOf(shelf, state, limits), query);
  }

  #shelf(fingerprint: string): Shelf {
    const model = keyOf(fingerprint);
    const shelf = this.#shelves.get(model) ?? newShelf(model);
    this.#shelves.set(model, shelf);
    return shelf;
  }

  async #planOf(shelf: Shelf, state: ViewState, limits?: Limits): Promise<ViewPlan> {
    const known = shelf.plans.get(state);
    if (known !== undefined) return known;
    const files = [...state.files.values()].filter((file) => file.chunks > 0);
    // A new state may show vectors that were stored since.
    shelf.absent.clear();
    if (shelf.arena !== undefined && shelf.arena.rows > MOST_WASTE * sumOf(files) + 10_000) {
      shelf.arena = undefined;
      shelf.plans = new WeakMap();
    }
    const ids = files.map(({ id }) => id);
    await this.#load(shelf, ids, limits);
    const plan = planFor(shelf, files);
    shelf.plans.set(state, plan);
    return plan;
  }

  async #load(shelf: Shelf, versions: readonly number[], limits?: Limits): Promise<void> {
    const missing = versions.filter((id) => shelf.arena?.has(id) !== true && !shelf.absent.has(id));
    for (let from = 0; from < missing.length; from += VERSIONS_AT_ONCE) {
      const some = missing.slice(from, from + VERSIONS_AT_ONCE);
      const found = await this.#content.blobs({ kind: "vectors", model: shelf.model, versions: some }, limits);
      for (const id of some) shelf.absent.add(id);
      for (const { owner, bytes } of found) this.#take(shelf, owner, bytes);
    }
  }

  #take(shelf: Shelf, version: number, bytes: Uint8Array): void {
    const vectors = decodeVectors(bytes);
    shelf.arena ??= new Arena(vectors.dims, this.#kernelOf());
    try {
      shelf.arena.add(version, vectors);
    } catch (cause) {
      throw new CorruptionError(`the vectors of file version ${version} do not fit the others`, { cause });
    }
    shelf.absent.delete(version);
  }
}
