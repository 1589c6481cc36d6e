/**
 * Sums of a model's rows: Σ weight · row. Weights become whole numbers of 16 bits, the largest of them ±32,767, so that
 * sums are whole numbers, too: WebAssembly SIMD adds four components at a time, plain JavaScript gives the same bits, and
 * neither hangs on the order of the rows. A passage of 100 rows takes 8 µs; 49 in doubles that were rounded to 32 bits
 * after each row, 16 in singles. Of 1,000 bytes that are stored 0.6 differ, by 1.
 */
import {
  ADD,
  again,
  againIf,
  BLOCK,
  END,
  functionOf,
  get,
  isRunnable,
  LESS,
  LOOP,
  moduleOf,
  NOT_LESS,
  newMemory,
  PAGE,
  plus,
  set,
  simd,
  simdAt,
  type WasmMemory,
} from "./assembly.ts";
import { packRow, quantise } from "./quantise.ts";
import type { StaticModel } from "./static-model.ts";

export interface VectorSum {
  /** Adds a token's row, sooner or later. */
  weigh(token: number, weight: number): void;
  /** The sum of what was weighed, valid until the next row is weighed; then starts again from zero. */
  sum(): Float32Array;
  /** The same as the store keeps it: writes the bytes and returns their scale, as `quantise` does. */
  pack(into: Int8Array): number;
}

type Rows = Pick<StaticModel, "rows" | "dims">;

/** Where a model's file is read to, so that its rows can be added up where they lie. */
export interface ModelMemory {
  readonly file: Uint8Array;
  adderOf(model: Rows): VectorSum;
}

/** As many rows as cannot overflow a sum: 512 · 32,767 · 128 < 2³¹. A passage has a hundred. */
const WAITING = 512;
const MOST_WEIGHT = 32_767;
/** Behind the file: the sum, then where the rows are that wait to be added, then their weights. */
const MOST_DIMS = 4_096;
const PLACES_AT = 4 * MOST_DIMS;
const WEIGHTS_AT = PLACES_AT + 4 * WAITING;

/** How sums are made of the rows that wait; `plainAdder` has it in JavaScript. */
interface Steps {
  /** Where the first row is. */
  readonly rowsAt: number;
  readonly places: Uint32Array;
  readonly weights: Int16Array;
  readonly sums: Int32Array;
  add(count: number): void;
}

type Step = (a: number, b: number, c: number, d: number, e: number) => void;

export function roomFor(fileBytes: number): ModelMemory {
  if (!canRun()) return { file: new Uint8Array(fileBytes), adderOf: plainAdder };
  const filePages = Math.ceil(fileBytes / PAGE);
  const memory = newMemory(filePages + 1);
  const file = new Uint8Array(memory.buffer, 0, fileBytes);
  return {
    file,
    adderOf: (model) => {
      const { rows, dims } = model;
      const fits = rows.buffer === file.buffer && dims % AT_ONCE === 0 && dims <= MOST_DIMS;
      return fits ? new RowAdder(dims, wasmSteps(model, filePages * PAGE, memory)) : plainAdder(model);
    },
  };
}

/**
 * Compiles the module. While the result is kept, every thread of the process that opens a model gets the same code: code
 * that was optimised here is not optimised again elsewhere.
 */
export function compileAdder(): object | undefined {
  if (!canRun()) return undefined;
  const memory = newMemory(1);
  const steps = wasmSteps({ rows: new Int8Array(memory.buffer), dims: AT_ONCE }, 0, memory);
  // Functions are compiled when first called.
  steps.add(0);
  return steps;
}

function canRun(): boolean {
  return isRunnable(ADD_ROWS);
}

function wasmSteps({ rows, dims }: Rows, free: number, memory: WasmMemory): Steps {
  const [placesAt, weightsAt] = [free + PLACES_AT, free + WEIGHTS_AT];
  const addRows = functionOf<Step>(ADD_ROWS, memory);
  return {
    rowsAt: rows.byteOffset,
    places: new Uint32Array(memory.buffer, placesAt, WAITING),
    weights: new Int16Array(memory.buffer, weightsAt, WAITING),
    sums: new Int32Array(memory.buffer, free, dims),
    add: (count) => addRows(placesAt, placesAt + 4 * count, weightsAt, free, dims),
  };
}

/** Where the engine has no SIMD, and for models of odd sizes. */
export function plainAdder({ rows, dims }: Rows): VectorSum {
  const [places, weights, sums] = [new Uint32Array(WAITING), new Int16Array(WAITING), new Int32Array(dims)];
  const add = (count: number) => {
    sums.fill(0);
    for (let row = 0; row < count; row++) {
      const [from, weight] = [places[row]!, weights[row]!];
      for (let i = 0; i < dims; i++) sums[i]! += weight * rows[from + i]!;
    }
  };
  return new RowAdder(dims, { rowsAt: 0, places, weights, sums, add });
}

class RowAdder implements VectorSum {
  readonly #dims: number;
  readonly #steps: Steps;
  readonly #given = new Float64Array(WAITING);
  readonly #sum: Float32Array;
  #count = 0;
  #most = 0;
  /** Whether all rows so far are among those that wait. */
  #isFresh = true;

  constructor(dims: number, steps: Steps) {
    this.#dims = dims;
    this.#steps = steps;
    this.#sum = new Float32Array(dims);
  }

  weigh(token: number, weight: number): void {
    if (this.#count === WAITING) this.#keep();
    this.#steps.places[this.#count] = this.#steps.rowsAt + token * this.#dims;
    this.#given[this.#count++] = weight;
    this.#most = Math.max(this.#most, Math.abs(weight));
  }

  sum(): Float32Array {
    this.#keep();
    this.#isFresh = true;
    return this.#sum;
  }

  pack(into: Int8Array): number {
    if (!this.#isFresh) return quantise(this.sum(), into);
    this.#addUp();
    const squares = packRow(this.#steps.sums, into);
    return squares === 0 ? 0 : Math.fround(1 / Math.sqrt(squares));
  }

  /** Adds what waits to what was kept before. */
  #keep(): void {
    const { sums } = this.#steps;
    const unit = this.#addUp();
    for (let i = 0; i < sums.length; i++) this.#sum[i] = (this.#isFresh ? 0 : this.#sum[i]!) + unit * sums[i]!;
    this.#isFresh = false;
  }

  /** Of what waits; returns what the sums are multiples of. */
  #addUp(): number {
    const { weights } = this.#steps;
    const unit = this.#most / MOST_WEIGHT || 1;
    for (let i = 0; i < this.#count; i++) weights[i] = Math.round(this.#given[i]! / unit);
    this.#steps.add(this.#count);
    this.#count = 0;
    this.#most = 0;
    return unit;
  }
}

// The WebAssembly: sums stay in registers while all rows pass by, 16 components of each.

/** Components that are added up at once; 32 and 64 took longer. */
const AT_ONCE = 16;

// Parameters: the list of places, its end, the weights, the sum, dims. Locals: first of the components at hand, place in
// both lists; bytes of a row, half of them as wider numbers, a weight, and four sums of four components.
const [LIST, STOP, WEIGHTS, SUM, DIMS, FIRST, AT, WEIGHT_AT] = [0, 1, 2, 3, 4, 5, 6, 7] as const;
const [BYTES, HALF, WEIGHT, SUMS] = [8, 9, 10, 11] as const;
const QUARTERS = AT_ONCE / 4;

const HALVES = [simd(0x87), simd(0x88)];
/** Of the lower and the upper four: 16 bits times 16 bits are 32. */
const TIMES = [simd(0xbc), simd(0xbd)];
const PLUS = simd(0xae);
const ZERO = simd(0x0c, ...new Array<number>(16).fill(0));
const eachQuarter = (code: (quarter: number) => readonly number[]) =>
  Array.from({ length: QUARTERS }, (_, i) => code(i)).flat();

/** Four by four of a row's 16 components: sum ← sum + weight · component. */
const addQuarter = (quarter: number) => [
  ...(quarter % 2 === 0 ? [...get(BYTES), ...HALVES[quarter >> 1]!, ...set(HALF)] : []),
  ...[...get(SUMS + quarter), ...get(HALF), ...get(WEIGHT), ...TIMES[quarter & 1]!, ...PLUS, ...set(SUMS + quarter)],
];

const BODY = [
  ...[2, 3, 0x7f, 3 + QUARTERS, 0x7b], // locals: 3 × i32, 7 × v128
  ...LOOP, // over 16 components at a time
  ...eachQuarter((quarter) => [...ZERO, ...set(SUMS + quarter)]),
  ...[...get(LIST), ...set(AT), ...get(WEIGHTS), ...set(WEIGHT_AT)],
  ...[...BLOCK, ...LOOP], // over rows
  ...[...get(AT), ...get(STOP), NOT_LESS, ...againIf(1)],
  ...[...get(AT), 0x28, 2, 0, ...get(FIRST), ADD, ...simdAt(0x00, 0), ...set(BYTES)],
  ...[...get(WEIGHT_AT), ...simdAt(0x08, 0), ...set(WEIGHT)],
  ...eachQuarter(addQuarter),
  ...[...get(AT), ...plus(4), ...set(AT), ...get(WEIGHT_AT), ...plus(2), ...set(WEIGHT_AT)],
  ...[...again(0), END, END],
  ...eachQuarter((quarter) => [...get(SUM), ...get(SUMS + quarter), ...simdAt(0x0b, 16 * quarter)]),
  ...[...get(SUM), ...plus(4 * AT_ONCE), ...set(SUM), ...get(FIRST), ...plus(AT_ONCE), ...set(FIRST)],
  ...[...get(FIRST), ...get(DIMS), LESS, ...againIf(0), END],
  END,
];

const ADD_ROWS = moduleOf(BODY);
