/** One WebAssembly instance of tree-sitter, with a memory of its own that can be measured, bounded and released. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { crc32 } from "node:zlib";
import type * as WebTreeSitter from "web-tree-sitter";
import { thaw } from "./precompiled-queries.ts";
import { quickened } from "./runtime-patches.ts";
import type { Core, Memory } from "./wasm-instance.ts";

export interface Runtime {
  readonly api: typeof WebTreeSitter;
  readonly memory: Memory;
  readonly core: Core;
  /** Address at which nodes and results are handed over. */
  readonly transfer: number;
  /** Of the instance's code: what was frozen with other code means nothing here. */
  readonly checksum: number;
  /** A query from its source, or at once from what `freeze` made of it. */
  query(language: WebTreeSitter.Language, source: string, frozen?: Uint8Array): WebTreeSitter.Query;
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

export const { WebAssembly } = globalThis as unknown as {
  WebAssembly: {
    Memory: new (pages: object) => Memory;
    Module: new (bytes: Uint8Array) => object;
    Instance: new (module: object, imports: object) => { readonly exports: object };
  };
};

/**
 * A fresh instance. The package keeps one instance per evaluation of its module, and an instance that trapped (or grew
 * by a monstrous file) cannot be trusted (or shrunk); so the module is evaluated again, and nothing keeps it alive
 * afterwards: a `require` of its own, because Node lists every module among the children of its requirer.
 */
export async function startRuntime(): Promise<Runtime> {
  const require = createRequire(import.meta.url);
  const api = require(PACKAGE) as typeof WebTreeSitter;
  delete require.cache[require.resolve(PACKAGE)];
  const code = readFileSync(coreAt(require));
  const memory = new WebAssembly.Memory({
    initial: INITIAL_BYTES / PAGE_BYTES,
    maximum: MEMORY_LIMIT_BYTES / PAGE_BYTES,
  });
  // The package's binding calls the instance through this object, which is filled when it starts.
  const binding: object = {
    wasmMemory: memory,
    print: ignore,
    printErr: ignore,
    instantiateWasm: (imports: Imports, receive: Receive) => {
      const module = new WebAssembly.Module(quickened(code));
      const env = { ...imports.env, tree_sitter_parse_callback: input(core, memory) };
      receive(new WebAssembly.Instance(module, { ...imports, env }), module);
      return {};
    },
  };
  const core = binding as Core;
  await api.Parser.init(binding);
  const compile = core._ts_query_new;
  const query: Runtime["query"] = (language, source, frozen) => {
    core._ts_query_new = frozen === undefined ? compile : (at) => thaw(frozen, { core, memory, language: at });
    return new api.Query(language, source);
  };
  return { api, memory, core, transfer: core._ts_init(), checksum: crc32(code), query };
}

/** While the result is kept, instances in all threads of the process start with the code that V8 has for it. */
export function compileCore(): object {
  return new WebAssembly.Module(quickened(readFileSync(coreAt(createRequire(import.meta.url)))));
}

function coreAt({ resolve }: NodeJS.Require): string {
  return resolve(`${PACKAGE}/${PACKAGE}.wasm`);
}

interface Imports {
  readonly env: object;
}

type Receive = (instance: object, module: object) => void;

/** Copies text into the instance as the package does, but not unit by unit: that took 3 % of a parse worker's time. */
function input(core: Core, memory: Memory) {
  return (buffer: number, index: number, _row: number, _column: number, lengthAt: number) => {
    const text = core.currentParseCallback(index);
    new Uint32Array(memory.buffer, lengthAt, 1)[0] = text.length;
    Buffer.from(memory.buffer, buffer, INPUT_UNITS * 2).write(text, "utf16le");
  };
}

/** Of what the package made: it keeps it where its own classes look for it. */
export function addressOf(made: WebTreeSitter.Query | WebTreeSitter.Tree | WebTreeSitter.Language): number {
  return (made as unknown as readonly [number])[0];
}

/** What the instance says before it traps is in the error too; standard output is not its to write to. */
function ignore(): void {}
