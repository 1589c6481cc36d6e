/** The vectors that queries have needed so far, loaded from the backend. */
import { Arena, type Plan } from "../embed/arena.ts";
import { type Kernel, nearest } from "../embed/kernel.ts";
import type { Content } from "../ports/backend.ts";
import type { DenseCandidate, DensePage, DenseQuery } from "../ports/candidates.ts";
import type { FileRow, Limits } from "../ports/snapshot.ts";
import { CorruptionError } from "../segment/bytes.ts";
import { decodeVectors } from "../segment/stored-content.ts";
import type { ViewState } from "./view-state.ts";

/** A remote answer is held in memory while it is taken in. */
const VERSIONS_AT_ONCE = 1_000;
/** Above this ratio of rows that no view shows, the memory is filled again. */
const MOST_WASTE = 2;

export class VectorSearch {
  readonly #content: Content;
  readonly #kernelOf: () => Kernel;
  readonly #models = new Map<string, ModelVectors>();
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
    const cached = this.#cachedModel(query.model);
    if (query.limit === 0 && query.least === undefined) {
      const ids = (query.also ?? []).map(({ id }) => id);
      await this.#load(cached, ids, limits);
      return onlyAlso(cached, query);
    }
    return nearestIn(cached, await this.#planOf(cached, state, limits), query);
  }

  #cachedModel(fingerprint: string): ModelVectors {
    const model = keyOf(fingerprint);
    const cached = this.#models.get(model) ?? newCache(model);
    this.#models.set(model, cached);
    return cached;
  }

  async #planOf(cached: ModelVectors, state: ViewState, limits?: Limits): Promise<ViewPlan> {
    const known = cached.plans.get(state);
    if (known !== undefined) return known;
    const files = [...state.files.values()].filter((file) => file.chunks > 0);
    // A new state may show vectors that were stored since.
    cached.absent.clear();
    if (cached.arena !== undefined && cached.arena.rows > MOST_WASTE * sumOf(files) + 10_000) {
      cached.arena = undefined;
      cached.plans = new WeakMap();
    }
    const ids = files.map(({ id }) => id);
    await this.#load(cached, ids, limits);
    const plan = planFor(cached, files);
    cached.plans.set(state, plan);
    return plan;
  }

  async #load(cached: ModelVectors, versions: readonly number[], limits?: Limits): Promise<void> {
    const missing = versions.filter((id) => cached.arena?.has(id) !== true && !cached.absent.has(id));
    for (let from = 0; from < missing.length; from += VERSIONS_AT_ONCE) {
      const some = missing.slice(from, from + VERSIONS_AT_ONCE);
      const found = await this.#content.blobs({ kind: "vectors", model: cached.model, versions: some }, limits);
      // Only after all were taken in: what fails a check here is damaged for the next query as well, not absent.
      for (const { owner, bytes } of found) this.#take(cached, owner, bytes);
      for (const id of some) if (cached.arena?.has(id) !== true) cached.absent.add(id);
    }
  }

  #take(cached: ModelVectors, version: number, bytes: Uint8Array): void {
    const vectors = decodeVectors(bytes);
    cached.arena ??= new Arena(vectors.dims, this.#kernelOf());
    try {
      cached.arena.add(version, vectors);
    } catch (cause) {
      throw new CorruptionError(`the vectors of file version ${version} do not fit the others`, { cause });
    }
  }
}

/** A file with its number of chunks. */
interface ChunkedFile extends FileRow {
  readonly chunks: number;
}

/** The vectors of one model, as far as they were needed. */
interface ModelVectors {
  readonly model: string;
  arena: Arena | undefined;
  /** Versions that have none. */
  readonly absent: Set<number>;
  /** What of a view is compared, by the view's state. */
  plans: WeakMap<object, ViewPlan>;
}

interface ViewPlan {
  readonly files: readonly ChunkedFile[];
  readonly plan: Plan;
  readonly chunks: number;
  /** By version: its item of the plan. */
  readonly itemOf: ReadonlyMap<number, number>;
}

/** 64 bits of the fingerprint tell models apart. */
export function keyOf(fingerprint: string): string {
  return fingerprint.slice(0, 16);
}

function newCache(model: string): ModelVectors {
  return { model, arena: undefined, absent: new Set(), plans: new WeakMap() };
}

/** The nearest chunks of the view; everything that `view` names must be loaded as far as it exists. */
function nearestIn(cached: ModelVectors, view: ViewPlan, query: DenseQuery): DensePage {
  const asked = scoped(view, cached, query);
  const { files, plan, chunks } = asked;
  const similarity = cached.arena?.compare(query.vector, plan) ?? new Float64Array(0);
  const place = (row: number) => placeOf(plan, files, row);
  const tie = (a: number, b: number) => byPlace(place(a), place(b));
  const { rows, matched } = nearest(similarity, { limit: query.limit, least: query.least ?? -1, tie });
  return {
    candidates: rows.map((row) => ({ ...place(row), similarity: similarity[row]! })),
    matched,
    also: alsoIn(asked, similarity, cached, query),
    embedded: similarity.length,
    chunks,
  };
}

/** Only the similarity of the files that the query names. */
function onlyAlso(cached: ModelVectors, query: DenseQuery): DensePage {
  return { candidates: [], matched: 0, embedded: 0, chunks: 0, also: alsoOf(cached, query) };
}

function planFor(cached: ModelVectors, files: readonly ChunkedFile[]): ViewPlan {
  const plan = cached.arena?.plan(files.map(({ id }) => id)) ?? EMPTY;
  const itemOf = new Map(Array.from(plan.items, (item, i) => [files[item]!.id as number, i]));
  return { files, plan, chunks: sumOf(files), itemOf };
}

const EMPTY: Plan = { items: new Uint32Array(0), firstRows: new Uint32Array(1), places: new Uint32Array(0) };

function sumOf(files: readonly ChunkedFile[]): number {
  return files.reduce((sum, file) => sum + file.chunks, 0);
}

function scoped(whole: ViewPlan, cached: ModelVectors, { languages, under, keeps }: DenseQuery): ViewPlan {
  const folder = (under ?? "").replace(/^(\.?\/)+|\/+$/g, "").replace(/^\.$/, "");
  if (languages === undefined && folder === "" && keeps === undefined) return whole;
  const files = whole.files.filter(
    ({ path, language }) =>
      (languages === undefined || languages.includes(language)) &&
      (folder === "" || path === folder || path.startsWith(`${folder}/`)) &&
      keeps?.(path) !== false,
  );
  return planFor(cached, files);
}

function placeOf(
  { items, firstRows }: Plan,
  files: readonly ChunkedFile[],
  row: number,
): Omit<DenseCandidate, "similarity"> {
  let low = 0;
  let high = items.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (firstRows[middle]! <= row) low = middle;
    else high = middle - 1;
  }
  return { file: files[items[low]!]!, chunk: row - firstRows[low]! };
}

function byPlace(a: Omit<DenseCandidate, "similarity">, b: Omit<DenseCandidate, "similarity">): number {
  if (a.file.path !== b.file.path) return a.file.path < b.file.path ? -1 : 1;
  return a.chunk - b.chunk;
}

/** From what was compared already, where it was. */
function alsoIn({ plan, itemOf }: ViewPlan, similarity: Float64Array, cached: ModelVectors, query: DenseQuery) {
  return (query.also ?? []).map((file) => {
    const item = itemOf.get(file.id);
    if (item === undefined) return alsoOf(cached, { ...query, also: [file] })[0];
    return similarity.slice(plan.firstRows[item]!, plan.firstRows[item + 1]!);
  });
}

function alsoOf({ arena }: ModelVectors, { also = [], vector }: DenseQuery): (Float64Array | undefined)[] {
  return (
    arena?.compareEach(
      vector,
      also.map((file) => file.id),
    ) ?? also.map(() => undefined)
  );
}
