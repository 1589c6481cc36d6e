/** One WebAssembly instance of tree-sitter, with a memory of its own that can be measured, bounded and released. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type * as WebTreeSitter from "web-tree-sitter";

export interface Runtime {
  readonly api: typeof WebTreeSitter;
  readonly memory: Memory;
  /** What the package keeps of its instance. */
  readonly core: Core;
}

export interface Memory {
  readonly buffer: ArrayBuffer;
}

/** The functions of the instance that `precompiled-queries.ts` calls. */
export interface Core {
  readonly _malloc: (bytes: number) => number;
  _ts_query_new: (language: number, ...source: number[]) => number;
}

interface Input {
  /** What `Parser.parse` was called with. */
  readonly currentParseCallback: (index: number) => string;
}

/** Units of text that the instance takes at a time; there is room for one more. */
export const INPUT_UNITS = 5_119;

const PACKAGE = "web-tree-sitter";
const PAGE_BYTES = 65_536;
const INITIAL_BYTES = 32 * 1024 * 1024;
/**
 * No honest file of at most 1 MiB comes near. After 20,000 unclosed `A<` a single step of error recovery takes memory in
 * quadratic measure, which no callback can stop; here it ends in a trap, and the file is read as text.
 */
const MEMORY_LIMIT_BYTES = 384 * 1024 * 1024;

const { WebAssembly } = globalThis as unknown as {
  WebAssembly: {
    Memory: new (pages: object) => Memory;
    Module: new (bytes: Uint8Array) => object;
    Instance: new (module: object, imports: object) => { readonly exports: Exports };
  };
};

interface Exports {
  readonly calloc: unknown;
}

/**
 * A fresh instance. The package keeps one instance per evaluation of its module, and an instance that trapped (or grew
 * by a monstrous file) cannot be trusted (or shrunk); so the module is evaluated again, and nothing keeps it alive
 * afterwards: a `require` of its own, because Node lists every module among the children of its requirer.
 */
export async function startRuntime(): Promise<Runtime> {
  const require = createRequire(import.meta.url);
  const api = require(PACKAGE) as typeof WebTreeSitter;
  delete require.cache[require.resolve(PACKAGE)];
  const memory = new WebAssembly.Memory({
    initial: INITIAL_BYTES / PAGE_BYTES,
    maximum: MEMORY_LIMIT_BYTES / PAGE_BYTES,
  });
  // Emscripten's options; it also adds the functions of the instance to this object.
  const options: object = {
    ...{ wasmMemory: memory, print: ignore, printErr: ignore },
    instantiateWasm: (imports: Imports, receive: Receive) => {
      const env = { ...imports.env, tree_sitter_parse_callback: inputOf(options as Input, memory) };
      return instantiate({ ...imports, env }, receive);
    },
  };
  await api.Parser.init(options);
  return { api, memory, core: options as Core };
}

interface Imports {
  readonly env: object;
}

type Receive = (instance: object, module: object) => void;

/** Copies text into the instance as the package does, but not unit by unit: that took 3 % of a parse worker's time on C. */
function inputOf(input: Input, memory: Memory) {
  return (buffer: number, index: number, _row: number, _column: number, lengthAt: number) => {
    const text = input.currentParseCallback(index);
    new Uint32Array(memory.buffer, lengthAt, 1)[0] = text.length;
    Buffer.from(memory.buffer, buffer, INPUT_UNITS * 2).write(text, "utf16le");
  };
}

function instantiate(imports: object, receive: Receive): object {
  const module = compileCore();
  const { exports } = new WebAssembly.Instance(module, imports);
  const { calloc } = new WebAssembly.Instance(new WebAssembly.Module(CALLOC), { core: exports }).exports;
  receive({ exports: { ...exports, calloc } }, module);
  return {};
}

/**
 * `calloc(count || 1, size)` by the instance's own, as a module of its own: grammars only link to WebAssembly. Swift's
 * scanner asks for its state with `calloc(0, 4)` and begins each file with whatever lay in those four bytes; a file after
 * one with an open raw string was read with errors, in forty times the time.
 */
const CALLOC = Uint8Array.of(
  ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...[1, 7, 1, 0x60, 2, 0x7f, 0x7f, 1, 0x7f], // (i32, i32) → i32
  ...[2, 15, 1, 4, ...Buffer.from("core"), 6, ...Buffer.from("calloc"), 0, 0],
  ...[3, 2, 1, 0],
  ...[7, 10, 1, 6, ...Buffer.from("calloc"), 0, 1],
  ...[10, 15, 1, 13, 0, 0x20, 0, 0x41, 1, 0x20, 0, 0x1b, 0x20, 1, 0x10, 0, 0x0b],
);

/** While the result is kept, instances in all threads of the process start with the code that V8 has for it. */
export function compileCore(): object {
  return new WebAssembly.Module(readCore());
}

export function readCore(): Buffer {
  return readFileSync(createRequire(import.meta.url).resolve(`${PACKAGE}/${PACKAGE}.wasm`));
}

/** What the instance says before it traps is in the error too; standard output is not its to write to. */
function ignore(): void {}
