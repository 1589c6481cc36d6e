/** The few words of WebAssembly that the kernels here are written in; a module is bytes, made when the code is loaded. */

export const PAGE = 65_536;

/** As much of the engine's own as is used here; the types of Node leave it out. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}
declare const WebAssembly: {
  validate(bytes: Uint8Array): boolean;
  readonly Memory: new (options: { readonly initial: number }) => WasmMemory;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: Readonly<Record<string, unknown>> };
};

/** Whether this engine can run it: not every one has SIMD. */
export function isRunnable(module: Uint8Array): boolean {
  if (typeof WebAssembly === "undefined") return false;
  return WebAssembly.validate(module);
}

export function newMemory(pages: number): WasmMemory {
  return new WebAssembly.Memory({ initial: pages });
}

/** The function of a module that `moduleOf` made. */
export function functionOf<T>(module: Uint8Array, memory: WasmMemory): T {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(module), { e: { m: memory } });
  return exports.d as T;
}

/** A module of one function: five numbers in, nothing out, over a memory that the caller passes. */
export function moduleOf(body: readonly number[]): Uint8Array {
  return new Uint8Array([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, 5, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0]),
    ...section(2, [1, 1, 0x65, 1, 0x6d, 2, 0, 1]), // import memory e.m, at least a page
    ...section(3, [1, 0]),
    ...section(7, [1, 1, 0x64, 0, 0]), // export d
    ...section(10, [1, ...leb(body.length), ...body]),
  ]);
}

/** Small numbers in the encoding of WebAssembly. */
function leb(value: number): number[] {
  const low = value & 0x7f;
  return value < 0x80 ? [low] : [low | 0x80, ...leb(value >>> 7)];
}

const section = (id: number, body: readonly number[]) => [id, ...leb(body.length), ...body];

export const simd = (opcode: number, ...rest: readonly number[]) => [0xfd, ...leb(opcode), ...rest];
/** A SIMD instruction that accesses memory. */
export const simdAt = (opcode: number, offset: number) => simd(opcode, 0, ...leb(offset));
export const get = (local: number) => [0x20, local];
export const set = (local: number) => [0x21, local];
export const tee = (local: number) => [0x22, local];
export const ADD = 0x6a;
/** A constant has a sign, which is the seventh bit of its last byte. */
export const plus = (bytes: number) => [0x41, ...(bytes < 0x40 ? [bytes] : [(bytes & 0x7f) | 0x80, bytes >>> 7]), ADD];
export const BLOCK = [0x02, 0x40];
export const LOOP = [0x03, 0x40];
export const END = 0x0b;
export const LESS = 0x49;
export const NOT_LESS = 0x4f;
export const againIf = (depth: number) => [0x0d, depth];
export const again = (depth: number) => [0x0c, depth];
