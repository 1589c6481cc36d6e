/** Vectors in the kernel's memory, by the file version they belong to, and the similarity of a query to them. */
import type { Vectors } from "../model/vectors.ts";
import type { Kernel } from "./kernel.ts";
import { quantiseQuery } from "./quantise.ts";

/** Which versions are compared, in the order in which they lie in memory. Row numbers count through them. */
export interface Plan {
  /** Positions in the list that the plan was made from. */
  readonly items: Uint32Array;
  /** By item: number of its first row; one more at the end. */
  readonly firstRows: Uint32Array;
  /** By item: where its rows lie. */
  readonly places: Uint32Array;
}

interface ArenaRange {
  readonly at: number;
  readonly count: number;
}

/** Rows compared at a time: their sums stay in the cache. */
const BLOCK = 4096;
/** The kernel reads 16 components at a time. */
const LANES = 16;

export class Arena {
  readonly #kernel: Kernel;
  readonly #dims: number;
  readonly #stride: number;
  readonly #outAt: number;
  readonly #rowsAt: number;
  readonly #places = new Map<number, ArenaRange>();
  #scales = new Float32Array(1024);
  #rows = 0;
  /** Half a megabyte for every question would be garbage for every question. */
  #found = new Float64Array(0);

  constructor(dims: number, kernel: Kernel) {
    this.#dims = dims;
    this.#kernel = kernel;
    this.#stride = Math.ceil(dims / LANES) * LANES;
    this.#outAt = 2 * this.#stride;
    this.#rowsAt = Math.ceil((this.#outAt + 4 * BLOCK) / LANES) * LANES;
  }

  /** Rows held, of whatever version. */
  get rows(): number {
    return this.#rows;
  }

  has(version: number): boolean {
    return this.#places.has(version);
  }

  add(version: number, { rows, scales, dims }: Vectors): void {
    if (dims !== this.#dims) throw new Error(`vectors of ${dims} dimensions among those of ${this.#dims}`);
    const count = scales.length;
    this.#makeRoom(this.#rows + count);
    const memory = new Int8Array(this.#kernel.memory());
    if (dims === this.#stride) memory.set(rows, this.#addressOf(this.#rows));
    else
      for (let row = 0; row < count; row++) {
        memory.set(rows.subarray(row * dims, (row + 1) * dims), this.#addressOf(this.#rows + row));
      }
    this.#scales.set(scales, this.#rows);
    this.#places.set(version, { at: this.#rows, count });
    this.#rows += count;
  }

  /** Versions that are not held are left out. */
  plan(versions: readonly number[]): Plan {
    const held: { readonly item: number; readonly place: ArenaRange }[] = [];
    for (const [item, version] of versions.entries()) {
      const place = this.#places.get(version);
      if (place !== undefined && place.count > 0) held.push({ item, place });
    }
    held.sort((a, b) => a.place.at - b.place.at);
    const firstRows = new Uint32Array(held.length + 1);
    for (const [i, { place }] of held.entries()) firstRows[i + 1] = firstRows[i]! + place.count;
    return {
      items: Uint32Array.from(held, ({ item }) => item),
      firstRows,
      places: Uint32Array.from(held, ({ place }) => place.at),
    };
  }

  /** The cosine similarity of the query to every row of the plan. Valid until the next query. */
  compare(query: Float32Array, { items, firstRows, places }: Plan): Float64Array {
    const scale = this.#ask(query);
    const rows = firstRows[items.length]!;
    if (this.#found.length < rows) this.#found = new Float64Array(rows);
    const found = this.#found.subarray(0, rows);
    for (let i = 0; i < items.length; ) {
      // Neighbours in memory are compared in one pass.
      let end = i + 1;
      while (end < items.length && places[end] === places[i]! + (firstRows[end]! - firstRows[i]!)) end++;
      this.#compareRun(places[i]!, found.subarray(firstRows[i]!, firstRows[end]!), scale);
      i = end;
    }
    return found;
  }

  /** The similarity to each version's rows; undefined for a version that is not held. */
  compareEach(query: Float32Array, versions: readonly number[]): (Float64Array | undefined)[] {
    const scale = this.#ask(query);
    return versions.map((version) => {
      const place = this.#places.get(version);
      if (place === undefined) return undefined;
      const found = new Float64Array(place.count);
      this.#compareRun(place.at, found, scale);
      return found;
    });
  }

  #compareRun(at: number, into: Float64Array, scale: number): void {
    // Fields are read once: this runs over every row of a view.
    const scales = this.#scales;
    const stride = this.#stride;
    for (let from = 0; from < into.length; from += BLOCK) {
      const count = Math.min(BLOCK, into.length - from);
      const start = this.#addressOf(at + from);
      this.#kernel.dots(start, start + count * stride, stride, 0, this.#outAt);
      const sums = new Int32Array(this.#kernel.memory(), this.#outAt, count);
      const first = at + from;
      for (let i = 0; i < count; i++) into[from + i] = sums[i]! * scales[first + i]! * scale;
    }
  }

  /** Puts the question where the kernel reads it; returns its scale. */
  #ask(query: Float32Array): number {
    if (query.length !== this.#dims) throw new Error(`a question of ${query.length} dimensions, not ${this.#dims}`);
    return quantiseQuery(query, new Int16Array(this.#kernel.memory(), 0, this.#stride).fill(0));
  }

  #addressOf(row: number): number {
    return this.#rowsAt + row * this.#stride;
  }

  #makeRoom(rows: number): void {
    if (rows > this.#scales.length) {
      const larger = new Float32Array(Math.max(rows, this.#scales.length * 2));
      larger.set(this.#scales);
      this.#scales = larger;
    }
    const bytes = this.#addressOf(rows);
    const had = this.#kernel.memory().byteLength;
    if (bytes > had) this.#kernel.grow(Math.max(bytes, had + Math.min(had, MOST_AHEAD)));
  }
}

/** Memory is taken twice as large when it is full, but not wasted by the hundred megabytes. */
const MOST_AHEAD = 32 << 20;
