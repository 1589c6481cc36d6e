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

/** The best of many similarities, best first. */
interface Nearest {
  /** Row numbers. */
  readonly rows: readonly number[];
  /** How many reach `least`. */
  readonly matched: number;
}

interface NearestOptions {
  readonly limit: number;
  /** What is less alike does not count. */
  readonly least: number;
  /** Order of rows that are equally alike; negative: `a` first. */
  readonly tie: (a: number, b: number) => number;
}

/** Few are wanted of many: they are kept in order, and what is below the last of them costs one comparison. */
export function nearest(similarity: Float64Array, { limit, least, tie }: NearestOptions): Nearest {
  if (limit > FEW) return sorted(similarity, { limit, least, tie });
  const kept: number[] = [];
  let matched = 0;
  let bar = least;
  for (let row = 0; row < similarity.length; row++) {
    const height = similarity[row]!;
    if (height < least) continue;
    matched++;
    if (height < bar || limit === 0) continue;
    insert(kept, row, similarity, tie);
    if (kept.length > limit) kept.pop();
    if (kept.length === limit) bar = similarity[kept[limit - 1]!]!;
  }
  return { rows: kept, matched };
}

/** Above this, sorting once is quicker than keeping order. */
const FEW = 500;

function insert(kept: number[], row: number, similarity: Float64Array, tie: NearestOptions["tie"]): void {
  const height = similarity[row]!;
  let at = kept.length;
  for (; at > 0; at--) {
    const above = kept[at - 1]!;
    const higher = similarity[above]! - height;
    if (higher > 0 || (higher === 0 && tie(above, row) <= 0)) break;
  }
  kept.splice(at, 0, row);
}

function sorted(similarity: Float64Array, { limit, least, tie }: NearestOptions): Nearest {
  const all: number[] = [];
  for (let row = 0; row < similarity.length; row++) if (similarity[row]! >= least) all.push(row);
  all.sort((a, b) => similarity[b]! - similarity[a]! || tie(a, b));
  return { rows: all.slice(0, limit), matched: all.length };
}
