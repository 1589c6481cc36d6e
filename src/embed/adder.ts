/**
 * Sums of a model's rows: Σ weight · row, rounded to 32 bits after each row, in their order. In plain JavaScript it was
 * the dearest function of reading files; WebAssembly SIMD does the same steps two components at a time, and both give
 * the same bits (3,476 chunks of redis, in turns: 309 → 237 ms, the tokens included).
 */
import { ADD_ROWS, AT_ONCE } from "./add-rows.ts";
import { functionOf, isRunnable, newMemory, PAGE } from "./assembly.ts";
import type { StaticModel } from "./static-model.ts";

export interface Adder {
  /** Adds a token's row, sooner or later. */
  weigh(token: number, weight: number): void;
  /** The sum of what was weighed, which is valid until the next row is; begins anew. */
  sum(): Float32Array;
}

type Rows = Pick<StaticModel, "rows" | "dims">;

/** Where a model's file is read to, so that its rows can be added up where they lie. */
export interface Room {
  readonly file: Uint8Array;
  adderOf(model: Rows): Adder;
}

/** Behind the file: the sum, then the weights of the rows that wait to be added, then where these are. */
const WAITING = 512;
const MOST_DIMS = 4_096;
const WEIGHTS_AT = 4 * MOST_DIMS;
const PLACES_AT = WEIGHTS_AT + 8 * WAITING;

type Add = (places: number, end: number, weights: number, sum: number, dims: number) => void;

export function roomFor(fileBytes: number): Room {
  if (!isRunnable(ADD_ROWS)) return { file: new Uint8Array(fileBytes), adderOf: plainAdder };
  const filePages = Math.ceil(fileBytes / PAGE);
  const memory = newMemory(filePages + 1);
  const file = new Uint8Array(memory.buffer, 0, fileBytes);
  return {
    file,
    adderOf: (model) => {
      const { rows, dims } = model;
      const fits = rows.buffer === file.buffer && dims % AT_ONCE === 0 && dims <= MOST_DIMS;
      return fits ? new WasmAdder(model, filePages * PAGE, functionOf<Add>(ADD_ROWS, memory)) : plainAdder(model);
    },
  };
}

/**
 * Compiles the module. While the result is kept, every thread of the process that opens a model gets the same code: an
 * engine that was told to optimise here need not be told again elsewhere.
 */
export function compileAdder(): object | undefined {
  if (!isRunnable(ADD_ROWS)) return undefined;
  const add = functionOf<Add>(ADD_ROWS, newMemory(1));
  // Functions are compiled when first called.
  add(PLACES_AT, PLACES_AT, WEIGHTS_AT, 0, AT_ONCE);
  return add;
}

class WasmAdder implements Adder {
  readonly #add: Add;
  readonly #free: number;
  readonly #rowsAt: number;
  readonly #dims: number;
  readonly #sum: Float32Array;
  readonly #weights: Float64Array;
  readonly #places: Uint32Array;
  #waiting = 0;
  #isFresh = true;

  constructor({ rows, dims }: Rows, free: number, add: Add) {
    this.#add = add;
    this.#free = free;
    this.#rowsAt = rows.byteOffset;
    this.#dims = dims;
    this.#sum = new Float32Array(rows.buffer, free, dims);
    this.#weights = new Float64Array(rows.buffer, free + WEIGHTS_AT, WAITING);
    this.#places = new Uint32Array(rows.buffer, free + PLACES_AT, WAITING);
  }

  weigh(token: number, weight: number): void {
    if (this.#waiting === WAITING) this.#addUp();
    this.#places[this.#waiting] = this.#rowsAt + token * this.#dims;
    this.#weights[this.#waiting++] = weight;
  }

  sum(): Float32Array {
    this.#addUp();
    this.#isFresh = true;
    return this.#sum;
  }

  #addUp(): void {
    if (this.#isFresh) this.#sum.fill(0);
    this.#isFresh = false;
    const places = this.#free + PLACES_AT;
    this.#add(places, places + 4 * this.#waiting, this.#free + WEIGHTS_AT, this.#free, this.#dims);
    this.#waiting = 0;
  }
}

/** Where the engine has no SIMD, and for models of odd sizes. */
export function plainAdder({ rows, dims }: Rows): Adder {
  const sum = new Float32Array(dims);
  let isFresh = true;
  return {
    weigh: (token, weight) => {
      if (isFresh) sum.fill(0);
      isFresh = false;
      const from = token * dims;
      for (let i = 0; i < dims; i++) sum[i]! += weight * rows[from + i]!;
    },
    sum: () => {
      if (isFresh) sum.fill(0);
      isFresh = true;
      return sum;
    },
  };
}
