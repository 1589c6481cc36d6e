/**
 * One WebAssembly instance of tree-sitter. Beside the package's public API it exposes the instance's memory, because
 * reading query results straight from it halves the time of a query: no object per node, no call per field.
 * The layout it relies on is that of web-tree-sitter 0.27 and is checked by the adapter's tests.
 */
import { createRequire } from "node:module";
import type * as WebTreeSitter from "web-tree-sitter";

/** The Emscripten module behind web-tree-sitter: what the adapter uses of it. */
export interface WasmModule {
  readonly HEAP32: Int32Array;
  currentQueryProgressCallback: (() => boolean) | null;
  _ts_init(): number;
  _free(address: number): void;
  _ts_node_end_index_wasm(tree: number): number;
  _ts_node_end_point_wasm(tree: number): void;
  _ts_query_matches_wasm(query: number, tree: number, ...range: number[]): void;
}

export interface Runtime {
  readonly api: typeof WebTreeSitter;
  readonly wasm: WasmModule;
  /** Where the instance leaves its answers, as an index into `HEAP32`. */
  readonly transfer: number;
}

const PACKAGE = "web-tree-sitter";
const PAGE_BYTES = 65_536;
const INITIAL_BYTES = 32 * 1024 * 1024;
/**
 * No honest file of at most 1 MiB comes near. After 20,000 unclosed `A<` a single step of error recovery takes memory in
 * quadratic measure, which no callback can stop; here it ends in a trap, and the file is read as text.
 */
const MEMORY_LIMIT_BYTES = 384 * 1024 * 1024;

/**
 * A fresh instance. The package keeps one instance per evaluation of its module, and an instance that trapped (or grew
 * by a monstrous file) cannot be trusted (or shrunk); so the module is evaluated anew, and nothing keeps it alive
 * afterwards: a `require` of its own, because Node lists every module among the children of its requirer.
 */
export async function startRuntime(): Promise<Runtime> {
  const require = createRequire(import.meta.url);
  const api = require(PACKAGE) as typeof WebTreeSitter;
  delete require.cache[require.resolve(PACKAGE)];
  // Emscripten turns the options object into the module itself.
  const wasm = { wasmMemory: memory(), print: ignore, printErr: ignore } as object as WasmModule;
  await api.Parser.init(wasm as object);
  return { api, wasm, transfer: wasm._ts_init() >> 2 };
}

function memory(): object {
  const { WebAssembly } = globalThis as unknown as { WebAssembly: { Memory: new (pages: object) => object } };
  return new WebAssembly.Memory({ initial: INITIAL_BYTES / PAGE_BYTES, maximum: MEMORY_LIMIT_BYTES / PAGE_BYTES });
}

/** What the instance says before it traps is in the error too; standard output is not its to write to. */
function ignore(): void {}
