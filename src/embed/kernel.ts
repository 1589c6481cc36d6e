/**
 * Dot products of one question with many rows. WebAssembly SIMD (50,000 × 256 in about 2 ms), or plain JavaScript where
 * the engine has none; sums of whole numbers, so both give the same ones.
 */

/** Rows and questions lie in `memory`; dimensions are padded to a multiple of 16. */
export interface Kernel {
  /** Bytes that stay in place until the next `grow`. */
  readonly memory: () => ArrayBuffer;
  grow(bytes: number): void;
  /** Writes the dot products of the rows in `from … to` with the 16-bit question at `query` as 32-bit words to `out`. */
  dots(from: number, to: number, dims: number, query: number, out: number): void;
}

/** Runs what compiles and first calls the kernel, where the engine has to be told to optimise it. */
export type Optimising = <T>(work: () => T) => T;

export function createKernel(optimising: Optimising = (work) => work()): Kernel {
  return wasmKernel(optimising) ?? plainKernel();
}

/** As much of the engine's own as is used here; the types of Node leave it out. */
interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}
declare const WebAssembly: {
  validate(bytes: Uint8Array): boolean;
  readonly Memory: new (options: { readonly initial: number }) => WasmMemory;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: Readonly<Record<string, unknown>> };
};

const PAGE = 65_536;

export function wasmKernel(optimising: Optimising = (work) => work()): Kernel | undefined {
  if (typeof WebAssembly === "undefined" || !WebAssembly.validate(MODULE)) return undefined;
  const memory = new WebAssembly.Memory({ initial: 1 });
  const dots = optimising(() => {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(MODULE), { e: { m: memory } });
    const call = exports.d as Kernel["dots"];
    // Functions are compiled when first called.
    call(0, 16, 16, 0, 1024);
    return call;
  });
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

/** Small numbers in the encoding of WebAssembly. */
function leb(value: number): number[] {
  const low = value & 0x7f;
  return value < 0x80 ? [low] : [low | 0x80, ...leb(value >>> 7)];
}

const section = (id: number, body: readonly number[]) => [id, ...leb(body.length), ...body];
const simd = (opcode: number, ...rest: readonly number[]) => [0xfd, ...leb(opcode), ...rest];
const get = (local: number) => [0x20, local];
const set = (local: number) => [0x21, local];
const tee = (local: number) => [0x22, local];
const plus = (bytes: number) => [0x41, ...leb(bytes), 0x6a];
const ADD = 0x6a;
const load = (offset: number) => simd(0x00, 0, ...leb(offset));
const ZERO = simd(0x0c, ...new Array<number>(16).fill(0));
const LOW_BYTES = simd(0x87);
const HIGH_BYTES = simd(0x88);
const DOT_PAIRS = simd(0xba);
const ADD_LANES = simd(0xae);
const lane = (i: number) => simd(0x1b, i);

// Parameters: row, end of the rows, dims, query, out. Locals: place in the query, end of the row; two sums, 16 bytes.
const [ROW, END, DIMS, QUERY, OUT, AT, STOP, SUM, SUM2, BYTES] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] as const;

const BODY = [
  ...[2, 2, 0x7f, 3, 0x7b], // locals: 2 × i32, 3 × v128
  ...[0x02, 0x40, 0x03, 0x40], // block, loop over rows
  ...[...get(ROW), ...get(END), 0x4f, 0x0d, 1], // leave when row >= end
  ...[...ZERO, ...set(SUM), ...ZERO, ...set(SUM2)],
  ...[...get(QUERY), ...set(AT), ...get(ROW), ...get(DIMS), ADD, ...set(STOP)],
  ...[0x03, 0x40], // loop over 16 dimensions at a time
  ...[...get(ROW), ...load(0), ...tee(BYTES), ...LOW_BYTES, ...get(AT), ...load(0), ...DOT_PAIRS],
  ...[...get(SUM), ...ADD_LANES, ...set(SUM)],
  ...[...get(BYTES), ...HIGH_BYTES, ...get(AT), ...load(16), ...DOT_PAIRS],
  ...[...get(SUM2), ...ADD_LANES, ...set(SUM2)],
  ...[...get(AT), ...plus(32), ...set(AT), ...get(ROW), ...plus(16), ...tee(ROW)],
  ...[...get(STOP), 0x49, 0x0d, 0, 0x0b], // again while row < stop
  ...[...get(OUT), ...get(SUM), ...get(SUM2), ...ADD_LANES, ...tee(SUM), ...lane(0)],
  ...[1, 2, 3].flatMap((i) => [...get(SUM), ...lane(i), ADD]),
  ...[0x36, 2, 0, ...get(OUT), ...plus(4), ...set(OUT)], // store, next place
  ...[0x0c, 0, 0x0b, 0x0b, 0x0b],
];

const MODULE = new Uint8Array([
  ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...section(1, [1, 0x60, 5, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0]),
  ...section(2, [1, 1, 0x65, 1, 0x6d, 2, 0, 1]), // import memory e.m, at least a page
  ...section(3, [1, 0]),
  ...section(7, [1, 1, 0x64, 0, 0]), // export d
  ...section(10, [1, ...leb(BODY.length), ...BODY]),
]);
