/** Vectors of one model in memory, and the chunks of a view that a question is nearest to. Engines load what is missing. */
import type { Arena, Plan } from "../embed/arena.ts";
import { nearest } from "../embed/nearest.ts";
import type { DenseCandidate, DensePage, DenseQuery } from "../ports/candidates.ts";
import type { FileRow } from "../ports/view.ts";

/** A file with its number of chunks. */
export interface ChunkedFile extends FileRow {
  readonly chunks: number;
}

/** The vectors of one model, as far as they were needed. */
export interface Shelf {
  readonly model: string;
  arena: Arena | undefined;
  /** Versions that have none. */
  readonly absent: Set<number>;
  /** What of a view is compared, by the view's state. */
  plans: WeakMap<object, ViewPlan>;
}

export interface ViewPlan {
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

export function newShelf(model: string): Shelf {
  return { model, arena: undefined, absent: new Set(), plans: new WeakMap() };
}

/** The nearest chunks of the view; everything that `view` names must be loaded as far as it exists. */
export function nearestIn(shelf: Shelf, view: ViewPlan, query: DenseQuery): DensePage {
  const asked = scoped(view, shelf, query);
  const { files, plan, chunks } = asked;
  const likeness = shelf.arena?.compare(query.vector, plan) ?? new Float64Array(0);
  const place = (row: number) => placeOf(plan, files, row);
  const tie = (a: number, b: number) => byPlace(place(a), place(b));
  const { rows, matched } = nearest(likeness, { limit: query.limit, least: query.least ?? -1, tie });
  return {
    candidates: rows.map((row) => ({ ...place(row), likeness: likeness[row]! })),
    matched,
    also: alsoIn(asked, likeness, shelf, query),
    embedded: likeness.length,
    chunks,
  };
}

/** Only the similarity of the files that the query names. */
export function onlyAlso(shelf: Shelf, query: DenseQuery): DensePage {
  return { candidates: [], matched: 0, embedded: 0, chunks: 0, also: alsoOf(shelf, query) };
}

export function planFor(shelf: Shelf, files: readonly ChunkedFile[]): ViewPlan {
  const plan = shelf.arena?.plan(files.map(({ id }) => id)) ?? EMPTY;
  const itemOf = new Map(Array.from(plan.items, (item, i) => [files[item]!.id as number, i]));
  return { files, plan, chunks: sumOf(files), itemOf };
}

const EMPTY: Plan = { items: new Uint32Array(0), firstRows: new Uint32Array(1), places: new Uint32Array(0) };

export function sumOf(files: readonly ChunkedFile[]): number {
  return files.reduce((sum, file) => sum + file.chunks, 0);
}

function scoped(whole: ViewPlan, shelf: Shelf, { languages, under, keeps }: DenseQuery): ViewPlan {
  const folder = (under ?? "").replace(/^(\.?\/)+|\/+$/g, "").replace(/^\.$/, "");
  if (languages === undefined && folder === "" && keeps === undefined) return whole;
  const files = whole.files.filter(
    ({ path, language }) =>
      (languages === undefined || languages.includes(language)) &&
      (folder === "" || path === folder || path.startsWith(`${folder}/`)) &&
      keeps?.(path) !== false,
  );
  return planFor(shelf, files);
}

function placeOf(
  { items, firstRows }: Plan,
  files: readonly ChunkedFile[],
  row: number,
): Omit<DenseCandidate, "likeness"> {
  let low = 0;
  let high = items.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (firstRows[middle]! <= row) low = middle;
    else high = middle - 1;
  }
  return { file: files[items[low]!]!, chunk: row - firstRows[low]! };
}

function byPlace(a: Omit<DenseCandidate, "likeness">, b: Omit<DenseCandidate, "likeness">): number {
  if (a.file.path !== b.file.path) return a.file.path < b.file.path ? -1 : 1;
  return a.chunk - b.chunk;
}

/** From what was compared already, where it was. */
function alsoIn({ plan, itemOf }: ViewPlan, likeness: Float64Array, shelf: Shelf, query: DenseQuery) {
  return (query.also ?? []).map((file) => {
    const item = itemOf.get(file.id);
    if (item === undefined) return alsoOf(shelf, { ...query, also: [file] })[0];
    return likeness.slice(plan.firstRows[item]!, plan.firstRows[item + 1]!);
  });
}

function alsoOf({ arena }: Shelf, { also = [], vector }: DenseQuery): (Float64Array | undefined)[] {
  return (
    arena?.compareEach(
      vector,
      also.map((file) => file.id),
    ) ?? also.map(() => undefined)
  );
}
