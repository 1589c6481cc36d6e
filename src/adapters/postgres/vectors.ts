/** Vectors in the database, and in memory once a question needs them: never before. */
import { Arena } from "../../embed/arena.ts";
import type { Kernel } from "../../embed/kernel.ts";
import {
  keyOf,
  nearestIn,
  newShelf,
  onlyAlso,
  planFor,
  type Shelf,
  sumOf,
  type ViewPlan,
} from "../../engine/vector-cache.ts";
import type { DensePage, DenseQuery } from "../../ports/candidates.ts";
import type { Limits } from "../../ports/limits.ts";
import { CorruptionError } from "../../segment/bytes.ts";
import { decodeVectors } from "../../segment/stored-content.ts";
import { readBlobs } from "./blobs.ts";
import { nodeOf } from "./data-nodes.ts";
import type { Asking, Transaction } from "./query-interface.ts";
import { requireVisible } from "./repository.ts";
import type { IndexedFile, ViewState } from "./view-state.ts";

/** The server's answer is held in memory while it is taken in. */
const VERSIONS_AT_ONCE = 1_000;
/** More than this share of rows that no view shows, and the memory is filled anew. */
const MOST_WASTE = 2;

export class VectorShelves {
  readonly #asking: Asking;
  readonly #kernelOf: () => Kernel;
  readonly #shelves = new Map<string, Shelf>();
  /** One question loads at a time: the memory is shared. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(asking: Asking, kernelOf: () => Kernel) {
    this.#asking = asking;
    this.#kernelOf = kernelOf;
  }

  dense(state: ViewState, query: DenseQuery, limits?: Limits): Promise<DensePage> {
    const answer = this.#last.then(() => this.#dense(state, query, limits));
    this.#last = answer.catch(() => {});
    return answer;
  }

  async #dense(state: ViewState, query: DenseQuery, limits?: Limits): Promise<DensePage> {
    const shelf = this.#shelf(query.model);
    if (query.limit === 0 && query.least === undefined) {
      const wanted = (query.also ?? []).map((file) => file.id as number);
      await this.#load(shelf, state.repo, wanted, limits);
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
    await this.#load(
      shelf,
      state.repo,
      files.map((file) => file.id),
      limits,
    );
    const plan = planFor(shelf, files);
    shelf.plans.set(state, plan);
    return plan;
  }

  async #load(shelf: Shelf, repo: number, versions: readonly number[], limits?: Limits): Promise<void> {
    const missing = versions.filter((id) => shelf.arena?.has(id) !== true && !shelf.absent.has(id));
    for (let from = 0; from < missing.length; from += VERSIONS_AT_ONCE) {
      const some = missing.slice(from, from + VERSIONS_AT_ONCE);
      const sql = `SELECT t.version AS id, t.key FROM codecompass.vectors t
        WHERE t.repo = $1 AND t.model = $2 AND t.version = ANY($3)`;
      const keys = { sql, values: [repo, shelf.model, some] };
      const found = await readBlobs(this.#asking, nodeOf(repo), keys, { limits, prepared: "vectors" });
      if (found.size < some.length) await requireVisible(this.#asking, repo);
      for (const id of some) shelf.absent.add(id);
      for (const [version, bytes] of found) this.#take(shelf, version, bytes);
    }
  }

  #take(shelf: Shelf, version: number, bytes: Buffer): void {
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

export async function unembeddedIn(
  asking: Asking,
  { repo }: ViewState,
  fingerprint: string,
  files: readonly IndexedFile[],
): Promise<IndexedFile[]> {
  const sql = "SELECT version FROM codecompass.vectors WHERE repo = $1 AND model = $2";
  const rows = await asking.rows<{ version: number }>(sql, [repo, keyOf(fingerprint)]);
  const have = new Set(rows.map(({ version }) => version));
  return files.filter((file) => file.chunks > 0 && !have.has(file.id));
}

/** Binds versions to vectors that are stored as blobs. A version that is not stored any more gets none. */
export async function bindVectors(
  tx: Transaction,
  repo: number,
  fingerprint: string,
  files: readonly { readonly version: number; readonly key: Buffer }[],
): Promise<void> {
  if (files.length === 0) return;
  await tx.run(
    `INSERT INTO codecompass.vectors (repo, version, model, key)
      SELECT $1, n.version, $2, n.key FROM unnest($3::bigint[], $4::bytea[]) AS n (version, key)
      WHERE EXISTS (SELECT 1 FROM codecompass.file_version v WHERE v.repo = $1 AND v.id = n.version)
      ON CONFLICT (repo, model, version) DO UPDATE SET key = excluded.key`,
    [repo, keyOf(fingerprint), files.map(({ version }) => version), files.map(({ key }) => key)],
  );
}
