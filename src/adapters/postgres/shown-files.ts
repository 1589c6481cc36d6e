/**
 * What the default views of repositories show, in the order of paths, kept as long as it is asked for. As one statement
 * over all partitions, telling which of a hundred versions are shown took 12 ms to start and 1 ms to run.
 */
import type { Totals } from "../../engine/totals.ts";
import type { Limits } from "../../ports/store.ts";
import type { Asking, Value } from "./db.ts";
import { DEFAULT_VIEW } from "./default-view.ts";
import { loadShown, loadWhole, type ViewRow } from "./view-state.ts";
import type { WideFile } from "./wide.ts";

/** The default view of a repository at its newest generation. */
export interface DefaultView extends Pick<ViewRow, "id" | "base_view" | "base_generation" | "generation"> {
  readonly repo: number;
  readonly name: string;
  readonly ref: string;
  readonly commit: string | null;
  readonly totals: string;
}

export interface ShownView {
  /** By path, as the engine orders them: by bytes. */
  readonly files: readonly WideFile[];
  /** From the number of a version to its place in `files`. */
  readonly places: ReadonlyMap<number, number>;
}

/** A file takes some 250 bytes. */
const MOST_FILES = 200_000;

export class ShownFiles {
  readonly #asking: Asking;
  /** A map remembers the order of insertion: the first was not used for longest. */
  readonly #known = new Map<string, { readonly files: number; readonly shown: Promise<ShownView> }>();
  #files = 0;

  constructor(asking: Asking) {
    this.#asking = asking;
  }

  /** `where` is about `r`, the repository. */
  views(where: string, values: readonly Value[], limits?: Limits): Promise<DefaultView[]> {
    const sql = `SELECT r.id AS repo, r.name, d.ref, d.commit_id AS commit, d.id, d.base_view, d.base_generation,
        d.generation, d.totals
      FROM codecompass.repository r CROSS JOIN ${DEFAULT_VIEW} WHERE r.name IS NOT NULL AND ${where}`;
    return this.#asking.rows<DefaultView>(sql, values, { limits });
  }

  /** Whoever asks was shown the view by the engine just before: what is remembered of it is theirs to see. */
  of(view: DefaultView, limits?: Limits): Promise<ShownView> {
    const key = keyOf(view);
    const known = this.#known.get(key) ?? { files: filesIn(view), shown: this.#load(view, limits) };
    if (!this.#known.has(key)) this.#files += known.files;
    this.#known.delete(key);
    this.#known.set(key, known);
    known.shown.catch(() => this.#forget(key));
    for (const oldest of this.#known.keys()) {
      if (this.#files <= MOST_FILES || oldest === key) break;
      this.#forget(oldest);
    }
    return known.shown;
  }

  #forget(key: string): void {
    this.#files -= this.#known.get(key)?.files ?? 0;
    this.#known.delete(key);
  }

  async #load(view: DefaultView, limits: Limits | undefined): Promise<ShownView> {
    const ask = { asking: this.#asking, repo: view.repo, limits };
    const { files } = await loadShown(ask, view, (base, generation) => loadWhole(ask, base, generation));
    const { repo, name: repository, ref, commit } = view;
    const shown = [...files.values()].map(({ id, path, language, contentHash }): WideFile => {
      return { repo, repository, view: ref, ...(commit !== null && { commit }), id, path, language, contentHash };
    });
    // Fewer than there are: a publication or a change of rights came in between. It is no state to remember.
    if (shown.length !== filesIn(view)) throw new Superseded();
    shown.sort((a, b) => byBytes(a.path, b.path));
    return { files: shown, places: new Map(shown.map(({ id }, at) => [id, at])) };
  }
}

/** The view was published anew while it was read: the newest is read instead. */
export class Superseded extends Error {}

export function byBytes(a: string, b: string): number {
  if (a === b) return 0;
  // Below the surrogates, units are in the order of bytes.
  return HIGH.test(a) || HIGH.test(b) ? Buffer.compare(Buffer.from(a), Buffer.from(b)) : a < b ? -1 : 1;
}

const HIGH = /[\ud800-\uffff]/;

function keyOf({ repo, id, generation, base_view, base_generation }: DefaultView): string {
  return `${repo} ${id} ${generation} ${base_view} ${base_generation}`;
}

function filesIn({ totals }: DefaultView): number {
  return (JSON.parse(totals) as Totals).files;
}
