/**
 * Dot products of one question with many rows. WebAssembly SIMD (50,000 × 256 in about 2 ms), or plain JavaScript where
 * the engine has none; sums of whole numbers, so both give the same ones.
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
  tee,
} from "./assembly.ts";

/** Rows and questions lie in `memory`; dimensions are padded to a multiple of 16. */
export interface Kernel {
  /** Bytes that stay in place until the next `grow`. */
  readonly memory: () => ArrayBuffer;
  grow(bytes: number): void;
  /** Writes the dot products of the rows in `from … to` with the 16-bit question at `query` as 32-bit words to `out`. */
  dots(from: number, to: number, dims: number, query: number, out: number): void;
}

export function createKernel(): Kernel {
  return wasmKernel() ?? plainKernel();
}

export function wasmKernel(): Kernel | undefined {
  if (!isRunnable(MODULE)) return undefined;
  const memory = newMemory(1);
  const dots = functionOf<Kernel["dots"]>(MODULE, memory);
  // Functions are compiled when first called.
  dots(0, 16, 16, 0, 1024);
  return {
    memory: () => memory.buffer,
    grow: (bytes) => {
      const missing = Math.ceil(bytes / PAGE) - memory.buffer.byteLength / PAGE;
      if (missing > 0) memory.grow(missing);
    },
    dots,
  };
}

export function plainKernel(): Kernel {
  let memory = new ArrayBuffer(PAGE);
  return {
    memory: () => memory,
    grow: (bytes) => {
      if (bytes <= memory.byteLength) return;
      const larger = new ArrayBuffer(Math.ceil(bytes / PAGE) * PAGE);
      new Uint8Array(larger).set(new Uint8Array(memory));
      memory = larger;
    },
    dots: (from, to, dims, query, out) => {
      const rows = new Int8Array(memory);
      const wanted = new Int16Array(memory, query, dims);
      const sums = new Int32Array(memory, out, (to - from) / dims);
      for (let row = from, i = 0; row < to; row += dims, i++) {
        let sum = 0;
        for (let d = 0; d < dims; d++) sum += rows[row + d]! * wanted[d]!;
        sums[i] = sum;
      }
    },
  };
}

const load = (offset: number) => simdAt(0x00, offset);
const ZERO = simd(0x0c, ...new Array<number>(16).fill(0));
const LOW_BYTES = simd(0x87);
const HIGH_BYTES = simd(0x88);
const DOT_PAIRS = simd(0xba);
const ADD_LANES = simd(0xae);
const lane = (i: number) => simd(0x1b, i);

// Parameters: row, end of the rows, dims, query, out. Locals: place in the query, end of the row; two sums, 16 bytes.
const [ROW, ROWS_END, DIMS, QUERY, OUT, AT, STOP, SUM, SUM2, BYTES] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] as const;

const BODY = [
  ...[2, 2, 0x7f, 3, 0x7b], // locals: 2 × i32, 3 × v128
  ...[...BLOCK, ...LOOP], // over rows
  ...[...get(ROW), ...get(ROWS_END), NOT_LESS, ...againIf(1)], // leave when row >= end
  ...[...ZERO, ...set(SUM), ...ZERO, ...set(SUM2)],
  ...[...get(QUERY), ...set(AT), ...get(ROW), ...get(DIMS), ADD, ...set(STOP)],
  ...LOOP, // over 16 dimensions at a time
  ...[...get(ROW), ...load(0), ...tee(BYTES), ...LOW_BYTES, ...get(AT), ...load(0), ...DOT_PAIRS],
  ...[...get(SUM), ...ADD_LANES, ...set(SUM)],
  ...[...get(BYTES), ...HIGH_BYTES, ...get(AT), ...load(16), ...DOT_PAIRS],
  ...[...get(SUM2), ...ADD_LANES, ...set(SUM2)],
  ...[...get(AT), ...plus(32), ...set(AT), ...get(ROW), ...plus(16), ...tee(ROW)],
  ...[...get(STOP), LESS, ...againIf(0), END], // again while row < stop
  ...[...get(OUT), ...get(SUM), ...get(SUM2), ...ADD_LANES, ...tee(SUM), ...lane(0)],
  ...[1, 2, 3].flatMap((i) => [...get(SUM), ...lane(i), ADD]),
  ...[0x36, 2, 0, ...get(OUT), ...plus(4), ...set(OUT)], // store, next place
  ...[...again(0), END, END, END],
];

const MODULE = moduleOf(BODY);
