/** Which states the snapshots of this process hold: garbage is collected around them. */
import type { ViewState } from "./view-state.ts";

/** The oldest generation by view, and epochs. */
export interface Pinned {
  readonly views: ReadonlyMap<number, number>;
  readonly epochs: ReadonlySet<number>;
}

export class Pins {
  readonly #held = new Map<ViewState, number>();

  pin(state: ViewState): void {
    this.#held.set(state, (this.#held.get(state) ?? 0) + 1);
  }

  unpin(state: ViewState): void {
    const left = (this.#held.get(state) ?? 1) - 1;
    if (left > 0) this.#held.set(state, left);
    else this.#held.delete(state);
  }

  pinned(): Pinned {
    const views = new Map<number, number>();
    const epochs = new Set<number>();
    for (const { view, epoch, info } of this.#held.keys()) {
      views.set(view, Math.min(views.get(view) ?? Number.POSITIVE_INFINITY, info.generation));
      epochs.add(epoch);
    }
    return { views, epochs };
  }
}
